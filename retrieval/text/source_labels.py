"""The label and the text of a source, as citations and tools show them. Control characters and invisible characters are
removed. Bidirectional controls can change the order of the words. Invisible characters can hide words from a reader but
not from a model. Joiners and variation selectors stay, because some scripts and emoji need them. A flag emoji made of
tag characters becomes a black flag. References: Unicode Standard Annex 9 (https://www.unicode.org/reports/tr9/) and
Unicode Technical Report 36.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from retrieval.model.search import Hit

_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
_HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")

LONGEST_TITLE: Final = 200
LONGEST_IN_LIST: Final = 80
"""The most characters of a label in the list of sources below an answer."""

OMITTED: Final = "…"
BELOW: Final = " > "
"""The characters between two headings of a label."""

NEAR: Final = 40
"""The most characters by which the middle that a text loses grows to whole words. Longer words are cut."""

_FILE: Final = re.compile(r".*?\.\w{1,8}(?=, )")
LONGEST_WORD: Final = 80
"""The most characters by which a cut moves back to the end of a word. A text without spaces is cut at the limit."""

LONGEST_KEY: Final = 1_024
"""The most characters of a document key. This is the limit of Azure AI Search."""

_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and halves of surrogate pairs."""

_CITATION: Final = re.compile(r"(?<!\\)\[[^\[\]\n]{1,1300}+\](?!\()")
"""A citation: a number or a label in brackets. An escaped bracket begins none."""

_SOURCES: Final = re.compile(r"(?:^\*\*[^*\n]{1,40}\*\*\n\n)?^- \[[0-9]{1,4}\] [^\n]*+", re.MULTILINE)
"""A line of the list of sources below an answer. The first match also includes the heading of the list."""

_NO_BRACKETS: Final = str.maketrans("[]", "()")


def label(hit: Hit) -> str:
    """The label of a document: the label of the hit (`{file}, {heading}`), or `{title} - {key}`, or only the key. A
    label is one line without brackets, so that `[label]` is a citation. File and headings, or the title, have at most
    200 characters (`shortened`). Two documents of an index may have the same label, but never the same key.
    """
    return _short(hit.label or "") or _label(hit, _short(hit.title or ""))


def source_texts(hits: Iterable[Hit], *, longest: int) -> list[tuple[str, str, str]]:
    """The label, the heading and the text of each document, in the form that a model receives."""
    return [(*label_and_heading(hit), visible_passage(hit, longest=longest)) for hit in hits]


def label_and_heading(hit: Hit) -> tuple[str, str]:
    """The label of a document, and the heading that a model receives. The heading is the file with the path of
    headings, or the title with the terms. It is the key only if the document has no label, title or terms. Label, title
    and terms have at most 200 characters each (`shortened`).
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
    """A text without its citations (`[1]` or `[label]`) and without its list of sources. Markdown links stay."""
    return _CITATION.sub(" ", _SOURCES.sub(" ", text)) if "[" in text else text


def title_of(hit: Hit) -> str:
    """The visible title of a document. Only the first 800 characters are read, because the length of titles is not
    limited."""
    return visible((hit.title or "")[: 4 * LONGEST_TITLE])


def extent(hit: Hit) -> int:
    """The approximate number of characters of a document."""
    return sum(map(_size, hit.source.values() or (hit.title, hit.terms, hit.content)))


def _size(value: object) -> int:
    """The approximate number of characters of a value. Each element counts as eight more. A collection that begins with
    a number is one of numbers, such as a vector."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()), 8 * len(value))
    if isinstance(value, list):
        is_numbers = isinstance(value[0] if value else 0, int | float)
        return 8 * len(value) + (0 if is_numbers else sum(map(_size, value)))
    return 0


def passage(hit: Hit) -> str:
    """The text of a document. It is the first of content, terms and title that is not blank; empty if all are blank."""
    return next((text for text in (hit.content, hit.terms, hit.title) if text and not text.isspace()), "")


def visible_passage(hit: Hit, *, longest: int) -> str:
    """The visible text of a document, cut at a word to at most `longest` characters; empty if no character is
    visible."""
    text = passage(hit)
    if len(text) > longest:
        end = longest
        while end > longest - LONGEST_WORD and not text[end].isspace():
            end -= 1
        text = text[: end if text[end].isspace() else longest]
    seen = visible(text)
    return seen if seen.strip() else ""


def shortened(label: str, longest: int = LONGEST_TITLE) -> str:
    """The label. A longer one keeps its file or title and its last headings, and loses its middle: "…" stands there."""
    if len(label) <= longest:
        return label
    head, tail = label[: longest // 2], label[len(label) - (longest - 1) // 2 :]
    last, first = head.rfind(" ", max(len(head) - NEAR, 0)), tail.find(" ", 0, NEAR)
    return f"{head[: last + 1] if last > 0 else head}{OMITTED}{tail[max(first, 0) :]}"


def in_list(label: str) -> str:
    """The label in the list of sources: the file or title, which ends before the first comma, and the last heading. A
    file with an extension ends after the extension."""
    first, *below = label.split(BELOW)
    file = _FILE.match(first)
    end = file.end() if file is not None else first.find(", ")
    name, between, heading = (first, BELOW, "") if end < 0 else (first[:end], ", ", first[end + 2 :])
    heading = below[-1] if below else heading
    return shortened(f"{name}{between}{heading}" if heading else label, LONGEST_IN_LIST)


def _short(text: str) -> str:
    """The text on one line of at most 200 characters. Only its ends are read, since its length is not limited."""
    most = 4 * LONGEST_TITLE
    return shortened(_plain(text if len(text) <= 2 * most else f"{text[:most]}{OMITTED}{text[-most:]}"))


def _plain(text: str) -> str:
    return " ".join(visible(_CONTROLS.sub(" ", text)).translate(_NO_BRACKETS).split())


def visible(text: str) -> str:
    """The text without invisible characters and without control characters. Blanks and line ends stay. U+FFFD replaces
    each half of a surrogate pair."""
    return text if text.isascii() and text.isprintable() else whole(_UNSEEN.sub("", text))


def whole(text: str) -> str:
    """The text with U+FFFD instead of each half of a surrogate pair. UTF-8 cannot encode such a half."""
    return _HALF_CHARACTER.sub("\ufffd", text)
