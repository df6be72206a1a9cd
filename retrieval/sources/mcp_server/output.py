"""Reads the documents in a tool's output. The knowledge source defines how the output is parsed.

The kinds of parsing are those of Azure AI Search's MCP server knowledge sources. Azure's rule for `auto` is not public,
so this module has its own rule. A list of objects is a list of documents. Any other JSON is one document. A long text
is split.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Final, TypeAlias

from pydantic_core import to_json

from retrieval.errors import BackendUnavailable
from retrieval.model.json_value import JsonValue
from retrieval.model.search import RANKED_PER_SUBQUERY, Hit, Page
from retrieval.model.tools import USUAL_TOKENS, ListedTool, OutputParsing
from retrieval.sources.mcp_server import json_path
from retrieval.sources.mcp_server.json_path import Match
from retrieval.sources.mcp_server.messages import Members, texts_of
from retrieval.text import strict_json
from retrieval.text.length import BYTES_PER_TOKEN, clip, tokens
from retrieval.text.sentences import sentences

TITLES: Final = ("title", "name", "heading", "subject", "filename", "path", "uri", "url", "id")
CONTENTS: Final = ("content", "text", "page_content", "body", "markdown", "snippet", "summary", "description")
WRAPPED: Final = "result"
"""The member in which servers wrap a value that is not an object."""

PAGE: Final = 2_000
OVERLAP: Final = 200
"""PAGE is the length in characters of a page of a long text, if the source states no length. OVERLAP is the most
characters that two consecutive pages share if the parsing is `auto`."""

DEEPEST: Final = 3
MOST_PAGES: Final = 1_000
MOST_AROUND: Final = 20
LONGEST_TITLE: Final = 300

Item: TypeAlias = str | Match

SPLIT: Final = OutputParsing(kind="split", page_length=PAGE, overlap=OVERLAP)


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its text, its title, and the members of the object that it was read from."""

    text: str
    title: str = ""
    source: Mapping[str, JsonValue] | None = None


def page(result: Members, tool: ListedTool, *, source: str, service: str) -> Page:
    """The documents of an output, within the token limit of the tool. At most RANKED_PER_SUBQUERY documents are
    returned. The documents beyond these limits are only counted.

    Raises BackendUnavailable if the source expects JSON, and the output is not JSON.
    """
    parsing = tool.parsing or OutputParsing()
    items, missed = _items(result, parsing, service)
    hits, room, title, read = list[Hit](), tool.max_tokens or USUAL_TOKENS, f"{source} {tool.name}", 0
    for item in items:
        document = Document(item) if isinstance(item, str) else _of_value(item.value)
        size = tokens(document.text)
        if hits and (size > room or len(hits) == RANKED_PER_SUBQUERY):
            break
        read += 1
        if document.text.strip():
            document = _with_context(document, item) if parsing.context else document
            most = room * BYTES_PER_TOKEN if size > room else None
            hits.append(_hit(document, tool.name, title=f"{title} {len(hits) + 1}", most=most))
            room -= size
    length = sum(len(hit.content or "") for hit in hits)
    return Page(hits=tuple(hits), size=length, beyond=len(items) - read, scored=False, missed=missed)


def _hit(document: Document, tool: str, *, title: str, most: int | None) -> Hit:
    """A document as a search hit. A document has no key, so the key is computed from its title and text."""
    text = document.text if most is None else document.text.encode()[:most].decode(errors="ignore")
    title = clip(document.title, LONGEST_TITLE) or title
    key = sha256(f"{title}\0{document.text}".encode()).hexdigest()[:32]
    members = document.source if document.source is not None and most is None else {"title": title, "content": text}
    return Hit(key=key, score=None, title=title, content=text, source=members, label=title, origin=tool)


def _items(result: Members, parsing: OutputParsing, service: str) -> tuple[Sequence[Item], str | None]:
    """The texts and JSON values from which documents are read. The second value is the path of the source if the output
    has content, but nothing at this path."""
    texts = texts_of(result)
    if parsing.kind == "auto":
        return list(_as_it_is(result, texts)), None
    if parsing.kind == "json":
        return _at_path(_json_of(result, texts), parsing, service)
    whole = "\n\n".join(texts) or _written(result.get("structuredContent"))
    return list(_split(whole, parsing)) if parsing.kind == "split" else [whole], None


def _as_it_is(result: Members, texts: Sequence[str]) -> Iterator[Item]:
    """The items of an output for the parsing `auto`. If a text is a JSON object or a list of objects, the texts are
    used. Otherwise, a list of objects in the structured content is used. If there is no such list, the texts are used.
    If there are no texts, the structured content is used."""
    structured = _unwrapped(result.get("structuredContent"))
    values = [_unwrapped(_parsed(text)) for text in texts]
    of_objects = any(isinstance(value, dict) or _objects(value) is not None for value in values)
    listed = None if of_objects else _objects(structured)
    if listed is not None or (not texts and structured is not None):
        found: Sequence[JsonValue] = listed or [structured]
        yield from map(Match, found)
        return
    for text, value in zip(texts, values, strict=True):
        if value is None:
            yield from _split(text, SPLIT) if len(text) > PAGE else (text,)
        elif (objects := _objects(value)) is not None:
            yield from map(Match, objects)
        else:
            yield Match(value)


