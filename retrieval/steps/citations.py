"""What an answer may keep: citations of chunks of this run, and quotations that stand in them."""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.answer import By, Chunk, Citation, Removed, Written

_CITED: Final = re.compile(r"\[(c[0-9]{1,9})\]")


def check(markdown: str, *, chunks: Sequence[Chunk], by: By) -> Written:
    """The answer with every citation that holds under its source's label."""
    known = {one.id: one for one in chunks}
    cited: list[Citation] = []
    removed: list[Removed] = []

    def label(found: re.Match[str]) -> str:
        chunk = known.get(found[1])
        if chunk is None:
            removed.append(Removed(kind="citation", text=found[0], reason="No such chunk."))
            return ""
        cited.append(Citation(chunk=chunk.id))
        return f"[{chunk.source}]"

    return Written(markdown=_CITED.sub(label, markdown), citations=tuple(cited), removed=tuple(removed), by=by)
