"""Records calls of every contract, to compare what a change of the code makes of them, byte for byte.

    python -m tests.recorder FOLDER              # before the change
    python -m tests.recorder FOLDER --compare    # after the change

`calls` has the table of the calls, `recording` makes them. A file of the folder has one call: the answer or its events,
what was asked of the services behind, prompts among it, and the log. Time is that of a clock that jumps, and what is
random has a placeholder.
"""