def _at_path(values: Sequence[JsonValue], parsing: OutputParsing, service: str) -> tuple[Sequence[Match], str | None]:
    """The items at the JSON path of a source, in the first value that has any; the path if the first value has content,
    but no value has anything at the path. The path was checked when the source was defined. Raises BackendUnavailable
    if the output is not JSON."""
    if not values:
        raise BackendUnavailable(
            service, "gave an output that is no JSON, which its source reads as JSON.", of="output"
        )
    path = parsing.path or "$"
    steps = json_path.steps(path)
    items = next(filter(None, (json_path.matches(value, steps) for value in values)), ())
    return items, path if not items and json_path.misses(values[0], steps) else None


def _with_context(document: Document, item: Item) -> Document:
    """The document with the members of the objects around it."""
    if isinstance(item, str):
        return document
    source = document.source or {"content": document.text}
    return Document(document.text, document.title, {**source, "context": _plain(item.around)})


def _plain(objects: Iterable[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    members = ((name, item) for each in objects for name, item in each.items() if isinstance(item, str | int | float))
    return dict(islice(members, MOST_AROUND))


def _json_of(result: Members, texts: Sequence[str]) -> Sequence[JsonValue]:
    """The JSON values of an output, the likeliest first: the JSON in texts that the structured content only wraps, or
    the list that it only wraps, then the structured content. If there is no structured content, the JSON of the
    texts."""
    structured = result.get("structuredContent")
    if structured is None:
        return [value for value in (_in_texts(texts),) if value is not None]
    inner = _unwrapped(structured)
    values = (_in_texts(_wrapped_texts(structured)), inner if isinstance(inner, list) else None, structured)
    return [value for value in values if value is not None]


def _wrapped_texts(structured: JsonValue) -> Sequence[str]:
    """The texts in the object in which a server wrapped a text or a list of texts; empty for anything else."""
    inner = structured[WRAPPED] if isinstance(structured, dict) and list(structured) == [WRAPPED] else None
    texts = inner if isinstance(inner, list) else [inner]
    return [text for text in texts if isinstance(text, str)] if all(isinstance(text, str) for text in texts) else []


def _in_texts(texts: Sequence[str]) -> JsonValue:
    """The JSON value of the only text, or a list of the JSON values of several texts; None if no text is JSON."""
    values = [_parsed(text) for text in texts]
    return values[0] if len(values) == 1 else [value for value in values if value is not None] or None


def _objects(value: JsonValue) -> Sequence[Mapping[str, JsonValue]] | None:
    """The first list of objects in the top levels of a value; None if there is none. DEEPEST is the number of
    levels."""
    level: list[JsonValue] = [value]
    for _ in range(DEEPEST):
        for each in level:
            if isinstance(each, list) and each and all(isinstance(item, dict) for item in each):
                return each
        level = [item for each in level if isinstance(each, dict) for item in each.values()]
    return None


def _of_value(value: JsonValue) -> Document:
    if not isinstance(value, dict):
        return Document(value if isinstance(value, str) else _written(value))
    text = next((item for name in CONTENTS if isinstance(item := value.get(name), str) and item.strip()), None)
    title = next((item for name in TITLES if isinstance(item := value.get(name), str) and item.strip()), "")
    return Document(_written(value) if text is None else text, " ".join(title.split()), value)


def _unwrapped(value: JsonValue) -> JsonValue:
    """The value without the object in which a server wrapped it. Servers wrap values because structured content must be
    an object. None if the value is a text."""
    inner = value[WRAPPED] if isinstance(value, dict) and list(value) == [WRAPPED] else value
    return None if isinstance(inner, str) else inner


def _parsed(text: str) -> JsonValue:
    """The value of a text that is a JSON object or a JSON array; None for any other text."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        value: JsonValue = strict_json.read_body(text.encode())
    except ValueError:
        return None
    return value


def _written(value: JsonValue) -> str:
    return "" if value is None else to_json(value).decode()


def _split(text: str, parsing: OutputParsing) -> Iterator[str]:
    if parsing.mode == "sentences":
        pages: Iterator[str] = (text[span.start : span.end] for span in sentences(text))
    else:
        pages = _pages(text, parsing)
    return islice(pages, parsing.most_pages or MOST_PAGES)


def _pages(text: str, parsing: OutputParsing) -> Iterator[str]:
    """The pages of a text. Each page begins and ends between words, if possible."""
    length, overlap, at = parsing.page_length or PAGE, parsing.overlap or 0, 0
    while at < len(text):
        part = clip(text[at : at + length + 1], length)
        yield part.strip()
        end = at + len(part)
        blank = text.find(" ", max(end - min(overlap, length // 2), at), end)
        at = end if blank < 0 or end >= len(text) else blank + 1
