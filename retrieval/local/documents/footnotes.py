"""Notes of a page where they are cited, so that a chunk has both: those of HTML, and of DOCX as mammoth gives them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from justhtml import Element, JustHTML, Node, Text

    AnyNode: TypeAlias = Node | Text

_MARK: Final = re.compile(r"\W{0,2}(?:note )?(?:\d{1,4}|[a-z]{1,4}|[*†‡§¶]{1,4})\W{0,2}", re.IGNORECASE)
_OF_NOTES: Final = re.compile(r"fn|ftn|note|cite", re.IGNORECASE)
_HEADING: Final = re.compile(r"h[1-6]")
_HOLDERS: Final = frozenset({"li", "p", "div", "dd", "aside", "td", "tr", "section", "span"})
_BACK: Final = re.compile(r"[\s^↑↩⇑⏎\ufe0e\ufe0f↵⤴a-z\d.\[\]]{0,4}")
LONGEST_AGAIN: Final = 300
"""Characters of a note that stands at each of its citations; a longer one stands at the first."""


def put_where_cited(page: "JustHTML") -> None:
    """Each note that the page cites stands after its citation, and no more at the end; of a heading, below it."""
    from justhtml import Element

    holders = _holders(page)
    texts: dict[str, str] = {}
    cited: set[int] = set()
    below: defaultdict[int, list[str]] = defaultdict(list)
    for link in (node for node in page.query("a") if isinstance(node, Element)):
        identifier = ((link.attrs or {}).get("href") or "").removeprefix("#")
        mark = link.to_text().strip()
        holder = holders.get(identifier)
        if holder is None or not _MARK.fullmatch(mark) or not _is_of_notes(link, identifier) or _within(link, holder):
            continue
        again = identifier in texts
        text = texts.setdefault(identifier, _text(holder))
        if not text:
            continue
        cited.add(id(holder))
        heading = _heading(link)
        text = "" if again and len(text) > LONGEST_AGAIN else text
        mark = mark.strip("[]() ")
        if heading is not None and text:
            below[id(heading)].append(f"[{mark}: {text}]")
        _cite(link, mark, "" if heading is not None else text)
    if cited:
        _move(page, cited, below)


def _holders(page: "JustHTML") -> "dict[str, Element]":
    """The elements that a link leads to, by their ids."""
    from justhtml import Element

    found: dict[str, Element] = {}
    for node in page.query("[id]"):
        if isinstance(node, Element) and node.name in _HOLDERS:
            found.setdefault((node.attrs or {}).get("id") or "", node)
    return found


def _is_of_notes(link: "Element", identifier: str) -> bool:
    attributes = link.attrs or {}
    about = (identifier, attributes.get("class") or "", attributes.get("role") or "", attributes.get("epub:type") or "")
    return any(map(_OF_NOTES.search, about)) or "data-footnote-ref" in attributes


def _within(link: "Element", holder: "Element") -> bool:
    """Whether the link is in the note to which it leads."""
    node: AnyNode | None = link
    while node is not None and node is not holder:
        node = node.parent
    return node is holder


def _text(holder: "Element") -> str:
    """The text of a note, without the links back to its citations."""
    texts: list[str] = []
    nodes: list[AnyNode] = [holder]
    while nodes:
        node = nodes.pop()
        if not node.children and isinstance(node.data, str):
            texts.append(node.data)
        back = node.name == "a" and (getattr(node, "attrs", None) or {}).get("href", "").startswith("#")
        if not (back and _BACK.fullmatch(node.to_text().strip())):
            texts.append(" " if node.name in _HOLDERS else "")
            nodes.extend(reversed(node.children or ()))
    return " ".join("".join(texts).split())


def _cite(link: "Element", mark: str, text: str) -> None:
    from justhtml import Element, Text

    said = f" [{mark}: {text}]" if text else f" [{mark}]"
    link.name, link.attrs = "span", {}
    link.children.clear()
    parent = link.parent
    if isinstance(parent, Element) and parent.name == "sup":
        parent.name = "span"
    link.append_child(Text(said))


def _heading(link: "Element") -> "AnyNode | None":
    node: AnyNode | None = link
    while node is not None and not _HEADING.fullmatch(node.name or ""):
        node = node.parent
    return node


def _move(page: "JustHTML", cited: set[int], below: dict[int, list[str]]) -> None:
    """Removes the notes from where they were, and puts those of headings below them."""
    nodes: list[AnyNode] = [page.root]
    while nodes:
        node = nodes.pop()
        if node.children:
            node.children[:] = list(_moved(node.children, cited, below))
            nodes.extend(node.children)


def _moved(children: "list[AnyNode]", cited: set[int], below: dict[int, list[str]]) -> "Iterator[AnyNode]":
    from justhtml import Element, Text

    for child in children:
        if id(child) not in cited:
            yield child
        for text in below.get(id(child), ()):
            paragraph = Element("p", {}, "html")
            paragraph.append_child(Text(text))
            yield paragraph
