"""Ids of chunks in running text ("as c1 says"): each cites its chunk, and its number or label stands in its place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from retrieval.citations.blocks import MARK, Block
from retrieval.citations.grounds import Basis

_ID: Final = re.compile(
    r"(?<![^\s(（\[［【])c[0-9]{1,4}(?=(?:['’]s)?[,.;:!?…]{0,3}(?:[\s)）\]］】]|\Z)|[，。；：！？、])", re.IGNORECASE
)
_WORD: Final = re.compile(r"(?<![^\W_])c[0-9]{1,4}(?![^\W_])", re.IGNORECASE)


def marked(blocks: Sequence[Block], basis: Basis) -> list[Block]:
    """The blocks, whose ids in running text are marks. A word that was retrieved or asked is none, nor is code."""
    said = frozenset[str]()
    if any(_ID.search(block.text) for block in blocks):
        said = frozenset(word.lower() for one in basis.texts for word in _WORD.findall(one.text))
    return [_marked(block, basis.sources.keys() - said) for block in blocks]


def restored(block: Block) -> str:
    """The text of a block with its ids."""
    names = iter(block.marks)
    return re.sub(MARK, lambda _: next(names, ""), block.text)


def without(text: str) -> str:
    """The text of a block without its marks."""
    return " ".join(text.replace(MARK, "").split())


def named(block: Block, names: Mapping[str, str]) -> tuple[str, ...]:
    """What stands in the places of its marks; "" for a chunk that it does not cite."""
    return tuple(names.get(id, "") for id in block.marks)


def _marked(block: Block, ids: frozenset[str] | set[str]) -> Block:
    if block.kind == "code":
        return block
    found: list[str] = []

    def mark(match: re.Match[str]) -> str:
        if match[0].lower() not in ids:
            return match[0]
        found.append(match[0].lower())
        return MARK

    parts = block.text.replace(MARK, " ").split("`")
    parts[::2] = [_ID.sub(mark, part) for part in parts[::2]]
    return replace(block, text="`".join(parts), chunks=(*block.chunks, *found), marks=tuple(found))
