"""`python -m tools.openapi` writes the OpenAPI document: for readers into docs/, and as it is served."""

from pathlib import Path

from retrieval.http.monitoring import DOCUMENT
from tools.openapi import document, without_white_space

if __name__ == "__main__":
    (Path(__file__).resolve().parents[2] / "docs" / "openapi.json").write_bytes(document())
    DOCUMENT.write_bytes(without_white_space())
