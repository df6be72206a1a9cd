"""What the deployed app installs, out of pyproject.toml: `python -m tests.requirements` prints requirements.txt."""

import tomllib
from typing import Final

from tests.environments import ROOT

HEADER: Final = (
    "# What the deployed app installs. Written from the dependencies and the extra `azure` in pyproject.toml by "
    "`make written`."
)


def text() -> str:
    """The file: the project's dependencies as they stand, and what the platform itself uses in Azure."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return "\n".join([HEADER, *project["dependencies"], *project["optional-dependencies"]["azure"], ""])


if __name__ == "__main__":
    print(text(), end="")
