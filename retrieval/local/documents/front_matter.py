"""What stands before the text of Markdown, in YAML or TOML: members of the first level, texts and lists of texts."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from retrieval.local.documents.fields import LONGEST
from retrieval.text.source_labels import whole

Members: TypeAlias = Mapping[str, str | list[str]]

MOST_MEMBERS: Final = 50
_YAML: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TOML: Final = re.compile(r"\A\ufeff?\+\+\+[ \t]*\r?\n(.{0,20000}?)\r?\n\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_MEMBER: Final = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.*)$")
_NAME: Final = re.compile(r"name[ \t]*:[ \t]+(.*)$")
_SEVERAL_LINES: Final = re.compile(r"[>|][+-]?\d?[+-]?")


def divided(text: str) -> tuple[Members, str]:
    """The members by their names in lower case, and the text behind them. Lines between two rules are text."""
    if found := _YAML.match(text):
        members = dict(_of_yaml(found[1].splitlines()))
        return members, text[found.end() :] if members or not found[1].strip() else text
    if found := _TOML.match(text):
        try:
            return dict(_of_toml(found[1])), text[found.end() :]
        except ValueError:
            return {}, text[found.end() :]
    return {}, text


def items(value: str | Sequence[str]) -> list[str]:
    """The items of a list, be it written as one or in a line."""
    written = value.strip("[]").split(",") if isinstance(value, str) else value
    return [item for text in written if (item := plain(text)[:200])][:MOST_MEMBERS]


def plain(text: str) -> str:
    return whole(text.strip().strip("\"'").strip())[:LONGEST]


def _of_yaml(lines: Sequence[str]) -> Iterator[tuple[str, str | list[str]]]:
    """A person is its name; a text goes on in the lines that are indented."""
    name, value, listed, is_text = "", "", list[str](), False
    for line in [*lines, "end:"]:
        item, found = _ITEM.match(line), _MEMBER.match(line)
        if item and name and not is_text:
            listed.append(plain(_NAME.sub(r"\1", item[1])))
        elif found:
            if name and (listed or plain(value)):
                yield name, listed[:MOST_MEMBERS] or plain(value)
            name, value, listed = found[1].lower(), (found[2] or "").strip(), []
            is_text = bool(value)
            value = "" if _SEVERAL_LINES.fullmatch(value) else value
        elif is_text and line[:1].isspace():
            value = f"{value} {line.strip()}"[: 2 * LONGEST]
        elif not value and not listed and (person := _NAME.match(line.strip())):
            value = person[1]


def _of_toml(head: str) -> Iterator[tuple[str, str | list[str]]]:
    """As those of YAML. Raises ValueError."""
    for name, value in tomllib.loads(head.replace("\r\n", "\n")).items():
        if isinstance(value, list):
            yield name.lower(), [plain(str(item)) for item in value if not isinstance(item, dict)][:MOST_MEMBERS]
        elif isinstance(value, bool):
            yield name.lower(), str(value).lower()
        elif not isinstance(value, dict):
            yield name.lower(), plain(str(value))
