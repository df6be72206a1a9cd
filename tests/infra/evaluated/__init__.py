"""What named scenarios evaluate to, value by value: `default.txt` whole, of the others what differs from it; and what
the workflows do in named situations, `workflows.txt`.

Golden files, of our own decision: `make written` writes them, and whoever reviews a change of infra/ or of a workflow
reads here what it changes. A line is a value of a resource, what a module waits for, a parameter with its limits, an
output, or what a step is given.

- `scenarios`: of the deployment
- `pipelines`: of the workflows
"""
