"""The fields that members of documents become, by their names."""

import re
from collections.abc import Mapping
from typing import Final

from retrieval.model.json_value import JsonValue

MOST: Final = 200
LONGEST: Final = 1_000
"""Characters of a value that is a field; a longer one is in the text alone."""

_OWN: Final = frozenset({"heading_path", "source", "page", "path", "modified", "modified_by", "digest", "text_vector"})


def field_name(member: str) -> str:
    """The field name of a member: letters, digits and underscores, beginning with a letter, at most 128 of them."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", member)
    taken = plain.lower() in {"id", "title", "text"} or plain.startswith("azureSearch")
    return (f"m_{plain}" if taken or not plain[:1].isalpha() else plain)[:128]


class Fields:
    """The fields of one reading. A name that another file writes otherwise, and what is no plain value, is no field."""

    def __init__(self) -> None:
        self._members: dict[str, str] = {}

    def of(self, members: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The values by the names of their fields."""
        return {name: value for member, value in members.items() if _is_plain(value) and (name := self._name(member))}

    def _name(self, member: str) -> str:
        """Empty where it is none: another member has the name, or there are too many."""
        name = field_name(f"m_{member}" if member.lower() in _OWN else member)
        known = self._members.get(name.lower())
        if known is None and len(self._members) < MOST:
            known = self._members[name.lower()] = member
        return name if known == member else ""


def _is_plain(value: JsonValue) -> bool:
    """Whether it is a value, or a list of some, that can be filtered by."""
    items = value if isinstance(value, list) else [value]
    return (
        bool(items)
        and all(item is not None and item != "" and not isinstance(item, dict | list) for item in items)
        and len(str(value)) <= LONGEST
    )
