"""The command that brings the packages of an extra: in a checkout a target of make, elsewhere pip."""

from pathlib import Path
from typing import Final

from retrieval.version import SERVICE

_IS_CHECKOUT: Final = (Path(__file__).resolve().parents[2] / "Makefile").is_file()


def command(extra: str, *, make: str, checkout: bool = _IS_CHECKOUT) -> str:
    """`make` is the target; without a checkout nobody knows from where the project was installed: … stands for it."""
    return f"make {make}" if checkout else f'pip install "{SERVICE}[{extra}] @ …"'
