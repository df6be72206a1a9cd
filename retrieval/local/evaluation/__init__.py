"""`python -m retrieval.local eval`: how well retrieval and answers do on a collection, and the thresholds to use.

    collection ─▶ configurations ─▶ runs (through services) ─▶ metrics ─▶ comparison, calibration, gate ─▶ report

- `collections`: a folder in the form of BEIR. `questions`: a CSV or JSONL over a folder of files.
- `configurations`: what `--run` says. `services`: this code in process, or a deployment.
- `runs`: every question asked. `replies`: what is read of an answer.
- `metrics`: measures of a run, by ir_measures. `statistics`: intervals, by SciPy. `comparison`: two runs, question by
  question.
- `calibration`: the thresholds for a precision. `gate`, `limits`: minimums and a baseline.
- `results`: all of it as JSON. `trec`: rankings for other tools. `page`, `plots`: all as one HTML file.
- `evaluate`: all steps. `command`, `arguments`, `summary`: the command, its arguments, what it prints.

Only this package imports ir_measures and SciPy, the extra `eval`.
"""
