"""The known languages, each read from its TOML file in this folder.

A key of a file is a field of `Language`, and those of its tables are fields of `SmallTalk` and `Frames`. A text has
words divided by blanks. The texts of `PHRASES` are divided by commas, and those of `NUMBERED` have names in the order
of their numbers. The items of an array stand as they are.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, words

PHRASES: Final = frozenset({"openers", "greetings", "thanks", "farewells", "asides", "praise", "beside"})
NUMBERED: Final = frozenset({"months", "numbers"})
AS_WRITTEN: Final = frozenset({"code", "names", "spaced", "joins", "letters"})


def _read(code: str) -> Language:
    members = tomllib.loads(Path(__file__).with_name(f"{code}.toml").read_text(encoding="utf-8"))
    talk, frames = members.pop("small_talk"), Frames(**members.pop("frames"))
    replies = tuple(talk.pop("replies"))
    return Language(**_fields(members), small_talk=SmallTalk(**_fields(talk), replies=replies), frames=frames)


def _fields(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if name in AS_WRITTEN else _field(name, value) for name, value in members.items()}


def _field(name: str, value: str | list[str]) -> frozenset[str] | Mapping[str, int]:
    if isinstance(value, list):
        return frozenset(value)
    if name in NUMBERED:
        return _numbered(value)
    return _phrases(value) if name in PHRASES else words(value)


def _numbered(names: str) -> Mapping[str, int]:
    """The numbers of names in their order, such as 1 to 12 for the months. `/` separates names of one number."""
    return {name: number for number, listed in enumerate(names.split(), 1) for name in listed.split("/")}


def _phrases(text: str) -> frozenset[str]:
    """The phrases of a text, divided by commas, in lower case."""
    return frozenset(" ".join(part.split()) for part in text.casefold().split(","))


KNOWN: Final = tuple(map(_read, ("en", "de", "fr", "es", "it", "pt", "zh", "ja", "ko")))
ENGLISH: Final = KNOWN[0]
