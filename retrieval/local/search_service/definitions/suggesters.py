"""Suggesters in an index definition: https://learn.microsoft.com/azure/search/index-add-suggesters"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions.fields import STRING, IndexField
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.analysis import ANALYZERS

_CUTS_NO_WORDS = tuple(ANALYZERS[name] for name in ("keyword", "simple", "stop", "whitespace"))


class SuggesterWire(BaseModel):
    """A suggester as the REST API receives it."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)

    name: str
    source_fields: list[str]
    search_mode: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggester:
    """`fields` are paths, in the order of the definition: the first that matches gives a suggestion its text."""

    name: str
    fields: tuple[str, ...]


def read(wires: Sequence[SuggesterWire], paths: Mapping[str, IndexField]) -> dict[str, Suggester]:
    """By name, one at most. Raises InvalidArgument."""
    if len(wires) > 1:
        raise InvalidArgument("An index has at most one suggester.")
    return {wire.name: _suggester(wire, paths) for wire in wires}


def _suggester(wire: SuggesterWire, paths: Mapping[str, IndexField]) -> Suggester:
    if not wire.name or len(wire.name) > 128:
        raise InvalidArgument("The name of a suggester has 1 to 128 characters.")
    if wire.search_mode not in (None, "analyzingInfixMatching"):
        raise InvalidArgument(f"The searchMode of the suggester {wire.name!r} can only be 'analyzingInfixMatching'.")
    if not wire.source_fields or len(set(wire.source_fields)) != len(wire.source_fields):
        raise InvalidArgument(f"The suggester {wire.name!r} must name one field or more, each once.")
    for path in wire.source_fields:
        _check(path, paths.get(path), wire.name)
    return Suggester(name=wire.name, fields=tuple(wire.source_fields))


def _check(path: str, field: IndexField | None, suggester: str) -> None:
    if field is None or field.type != STRING or not field.searchable:
        raise InvalidArgument(
            f"The suggester {suggester!r} names {path[:128]!r}, which is not a searchable string field of the index."
        )
    if field.analyzer in _CUTS_NO_WORDS or field.analyzer.stacks:
        raise InvalidArgument(
            f"The field {path!r} of the suggester {suggester!r} must use the default analyzer or that of a language."
        )
