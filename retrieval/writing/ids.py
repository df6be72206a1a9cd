"""Ids of chunks in running text ("as c1 says"). Each id cites its chunk, and is replaced by the chunk's number or
label."""

import re
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Final

from retrieval.writing.blocks import MARK, Block
from retrieval.writing.grounds import Basis

_ID: Final = re.compile(
    r"(?<![^\s(（\[［【])c[0-9]{1,4}(?=(?:['’]s)?[,.;:!?…]{0,3}(?:[\s)）\]］】]|\Z)|[，。；：！？、])", re.IGNORECASE
)


def marked(block: Block, basis: Basis) -> Block:
    """The block with a mark for each id in running text. A word that looks like an id, such as the name "C4", is no id
    if the retrieved texts or the question have it. Code has no ids."""
    if block.kind == "code":
        return block
    known_ids: Set[str] = basis.sources.keys() - basis.like_ids if _ID.search(block.text) else frozenset()
    marked_ids: list[str] = []

    def mark(match: re.Match[str]) -> str:
        if match[0].lower() not in known_ids:
            return match[0]
        marked_ids.append(match[0].lower())
        return MARK

    parts = block.text.replace(MARK, " ").split("`")
    parts[::2] = [_ID.sub(mark, part) for part in parts[::2]]
    return replace(block, text="`".join(parts), chunks=(*block.chunks, *marked_ids), marks=tuple(marked_ids))


def restored(block: Block) -> str:
    """The text of a block with its ids."""
    names = iter(block.marks)
    return re.sub(MARK, lambda _: next(names, ""), block.text)


def without(text: str) -> str:
    """The text of a block without its marks."""
    return " ".join(text.replace(MARK, "").split())


def named(block: Block, names: Mapping[str, str]) -> tuple[str, ...]:
    """The texts that replace the marks of a block; "" for a chunk without such a text."""
    return tuple(names.get(id, "") for id in block.marks)
