"""The label and the text of a source in the form in which a reader sees them; all citations and tools show this form.

Characters that only order, hide or mark text are removed. Bidirectional controls show words in another order, and
invisible characters can hide words from a reader that a model reads. Joiners and variation selectors stay, since
scripts and emoji are spelled with them. A flag that is spelled with tags becomes a black flag. Reference:
https://www.unicode.org/reports/tr9/, tr36.
"""

import re
from collections.abc import Iterable
from typing import Final

from retrieval.model.search import Hit

_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
_HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")

LONGEST_TITLE: Final = 200
LONGEST_WORD: Final = 80
"""The most characters by which a cut moves back, to the end of a word. A text without spaces is cut at the limit."""

LONGEST_KEY: Final = 1_024
"""The most characters of a key, which is Azure's limit."""

_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and halves of surrogate pairs."""

_CITATION: Final = re.compile(r"\[[^\[\]\n]{1,1300}+\](?!\()")
"""A citation. It is not longer than labels are."""

_SOURCES: Final = re.compile(r"(?:^\*\*[^*\n]{1,40}\*\*\n\n)?^- \[[0-9]{1,4}\] [^\n]*+", re.MULTILINE)
"""A line of the list of sources below an answer; the first line includes the heading."""

_NO_BRACKETS: Final = str.maketrans("[]", "()")


def label(hit: Hit) -> str:
    """`{file}, {heading}` where the index has them, else `{title} - {key}`, or the key alone without a title.

    It is one line without brackets, so that `[label]` is a citation. File and heading, or the title, are cut to 200
    characters. Labels are for people: two documents may share a label, but not a key.
    """
    return _short(hit.label or "") or _label(hit, _short(hit.title or ""))


def source_texts(hits: Iterable[Hit], *, longest: int) -> list[tuple[str, str, str]]:
    """The label, the heading and the text of each document, as a model reads them."""
    return [(*label_and_heading(hit), visible_passage(hit, longest=longest)) for hit in hits]


def label_and_heading(hit: Hit) -> tuple[str, str]:
    """The label, and the heading as a model reads it: the file and the path of headings, or the title and keywords.

    Keys are for machines, so the heading has the key only where there is nothing else. Each part is cut to 200
    characters.
    """
    if name := _short(hit.label or ""):
        return name, name
    title, terms = _short(hit.title or ""), _short(hit.terms or "")
    name = _label(hit, title)
    return name, ", ".join(filter(None, (title, terms if terms != title else ""))) or name


def _label(hit: Hit, title: str) -> str:
    key = _plain(hit.key[:LONGEST_KEY])
    return f"{title} - {key}" if title else key


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


def visible_passage(hit: Hit, *, longest: int) -> str:
    """The document's own text, cut at a word, as its reader sees it; empty where all of it is invisible."""
    text = passage(hit)
    if len(text) > longest:
        end = longest
        while end > longest - LONGEST_WORD and not text[end].isspace():
            end -= 1
        text = text[: end if text[end].isspace() else longest]
    seen = visible(text)
    return seen if seen.strip() else ""


def _short(text: str) -> str:
    return _plain(text[: 4 * LONGEST_TITLE])[:LONGEST_TITLE].rstrip()


def _plain(text: str) -> str:
    return " ".join(visible(_CONTROLS.sub(" ", text)).translate(_NO_BRACKETS).split())


def visible(text: str) -> str:
    """The text without control characters other than blanks and line ends, and with U+FFFD for halves of surrogate
    pairs."""
    return text if text.isascii() and text.isprintable() else whole(_UNSEEN.sub("", text))


def whole(text: str) -> str:
    """The text with U+FFFD for halves of surrogate pairs, which UTF-8 cannot carry."""
    return _HALF_CHARACTER.sub("\ufffd", text)
