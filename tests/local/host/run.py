"""A program: the command line of the local services with an app's start that the test chooses by START_PROBLEMS."""

import os
import sys

from retrieval.local.__main__ import main


def start() -> tuple[str, ...]:
    return tuple(filter(None, os.environ.get("START_PROBLEMS", "").split(";")))


if __name__ == "__main__":
    sys.exit(main(start=start))
