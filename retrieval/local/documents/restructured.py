"""reStructuredText by docutils, of the extra `documents`. No directive opens a file or an address."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

from retrieval.local.documents import numerals
from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.tables import Cell, merged
from retrieval.local.documents.texts import text_of

LONGEST: Final = 512 * 1024
"""Characters; docutils takes up to 20 µs for each."""

MOST_NAMED: Final = 20

SETTINGS: Final = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": "",
    "syntax_highlight": "none",
    "smart_quotes": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "_disable_config": True,
}
"""https://docutils.sourceforge.io/docs/howto/security.html"""

_ROLE: Final = re.compile(r":[\w.+:-]{1,60}:`~?([^`<]{0,300}?)(?:[ \t]*<[^<>`]{0,300}>)?`")
_DIRECTIVE: Final = re.compile(r"\.\.[ \t]+([\w:.+-]{1,60})::[ \t]*(.*)")
_FILES: Final = frozenset({"include", "raw", "csv-table", "literalinclude"})
_VERSIONS: Final = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_CONDITIONS: Final = frozenset({"only", "ifconfig"})
_OF_PROGRAMS: Final = frozenset(
    "toctree index highlight currentmodule py:currentmodule tabularcolumns default-domain".split()
)
_CODE: Final = frozenset("graphviz digraph mermaid uml plantuml prompt code-cell testcode testoutput".split())
DEEPEST: Final = 3
"""Directives of Sphinx within one another, whose texts are read again; what is deeper is as it is written."""

_NUMERALS: Final[Mapping[str, Callable[[int], str]]] = {
    "loweralpha": numerals.letters,
    "upperalpha": numerals.upper_letters,
    "lowerroman": numerals.roman,
    "upperroman": numerals.upper_roman,
}
_OPTION: Final = re.compile(r":[\w-]+:(?: .*)?$")
_ADMONITIONS: Final = frozenset("attention caution danger error hint important note tip warning".split())
_NOTES: Final = frozenset({"footnote", "citation"})
_CITATIONS: Final = frozenset({"footnote_reference", "citation_reference"})
_UNSEEN: Final = frozenset({"comment", "substitution_definition", "target", "pending", "meta", "docinfo", "image"})


def read_rst(path: Path) -> Iterator[Part]:
    """The title is the first heading. Raises Unreadable."""
    text = text_of(path)
    if len(text) > LONGEST:
        raise Unreadable(f"a text of this kind has at most {LONGEST:,} characters")
    tree = _parsed(text, 0)
    _put_notes_where_cited(tree)
    left_out: list[str] = []
    parts = list(_parts(tree, (), left_out))
    title = next((part.heading_path[0] for part in parts if part.heading_path), "")
    yield from (replace(part, title=title) for part in parts if part.blocks)
    yield from (Part(blocks=(), left_out=reason) for reason in dict.fromkeys(left_out[:MOST_NAMED]))


def _put_notes_where_cited(tree: Any) -> None:
    """A note stands after its first citation; one that nothing cites stays where it is."""
    from docutils.nodes import Text

    notes = {name: footnote for footnote in tree.findall(lambda one: one.tagname in _NOTES) for name in footnote["ids"]}
    cited = set[int]()
    for citation in list(tree.findall(lambda one: one.tagname in _CITATIONS)):
        footnote = notes.get(citation.get("refid"))
        if footnote is None:
            continue
        said = " ".join(_said(child) for child in footnote.children if child.tagname != "label")
        citation[:] = [Text(f"[{citation.astext()}{'' if id(footnote) in cited else f': {said}'}]")]
        cited.add(id(footnote))
    for footnote in {id(footnote): footnote for footnote in notes.values() if id(footnote) in cited}.values():
        footnote.parent.remove(footnote)


def _parts(section: Any, path: tuple[str, ...], left_out: list[str]) -> Iterator[Part]:
    """The section's own blocks, then its sections."""
    own, inner = list[str](), list[Any]()
    for child in section.children:
        if child.tagname == "title":
            path = (*path, _said(child))
        elif child.tagname == "section":
            inner.append(child)
        else:
            own.extend(_blocks(child, left_out))
    yield Part(blocks=own, heading_path=path)
    for child in inner:
        yield from _parts(child, path, left_out)


