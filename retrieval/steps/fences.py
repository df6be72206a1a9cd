"""Fences: chunks as data of a prompt, which no text and no label can leave."""

from collections.abc import Mapping, Sequence
from html import escape

from retrieval.model.chunk import Chunk
from retrieval.text.links import without_targets
from retrieval.text.tokens import tokens as count


def fenced(chunks: Sequence[Chunk], *, nonce: str) -> str:
    """The chunks as data of a prompt. Nothing in a text or a label can open or close a fence, or name the nonce."""
    return "\n".join(_fence(one.text, {"id": one.id, "source": one.source}, nonce=nonce) for one in chunks)


def evidence(chunks: Sequence[Chunk], *, nonce: str, targets: bool) -> str:
    """The chunks as a judge and a writer read them: where each stands, its date, and links by label without `targets`.

    What is checked, cited and returned is the text as it is.
    """
    return "\n".join(
        _fence(
            one.text if targets else without_targets(one.text),
            {"id": one.id, "source": one.heading or one.source, **({"date": one.date} if one.date else {})},
            nonce=nonce,
        )
        for one in chunks
    )


def _fence(text: str, attributes: Mapping[str, str], *, nonce: str) -> str:
    said = "".join(f' {name}="{escape(_without(value, nonce))}"' for name, value in attributes.items())
    return f"<chunk-{nonce}{said}>{_escaped(_without(text, nonce))}</chunk-{nonce}>"


def size(chunk: Chunk) -> int:
    """The most tokens that a chunk has in a prompt, without its fence."""
    beside = max(count(escape(one)) for one in (chunk.source, chunk.heading))
    return count(_escaped(chunk.text)) + beside + count(chunk.date)


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _without(text: str, nonce: str) -> str:
    return text.replace(nonce, "\ufffd")
