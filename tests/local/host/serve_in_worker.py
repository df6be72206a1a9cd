"""A program: `python -m retrieval.local`, with the worker code that Azure runs instead of the engine of `make run`."""

import sys

from retrieval.local.__main__ import main
from tests.local.host.runtime_engine import open_runtime

if __name__ == "__main__":
    sys.exit(main(engine=open_runtime))
