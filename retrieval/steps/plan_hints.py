"""The query hints in a plan: what a model reads of them, and which filter and boosts its reply makes of them.

A reply names a hinted field, an operator and values; it never writes a filter's text, and a boost's factor is the
hint's. The filter is bound to the fields of the index where they are known. Source: the how-to "Create a search index
knowledge source", Configure query hints, September 2026.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from retrieval.errors import BadFilter, BadRequest
from retrieval.filters.bind import bind
from retrieval.filters.odata import literals
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Constant,
    Filter,
    Lambda,
    Operator,
    Path,
    String,
    all_of,
    any_of,
)
from retrieval.model.json_value import JsonValue
from retrieval.model.query_hints import Boost, BoostHint, FilterHint, Hinted, QueryHints
from retrieval.model.search import SearchTarget
from retrieval.steps import replies
from retrieval.text.clipped import clip

Schemas: TypeAlias = Mapping[str, Schema | None]
"""The fields of each index; None where they are not known."""

MOST_HINTS: Final = 5
"""Of a kind, in one source."""
LONGEST_VALUE: Final = 128
MOST_CHARACTERS: Final = 2_048
"""Of the values of one hint together."""
LONGEST_INSTRUCTIONS: Final = 500
MOST_TESTS: Final = 10
MOST_VALUES: Final = 20

OPERATORS: Final[tuple[Operator, ...]] = ("eq", "ne", "gt", "ge", "lt", "le")

_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}(?:/[A-Za-z][A-Za-z0-9_]{0,127}){0,9}")
_TEXT: Final[Mapping[str, JsonValue]] = {"type": "string"}
_TEXTS: Final = replies.array_of(dict(_TEXT))

REPLY: Final = replies.array_of(
    replies.object_of(
        {
            "source": dict(_TEXT),
            "filters": replies.array_of(
                replies.object_of(
                    {
                        "field": dict(_TEXT),
                        "operator": {"type": "string", "enum": list(OPERATORS)},
                        "values": _TEXTS,
                    }
                )
            ),
            "boosts": replies.array_of(replies.object_of({"id": {"type": "integer"}, "values": _TEXTS})),
        }
    )
)
"""The JSON schema of `hints` in a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """The hints of one source that a model reads, each within the limits. `schema` is that of its index.

    `unusable` are the fields of other hints: the index has none of that name that can be used so.
    """

    source: str
    schema: Schema | None
    filters: Mapping[str, FilterHint]
    boosts: Sequence[BoostHint]
    unusable: tuple[str, ...] = ()


def offered(targets: Sequence[SearchTarget], schemas: Schemas) -> tuple[Offered, ...]:
    """The hints of each target that has any, and which its index, where its fields are known, cannot use."""
    found = ((target, target.hints, schemas.get(target.index)) for target in targets)
    return tuple(_offered(target, hints, schema) for target, hints, schema in found if hints is not None)


