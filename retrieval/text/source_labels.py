"""The label of a source and its text, as all citations and tools show them."""

import re
from typing import Final

from retrieval.model.search import Hit
from retrieval.text.visible import visible

LONGEST_TITLE: Final = 200
LONGEST_KEY: Final = 1_024
"""Azure's limit."""

_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, halves of surrogate pairs."""

_CITATION: Final = re.compile(r"\[[^\[\]\n]{1,1300}+\](?!\()")
"""No longer than labels are."""

_SOURCES: Final = re.compile(r"(?:^\*\*[^*\n]{1,40}\*\*\n\n)?^- \[[0-9]{1,4}\] [^\n]*+", re.MULTILINE)
"""A line of the list of sources below an answer, and the heading before the first."""

_NO_BRACKETS: Final = str.maketrans("[]", "()")


def label(hit: Hit) -> str:
    """`{file}, {heading}` where the index has them, else `{title} - {key}`, or the key alone without a title.

    It is one line without brackets, so that `[label]` is a citation. File and heading, or the title, are cut to 200
    characters. Labels are for people: two documents may share a label, but not a key.
    """
    if name := _short(hit.label or ""):
        return name
    key, title = _plain(hit.key[:LONGEST_KEY]), _short(hit.title or "")
    return f"{title} - {key}" if title else key


def heading(hit: Hit) -> str:
    """Where a text stands, as a model reads it: file and path of headings, or title and keywords, else the key.

    A key is for machines: where there is anything else it is left out. Each part is cut to 200 characters.
    """
    if hit.label and (name := _short(hit.label)):
        return name
    title, terms = _short(hit.title or ""), _short(hit.terms or "")
    return ", ".join(filter(None, (title, terms if terms != title else ""))) or label(hit)


def without(text: str) -> str:
    """A text without its citations, as `[1]` or `[label]`, and its list of sources; a link in Markdown stays."""
    return _CITATION.sub(" ", _SOURCES.sub(" ", text)) if "[" in text else text


def title_of(hit: Hit) -> str:
    """A document's title as its reader sees it, read up to 800 characters, since titles have no limit."""
    return visible((hit.title or "")[: 4 * LONGEST_TITLE])


def extent(hit: Hit) -> int:
    """About how many characters a document has, counting the elements of its collections."""
    size = 0
    for value in hit.source.values() or (hit.title, hit.terms, hit.content):
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, list):
            size += 8 * len(value)
    return size


def passage(hit: Hit) -> str:
    """A document's text: its content; without content, its terms; without terms, its title; empty if all are blank."""
    return next((text for text in (hit.content, hit.terms, hit.title) if text and not text.isspace()), "")


def _short(text: str) -> str:
    return _plain(text[: 4 * LONGEST_TITLE])[:LONGEST_TITLE].rstrip()


def _plain(text: str) -> str:
    return " ".join(visible(_CONTROLS.sub(" ", text)).translate(_NO_BRACKETS).split())
