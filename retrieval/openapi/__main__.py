"""`python -m retrieval.openapi` prints the OpenAPI document."""

import sys

from retrieval.compose import document

if __name__ == "__main__":
    sys.stdout.buffer.write(document())
