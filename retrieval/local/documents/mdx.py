"""MDX as Markdown: without modules, comments and the tags of components, whose labels and texts stay."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

MOST_OF_A_MODULE: Final = 200
"""Lines; the end of a longer one is an empty line."""

MOST_FAILURES: Final = 20
_STRING: Final = re.compile(r"\"[^\"\n]{0,2000}+\"|'[^'\n]{0,2000}+'|`[^`\n]{0,2000}+`")
_BRACED: Final = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,2000}+\}){0,2000}+\}){0,2000}+\}"  # three levels, as of style={{…}}
_VALUE: Final = rf"\"[^\"]{{0,2000}}+\"|'[^']{{0,2000}}+'|{_BRACED}"
_TAG: Final = re.compile(
    rf"<(/?)([A-Za-z][\w.:-]{{0,100}}+)((?:\s++(?:[\w:-]{{1,100}}+(?:\s*+=\s*+(?:{_VALUE}))?+|{_BRACED}))*+)\s*+(/?)>"
    r"|</?>"
)
_LABEL: Final = re.compile(r"\s(?:label|title|heading|caption|summary|text)\s*=\s*\{?[\"']([^\"']{1,200})[\"']")
_SEEN: Final = re.compile(
    r"\s(?:hidden\b(?:=[\"'][^\"']{0,100}[\"'])?|(?:col|row)[sS]pan=\S{1,20}|style=\{\{[^{}]{0,500}\}\})"
)
_LITERAL: Final = re.compile(r"\{\s*(?:\"([^\"{}]{0,500})\"|'([^'{}]{0,500})')\s*\}")
_CODE: Final = re.compile(r"(`{1,3}(?!`)[^`\n]{1,2000}+`{1,3})")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MODULE: Final = re.compile(r"(?:import|export)\b")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")


def plain(text: str) -> str:
    """The Markdown that is left. Code is as it was."""
    parts = groupby(_lines(text), key=lambda line: line[1])
    written = (
        _shown("\n".join(line for line, _ in of)) if not code else "\n".join(line for line, _ in of)
        for code, of in parts
    )
    return "\n".join(written)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines that are of no module, and whether each is in a block of code.

    MDX has no code by indentation; what is indented below no list begins its line.
    """
    fence, indent, in_list, is_first = "", 0, False, True
    lines = _without_modules(text.split("\n"))
    for line in lines:
        if fence:
            yield line[min(indent, len(line) - len(line.lstrip())) :], True
            fence = "" if _closes(line.strip(), fence) else fence
            continue
        opened = _FENCE.match(line)
        in_list = bool(_ITEM.match(line)) or (in_list and (is_first or line[:2].isspace()))
        is_first = not line.strip()
        indent = 0 if in_list else len(line) - len(line.lstrip())
        fence = opened[1] if opened else ""
        yield line[indent:], bool(opened)


def _closes(line: str, fence: str) -> bool:
    return len(line) >= len(fence) and line == fence[0] * len(line)


def _without_modules(lines: list[str]) -> Iterator[str]:
    """The lines but those that import and export, each of which begins a paragraph."""
    at, fence, before, failures = 0, "", "", 0
    while at < len(lines):
        line = lines[at]
        opened = _FENCE.match(line)
        if not fence and not before.strip() and _MODULE.match(line):
            end = _end(lines, at, MOST_OF_A_MODULE if failures < MOST_FAILURES else 0)
            failures += end is None
            at = end or next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
            before = ""
            continue
        if opened:
            fence = fence if fence and not _closes(line.strip(), fence) else "" if fence else opened[1]
        yield line
        before, at = line, at + 1


def _end(lines: list[str], start: int, most: int) -> int | None:
    """Where the module ends, at an empty line outside of braces; None where that is far away."""
    depth = 0
    for at in range(start, min(start + most, len(lines))):
        line = _STRING.sub("", lines[at])
        depth += sum(map(line.count, "{([")) - sum(map(line.count, "})]"))
        if depth <= 0 and not line.strip():
            return at
    return len(lines) if depth <= 0 and start + most >= len(lines) else None


def _shown(text: str) -> str:
    pieces = _CODE.split(_without_comments(text))
    return "".join(
        piece if number % 2 else _LITERAL.sub(r"\1\2", _TAG.sub(_tag, piece)) for number, piece in enumerate(pieces)
    )


def _without_comments(text: str) -> str:
    first, *others = text.split("{/*")
    return first + "".join(other.partition("*/}")[2] for other in others)


def _tag(tag: re.Match[str]) -> str:
    """What is left of a tag: of a component its label, of an element what Markdown's own way needs of it."""
    closes, name, attributes, alone = tag.groups(default="")
    if not name[:1].isupper() and "." not in name:
        kept = "".join(_SEEN.findall(attributes)).replace("{{", '"').replace("}}", '"')
        return f"<{closes}{name}{kept}{alone}>" if name else ""
    label = "" if closes else next(iter(_LABEL.findall(attributes)), "")
    text, start, end = tag.string, tag.start(), tag.end()
    goes_on = text[end : end + 1] not in ("", "\n", "<")
    if alone and (goes_on or text[start - 1 : start] not in ("", "\n")):
        return label
    return f"{label}: " if label and goes_on else f"\n\n{label}\n\n" if label else ""
