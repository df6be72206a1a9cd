"""Notebooks of Jupyter: their notes by headings, their code, and the text that the code printed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.records import MOST_OBJECTS
from retrieval.local.documents.sections import titled
from retrieval.local.documents.titles import given
from retrieval.model.json_value import JsonValue
from retrieval.text.source_labels import whole

LONGEST_OUTPUT: Final = 2_000
"""Characters of a cell's output."""

LONGEST_HTML: Final = 20_000
_OBJECT: Final = re.compile(r"\s*(?:<[^<>]{1,200}>)?\s*")
_STYLE: Final = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]")
_OVERWRITTEN: Final = re.compile(r"^[^\n]*\r(?!\n|\Z)", re.MULTILINE)
_BREAKS: Final = "\r\n"
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_FENCE: Final = re.compile(r"^`{3,}", re.MULTILINE)

Json = Mapping[str, JsonValue]


def read_notebook(path: Path) -> Iterator[Part]:
    """The parts of its Markdown. Pictures and longer outputs are left out. Raises Unreadable."""
    notebook = _notebook(path.read_bytes())
    blocks, left_out, left = list[str](), set[str](), LONGEST_TEXT
    for cell in _cells(notebook):
        for block in _blocks(cell, left_out):
            left -= len(block)
            if left < 0:
                raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
            blocks.append(block)
    metadata = notebook.get("metadata")
    yield from titled("\n\n".join(blocks), given(_text(metadata.get("title")) if isinstance(metadata, dict) else ""))
    yield from (Part(blocks=(), left_out=reason) for reason in sorted(left_out))


def _notebook(content: bytes) -> Json:
    """Raises Unreadable."""
    unquoted = _STRING.sub(b"", content)
    if unquoted.count(b"{") + unquoted.count(b"[") > MOST_OBJECTS:
        raise Unreadable(f"it has more than {MOST_OBJECTS:,} objects and arrays")
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no notebook: {str(error)[:200]}") from None
    if not isinstance(value, dict):
        raise Unreadable("it is no notebook: not a JSON object")
    return value


def _cells(notebook: Json) -> Iterator[Json]:
    """The cells; format 3 has them in worksheets."""
    holders = [notebook, *_objects(notebook.get("worksheets"))]
    for holder in holders:
        yield from _objects(holder.get("cells"))


def _blocks(cell: Json, left_out: set[str]) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        yield _fenced(source)
        said = "".join(text for output in _objects(cell.get("outputs")) for text in _output(output, left_out))
        if len(said) > LONGEST_OUTPUT:
            left_out.add(f"of an output what is beyond {LONGEST_OUTPUT:,} characters")
        yield _fenced(said[:LONGEST_OUTPUT])
    elif kind == "heading":
        level = cell.get("level")
        yield f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {source}"
    else:
        yield source


def _output(output: Json, left_out: set[str]) -> Iterator[str]:
    data = output.get("data")
    kinds = data if isinstance(data, dict) else output
    if any(name.startswith("image/") or name in {"png", "jpeg", "svg"} for name in kinds):
        left_out.add("pictures of outputs")
    error = ": ".join(filter(None, (_text(output.get("ename")), _text(output.get("evalue")))))
    for text in (_text(output.get("text")), _shown(kinds), error):
        if text.strip():
            yield f"{_OVERWRITTEN.sub('', _STYLE.sub('', text)).strip(_BREAKS)}\n"


def _shown(kinds: Json) -> str:
    """What a browser shows of an object: its text, unless that only names the object."""
    plain, html, markdown = (_text(kinds.get(f"text/{kind}")) for kind in ("plain", "html", "markdown"))
    if html.strip() and _OBJECT.fullmatch(plain):
        try:
            return "\n".join(block for part in from_html(html[:LONGEST_HTML]) for block in part.blocks)
        except Unreadable:
            return plain
    return markdown or plain


def _fenced(code: str) -> str:
    """A block of code whose fence is longer than any in it; empty for no code."""
    if not code.strip():
        return ""
    fence = "`" * (1 + max([2, *(len(found[0]) for found in _FENCE.finditer(code))]))
    return f"{fence}\n{code.rstrip()}\n{fence}"


def _objects(value: JsonValue | None) -> Sequence[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: JsonValue | None) -> str:
    """A text, or the lines of one; half a surrogate pair becomes U+FFFD."""
    lines = value if isinstance(value, list) else [value]
    return whole("".join(line for line in lines if isinstance(line, str)))