def _blocks(node: Any, left_out: list[str]) -> Iterator[str]:
    kind = node.tagname
    if kind == "system_message":
        yield from _unknown(node, left_out)
    elif kind in {"literal_block", "doctest_block", "math_block"}:
        yield f"```\n{node.astext()}\n```"
    elif kind == "table":
        yield from _table(node)
    elif kind in {"bullet_list", "enumerated_list"}:
        yield _list(node, left_out)
    elif kind in _ADMONITIONS:
        first, *more = _blocks_of(node, left_out) or [""]
        yield from (f"{kind.capitalize()}: {first}", *more)
    elif kind in {"definition_list", "field_list", "option_list"}:
        yield from (": ".join(_blocks_of(item, left_out)) for item in node.children)
    elif kind in _NOTES:
        yield " ".join(_blocks_of(node, left_out))
    elif kind not in _UNSEEN:
        yield from [said] if (said := _said(node)) and _is_text(node) else _blocks_of(node, left_out)


def _list(node: Any, left_out: list[str]) -> str:
    """A line an item, with what else an item has indented below it."""
    lines = list[str]()
    written = _NUMERALS.get(node.get("enumtype"), str)
    for number, item in enumerate(node.children, int(node.get("start", 1))):
        sign = f"{node.get('prefix', '')}{written(number)}{node.get('suffix', '.')}"
        said = "\n".join(_blocks_of(item, left_out))
        lines.append(f"{sign if node.tagname == 'enumerated_list' else '-'} {said}".replace("\n", "\n  "))
    return "\n".join(lines)


def _blocks_of(node: Any, left_out: list[str]) -> list[str]:
    if _is_text(node):
        return [_said(node)]
    return [block for child in node.children for block in _blocks(child, left_out)]


def _is_text(node: Any) -> bool:
    """Whether it has words of its own, as a paragraph or a term."""
    return any(child.tagname in {"#text", "problematic", "reference"} for child in node.children)


def _said(node: Any) -> str:
    """The words on one line; those of a role that only Sphinx knows by its label."""
    return _ROLE.sub(r"\1", " ".join(node.astext().split()))


def _table(node: Any) -> Iterator[str]:
    yield from (_said(child) for child in node.children if child.tagname == "title")
    yield from merged(
        [[_cell(cell) for cell in row.children] for row in node.findall(lambda one: one.tagname == "row")]
    )


def _cell(node: Any) -> Cell:
    columns, rows = (1 + int(node.get(name, 0)) for name in ("morecols", "morerows"))
    return Cell(text=_said(node), columns=columns, rows=rows, header=node.parent.parent.tagname == "thead")


def _unknown(message: Any, left_out: list[str]) -> Iterator[str]:
    """What a directive holds that docutils does not know, or that is not followed; the others' messages are no text."""
    for block in message.children:
        if block.tagname != "literal_block":
            continue
        head, _, body = block.astext().partition("\n")
        found = _DIRECTIVE.match(head.strip())
        if found is None:
            continue
        if found[1] in _FILES:
            left_out.append(f"the directive {found[1]}, which reads a file")
        elif found[1] not in _OF_PROGRAMS:
            lines = dedent(body).splitlines()
            while lines and _OPTION.match(lines[0].strip()):
                lines.pop(0)
            yield from _directive(found[1], found[2].strip(), "\n".join(lines).strip(), _depth(message), left_out)


def _directive(name: str, argument: str, body: str, depth: int, left_out: list[str]) -> Iterator[str]:
    """The argument, unless only a program reads it, and the body as a text of its own."""
    said = _ROLE.sub(r"\1", argument)
    if name in _VERSIONS:
        version, _, said = said.partition(" ")
        said = f"{_VERSIONS[name]} {version}{f': {said}' if said else ''}"
    yield from [said] if said and name not in _CONDITIONS else []
    if name in _CODE or depth >= DEEPEST:
        yield from [f"```\n{body}\n```" if name in _CODE else body] if body else []
        return
    tree = _parsed(body, depth + 1)
    yield from (block for child in tree.children for block in _blocks(child, left_out))


def _depth(node: Any) -> int:
    """How many directives there are around a text that only Sphinx knows."""
    while node.parent is not None:
        node = node.parent
    return int(node.get("depth", 0))


def _parsed(text: str, depth: int) -> Any:
    from docutils.core import publish_doctree

    tree = publish_doctree(text, settings_overrides=SETTINGS)
    tree["depth"] = depth
    return tree
