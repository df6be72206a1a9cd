"""The sentences of findings, from `sentences.toml`.

The file has the rows of each name. The first row that fits tells the finding. The names in braces are words that the
check passes; a member of a word is written as `{service.title}`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from retrieval.model.finding import About, Finding, Lacking, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row. It fits if the pattern `when` matches the whole outcome, such as a status; if each pattern of `text` is
    somewhere in the message, in any case; and if no word that it `needs` is empty. `needs_role` says that a role may be
    missing."""

    said: str
    do: str = ""
    state: State = "fault"
    when: str = "(?s:.*)"
    text: Sequence[str] = ()
    needs: Sequence[str] = ()
    needs_role: bool = False

    def fits(self, when: str, text: str, words: Mapping[str, object]) -> bool:
        """Whether the row fits an outcome, its message and the words."""
        return (
            re.fullmatch(self.when, when) is not None
            and all(re.search(pattern, text, re.IGNORECASE) for pattern in self.text)
            and all(words[name] for name in self.needs)
        )


_CONTENT: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ROWS: Final[Mapping[str, Sequence[Row]]] = {
    name: [Row(**row) for row in (entry if isinstance(entry, list) else [entry])] for name, entry in _CONTENT.items()
}
"""The rows of each name. A name with one row has a table instead of a list. They are read at the import, which is not
on the event loop."""


def finding_of(
    about: About,
    name: str,
    /,
    *,
    when: object = "",
    text: str = "",
    lacking: Lacking | None = None,
    **words: object,
) -> Finding:
    """The finding of the first row of a name that fits."""
    row = next(row for row in ROWS[name] if row.fits(str(when), text, words))
    return Finding(
        subject=about.subject,
        name=about.name,
        state=row.state,
        said=row.said.format_map(words),
        do=row.do.format_map(words),
        lacking=lacking if row.needs_role else None,
    )