def with_hints(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The JSON schema of a reply that has `hints` too."""
    properties = schema["properties"]
    return replies.object_of({**(properties if isinstance(properties, dict) else {}), "hints": REPLY})


def described(hints: Sequence[Offered]) -> list[JsonValue]:
    """The hints as a prompt has them, of sources that have usable ones; a boost is known by its position."""
    return [
        {
            "source": one.source,
            "filters": [
                {**_told(hint.values, hint.instructions), "field": name, "type": _type(_field(name, one.schema))}
                for name, hint in one.filters.items()
            ],
            "boosts": [
                {**_told(hint.values, hint.instructions), "id": id, "field": hint.field}
                for id, hint in enumerate(one.boosts)
            ],
        }
        for one in hints
        if one.filters or one.boosts
    ]


def read(said: object, hints: Sequence[Offered]) -> tuple[tuple[Hinted, ...], tuple[str, ...]]:
    """What a reply makes of the hints, at most once a source, and why some of it is not used."""
    known = {one.source.casefold(): one for one in hints}
    found: dict[str, Hinted] = {}
    notes = [_unusable(one) for one in hints if one.unusable]
    for item in _objects(said, len(hints)):
        one = known.pop(replies.line(item.get("source")).casefold(), None)
        if one is None:
            continue
        try:
            filter = _filter(item.get("filters"), one)
        except BadRequest as error:
            filter = None
            notes.append(f"The filter for {one.source!r} that the query hints ask for was left out: {error}")
        boosts = tuple(_boosts(item.get("boosts"), one))
        if filter is not None or boosts:
            found[one.source] = Hinted(source=one.source, filter=filter, boosts=boosts)
    return tuple(found.values()), tuple(notes)


def _offered(target: SearchTarget, hints: QueryHints, schema: Schema | None) -> Offered:
    filters = [one for one in hints.filters if _filterable(one.field, schema)]
    boosts = [one for one in hints.boosts if _boostable(one.field, schema)]
    no_filters = [one.field for one in hints.filters if not _filterable(one.field, schema)]
    no_boosts = [one.field for one in hints.boosts if one.field and not _boostable(one.field, schema)]
    return Offered(
        source=target.source_name,
        schema=schema,
        filters={one.field: one for one in filters[:MOST_HINTS]},
        boosts=boosts[:MOST_HINTS],
        unusable=tuple(dict.fromkeys((*no_filters, *no_boosts))),
    )


def _unusable(hints: Offered) -> str:
    names = ", ".join(repr(name[:LONGEST_VALUE]) for name in hints.unusable[:MOST_HINTS])
    return f"The index of {hints.source!r} has no field that its query hints can use by the name of {names}."


def _filterable(name: str, schema: Schema | None) -> bool:
    if _FIELD.fullmatch(name) is None:
        return False
    field = _field(name, schema)
    return schema is None or (field is not None and field.filterable and field.type != "Edm.ComplexType")


def _boostable(name: str | None, schema: Schema | None) -> bool:
    """Words are searched in text only."""
    if name is None:
        return True
    field = _field(name, schema)
    return _FIELD.fullmatch(name) is not None and (schema is None or (field is not None and field.type == "Edm.String"))


def _field(name: str, schema: Schema | None) -> Field | None:
    """A field or a sub-field; None for one that is not there, and in a collection of complex values."""
    fields, found = schema or {}, None
    for part in name.split("/"):
        if found is not None and found.collection:
            return None
        found = fields.get(part)
        if found is None:
            return None
        fields = {one.name: one for one in found.fields}
    return found


def _type(field: Field | None) -> JsonValue:
    if field is None:
        return None
    return f"Collection({field.type})" if field.collection else field.type


def _told(values: Sequence[str], instructions: str) -> dict[str, JsonValue]:
    return {"values": list(_within(values)), "instructions": clip(instructions, LONGEST_INSTRUCTIONS)}


def _within(values: Sequence[str]) -> Iterator[str]:
    """The values of a hint that a prompt has; what was stored past the limits ends there."""
    room = MOST_CHARACTERS
    for value in islice(values, MOST_CHARACTERS):
        room -= len(value)
        if room < 0:
            return
        if len(value) <= LONGEST_VALUE:
            yield value


def _objects(said: object, most: int) -> list[Mapping[str, object]]:
    items = said[:most] if isinstance(said, list) else []
    return [one for one in items if isinstance(one, dict)]


def _values(said: object) -> tuple[str, ...]:
    """Whole values: one that is cut would be another value."""
    items = said[:MOST_VALUES] if isinstance(said, list) else []
    texts = (one.strip() for one in items if isinstance(one, str) and len(one) <= LONGEST_VALUE)
    return tuple(dict.fromkeys(one for one in texts if one and one.isprintable()))


def _filter(said: object, hints: Offered) -> Filter | None:
    """The tests that a reply names, joined by AND. Raises BadFilter for one that the index cannot evaluate."""
    tests = [_test(one, hints) for one in _objects(said, MOST_TESTS)]
    whole = all_of(tests)
    return bind(whole, hints.schema) if whole is not None and hints.schema is not None else whole


def _test(said: Mapping[str, object], hints: Offered) -> Filter:
    name, operator, values = replies.line(said.get("field")), said.get("operator"), _values(said.get("values"))
    if name not in hints.filters:
        raise BadFilter(f"{name[:LONGEST_VALUE]!r} is not a field of its filter hints")
    known = next((one for one in OPERATORS if one == operator), None)
    if known is None or not values or (len(values) > 1 and known not in ("eq", "ne")):
        raise BadFilter(f"the test of {name!r} has no operator, or not the values that its operator takes")
    field = _field(name, hints.schema)
    within_lambda = field is not None and field.collection
    path = Path(("x",)) if within_lambda else Path(tuple(name.split("/")))
    tests = [Compare(path, known, _constant(value, field)) for value in values]
    body = all_of(tests) if known == "ne" else any_of(tests)
    assert body is not None
    if not within_lambda:
        return body
    return Lambda(Path(tuple(name.split("/"))), "all" if known == "ne" else "any", "x", body)


def _constant(value: str, field: Field | None) -> Constant:
    """A value as a constant of the field; text where the type is not known. Raises BadFilter."""
    match None if field is None else field.type:
        case None | "Edm.String":
            return String(value)
        case "Edm.Boolean":
            if value.casefold() not in ("true", "false"):
                raise BadFilter(f"{value!r} is neither true nor false")
            return Boolean(value.casefold() == "true")
        case _:
            return literals.digits(value, 0)


def _boosts(said: object, hints: Offered) -> Iterator[Boost]:
    """A boost for each hint that a reply names, once; of what cannot be boosted none."""
    left = dict(enumerate(hints.boosts))
    for item in _objects(said, MOST_HINTS):
        id, values = item.get("id"), _values(item.get("values"))
        hint = left.pop(id, None) if isinstance(id, int) and not isinstance(id, bool) else None
        worded = tuple(one for one in values if any(map(str.isalnum, one)))
        if hint is not None and worded:
            yield Boost(field=hint.field, values=worded, factor=hint.factor)
