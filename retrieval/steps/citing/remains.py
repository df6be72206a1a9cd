"""What remains of an answer when blocks of it are gone: no table without rows, no heading above nothing.

A block and what is left of it are a pair; nothing is left of a block without text.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from retrieval.steps.citing.markdown import Block

Pair: TypeAlias = tuple[Block, Block]

GAP: Final = "…"
"""In the place of an item that others are below of."""

_STATES: Final = frozenset({"text", "item", "row", "code"})
"""The kinds of block that say something by themselves."""


def remaining(pairs: Sequence[Pair]) -> tuple[Block, ...]:
    """What is left of each block now; nothing of any where all that is left is headings and rules."""
    kept = _with_gaps(_without_empty_sections(_without_empty_tables(pairs)))
    states = any(one.kind in _STATES and one.text not in ("", GAP) for one in kept)
    return tuple(one if states else replace(one, text="") for one in kept)


def _is_gone(pair: Pair) -> bool:
    return bool(pair[0].text) and not pair[1].text


def _without_empty_tables(pairs: Sequence[Pair]) -> list[Pair]:
    """A table goes whole when its header is gone, or all its rows are."""
    kept: list[Pair] = []
    at = 0
    while at < len(pairs):
        end = at + 1
        if pairs[at][0].kind == "header":
            while end < len(pairs) and pairs[end][0].kind in ("delimiter", "row"):
                end += 1
        table = pairs[at:end]
        rows = [pair for pair in table if pair[0].kind == "row"]
        goes = end - at > 1 and (_is_gone(table[0]) or (bool(rows) and all(_is_gone(row) for row in rows)))
        kept += [(before, replace(after, text="")) for before, after in table] if goes else table
        at = end
    return kept


def _without_empty_sections(pairs: Sequence[Pair]) -> list[Pair]:
    """From the end: a heading goes when nothing is left below it, or was there."""
    kept: list[Pair] = []
    filled = [False] * 7
    for before, after in reversed(pairs):
        if before.kind != "heading":
            filled = [one or (after.kind in _STATES and bool(after.text)) for one in filled]
            kept.append((before, after))
            continue
        level = min(before.marks.count("#"), 6)
        kept.append((before, after if filled[level] else replace(after, text="")))
        filled = [one and deep < level for deep, one in enumerate(filled)]
    return kept[::-1]


def _with_gaps(pairs: Sequence[Pair]) -> list[Block]:
    """An item that is gone leaves a gap where there is something left below it, or that would be code."""
    blocks: list[Block] = []
    below = 0
    for pair in reversed(pairs):
        before, after = pair
        if before.kind == "item" and _is_gone(pair) and below > _inset(before):
            after = replace(after, text=GAP)
        blocks.append(after)
        if after.text:
            below = _inset(after)
    return blocks[::-1]


def _inset(block: Block) -> int:
    line = f"{block.marks}{block.text}"
    return len(line) - len(line.lstrip(" "))
