"""What named scenarios evaluate to, value by value: `default.txt` whole, of the others what differs from it.

Golden files, of our own decision: `make written` writes them, and whoever reviews a change of infra/ reads here what
it changes. A line is a value of a resource, what a module waits for, a parameter with its limits, or an output.
"""
