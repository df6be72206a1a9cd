"""The blocks of the pages about deploying can be pasted: no question eats a line, no complaint is a value."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from tests.infra.deploying import PAGE, blocks

ASKING: Final = ("az login", "azd up", "azd down")
NOTHING_BUT_ASSIGNED: Final = re.compile(r'^\w+="\$\(azd env get-value \w+\)"$')


def problems_of_pasting(page: str) -> Iterator[str]:
    for block in blocks(page, "bash"):
        lines = [line.strip() for line in block.splitlines()]
        for place, line in enumerate(lines):
            if _asks(lines, place) and place + 1 < len(lines):
                yield f"{line}: it asks, and is not the last of its block"
            if line.startswith("azd env new") and not line.endswith(" --no-prompt"):
                yield f"{line}: it asks where there is another environment"
            if "azd env get-value" in line and not NOTHING_BUT_ASSIGNED.match(line):
                yield f"{line}: azd's complaint would be taken for the value"


def _asks(lines: Sequence[str], place: int) -> bool:
    """An environment is asked for its subscription when it is deployed to for the first time, in a preview too."""
    before = [line for line in lines[:place] if line.startswith(("azd env new", "azd provision"))]
    first = lines[place].startswith("azd provision") and bool(before) and before[-1].startswith("azd env new")
    return first or lines[place].startswith(ASKING)


def test_the_page_can_be_pasted() -> None:
    assert list(problems_of_pasting(PAGE)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-dev --location swedencentral --no-prompt", "-dev --location swedencentral"),
        ("-north --location swedencentral --no-prompt", "-north --location swedencentral"),
        ('RETRIEVAL_KEY="$(azd', 'export RETRIEVAL_KEY="$(azd'),
        ('"api-key: $admin"', '"api-key: $(azd env get-value ADMIN_API_KEYS)"'),
        ("azd auth login\naz login", "az login\nazd auth login"),
        ("azd up\n```\n\n```bash\n", "azd up\n"),
        ("azd provision --preview\n```\n", "azd provision --preview\nazd up\n```\n"),
    ],
)
def test_what_cannot_be_pasted_is_found(old: str, new: str) -> None:
    assert old in PAGE
    assert list(problems_of_pasting(PAGE.replace(old, new)))
