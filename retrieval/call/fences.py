"""Puts chunks between fences (tags with a nonce) in a prompt."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import starmap
from typing import Final

from retrieval.model.answer import Chunk
from retrieval.text.clipped import clip
from retrieval.text.links import without_targets
from retrieval.text.tokens import each

LONGEST_VALUES: Final = 300


def described(chunks: Sequence[Chunk], *, nonce: str, targets: bool = True) -> str:
    """The chunks between fences, each with its heading or else its source, its date, and the values of its facets. No
    text or label can open or close a fence, or contain the nonce. Without `targets` a link in a text is reduced to its
    label; citations are checked against the unchanged texts."""
    return "\n".join(
        _fence(
            chunk.text if targets else without_targets(chunk.text),
            {"id": chunk.id, "source": chunk.heading or chunk.source}
            | ({"date": chunk.date} if chunk.date else {})
            | ({"values": values} if (values := _values(chunk)) else {}),
            nonce=nonce,
        )
        for chunk in chunks
    )


def _values(chunk: Chunk) -> str:
    """The facet values of a document that are not part of its heading."""
    pairs = chunk.reference.hit.facets
    return clip("; ".join(f"{name}: {value}" for name, value in pairs if value not in chunk.heading), LONGEST_VALUES)


def _fence(text: str, attributes: Mapping[str, str], *, nonce: str) -> str:
    attributes_text = "".join(f' {name}="{escape(_without(value, nonce))}"' for name, value in attributes.items())
    return f"<chunk-{nonce}{attributes_text}>{_escape(_without(text, nonce))}</chunk-{nonce}>"


def sizes(chunks: Sequence[Chunk]) -> list[int]:
    """An estimate of the tokens of each chunk: its text, heading or source, and date."""
    shown = [(_escape(chunk.text), escape(chunk.source), escape(chunk.heading), chunk.date) for chunk in chunks]
    return [text + max(source, heading) + date for text, source, heading, date in starmap(each, shown)]


def _escape(text: str) -> str:
    return escape(text, quote=False)


def _without(text: str, nonce: str) -> str:
    return text.replace(nonce, "\ufffd")
