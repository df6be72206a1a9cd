"""What may change of an index that has documents.

Fields may be added; of a field there may change whether it is retrievable, its search analyzer and its synonym map.
Vectors stay compressed as they are, and only a new index has fields that are not stored.
Only new fields may be added to a suggester: https://learn.microsoft.com/rest/api/searchservice/update-index
What an index defines for its analyzers stays as it is; more may be added by who allows the index to be away a while.
"""

from dataclasses import replace
from typing import Any

from retrieval.local.search_service.definitions import compressions
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.lexical.definition import SECTIONS


def check(old: IndexDefinition, new: IndexDefinition, *, downtime: bool) -> None:
    """Raises InvalidArgument naming the first field, or part of an analyzer, that would change or go."""
    for section in SECTIONS:
        _check_parts(section, _parts(old, section), _parts(new, section), downtime=downtime)
    for path, field in old.paths.items():
        other = new.paths.get(path)
        if other is None or _fixed(other) != _fixed(field):
            raise InvalidArgument(
                f"The field {path!r} cannot be changed or removed; create the index anew. New fields may be added."
            )
    for name, profile in old.vectors.items():
        compressions.check_unchanged(name, profile.compression, new.vectors[name].compression)
    for path, field in new.paths.items():
        if not field.stored and path not in old.paths:
            raise InvalidArgument(f"The new field {path!r} cannot have stored false: only those of a new index can.")
    for suggester in new.suggesters.values():
        before = old.suggesters.get(suggester.name)
        for path in suggester.fields:
            if path in old.paths and (before is None or path not in before.fields):
                raise InvalidArgument(
                    f"The existing field {path!r} cannot be added to the suggester {suggester.name!r}; new fields may."
                )


def _parts(definition: IndexDefinition, section: str) -> dict[str, Any]:
    return {part["name"]: part for part in definition.wire.get(section) or ()}


def _check_parts(section: str, old: dict[str, Any], new: dict[str, Any], *, downtime: bool) -> None:
    for name, part in old.items():
        if _said(new.get(name)) != _said(part):
            raise InvalidArgument(f"What {section} defines as {name!r} cannot be changed or removed.")
    if new.keys() > old.keys() and not downtime:
        raise InvalidArgument(
            f"To add {section} to an index takes it away for a while: say with the query parameter "
            "allowIndexDowntime=true that it may be."
        )


def _said(part: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (part or {}).items() if value is not None}


def _fixed(field: IndexField) -> IndexField:
    """The field without what may change, and without its sub-fields, which are compared by themselves."""
    return replace(field, retrievable=True, search_analyzer=field.analyzer, synonym_map=None, fields={})
