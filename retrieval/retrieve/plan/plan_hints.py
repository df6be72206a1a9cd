"""The filter of a plan: the fields that a model may use, and the check that the index can evaluate the filter.

The query hints in a plan: the hints that a model reads, and the filter and boosts that its reply makes from them. A
reply names a hinted field, an operator and values. It never writes the text of a filter. The factor of a boost comes
from the hint. Where the fields of the index are known, the filter is checked against them. Source: the how-to "Create a
search index knowledge source", Configure query hints, September 2026.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from retrieval.call import replies
from retrieval.errors import BadFilter, BadRequest
from retrieval.filters import odata
from retrieval.filters.bind import bind
from retrieval.filters.odata import operands
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Constant,
    Filter,
    IsMatch,
    Lambda,
    Operator,
    Path,
    String,
    all_of,
    any_of,
    walk,
)
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Boost, BoostHint, FilterHint, Hinted, QueryHints, SearchTarget
from retrieval.text.length import clip

LONGEST_FILTER: Final = 2_000
MOST_FIELDS: Final = 60


def filter_fields(schema: Schema | None) -> list[JsonValue]:
    """The filterable filter_fields, at most 60. A sub-field is named by its path."""
    paths = (path for field in (schema or {}).values() for path in _filterable_paths(field, field.name))
    return [{"field": name, "type": type} for name, type in islice(paths, MOST_FIELDS)]


def read_filter(text: object, schema: Schema | None) -> tuple[Filter | None, str, str]:
    """The filter and its text if the index can evaluate it, otherwise the reason why it is not used. All are empty
    without a filter."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return None, "", ""
    if not schema:
        return None, "", "the index has no known field for filters."
    if not isinstance(text, str):
        return None, "", "it is not text."
    if len(text) > LONGEST_FILTER:
        return None, "", f"it is longer than {LONGEST_FILTER} characters."
    try:
        filter = _check(odata.read(text.strip()), schema)
        return filter, odata.write(filter), ""
    except BadRequest as error:
        return None, "", str(error)


def _check(filter: Filter, schema: Schema) -> Filter:
    """The filter, bound to the schema. Raises BadRequest if the filter does not fit the schema, is only a constant, or
    has a full-text test."""
    if isinstance(filter, Boolean):
        raise BadFilter("it names no field")
    if any(isinstance(node, IsMatch) for node in walk(filter)):
        raise BadFilter("search.ismatch searches, and is not a filter by a field")
    return bind(filter, schema)


def _filterable_paths(field: Field, path: str) -> Iterator[tuple[str, str]]:
    type = f"Collection({field.type})" if field.collection else field.type
    if field.type == "Edm.ComplexType":
        inner = [inner_path for sub in field.fields for inner_path in _filterable_paths(sub, f"{path}/{sub.name}")]
        yield from [(path, type), *inner] if field.collection and inner else inner
    elif field.filterable:
        yield path, type


Schemas: TypeAlias = Mapping[str, Schema | None]
"""The fields of each index; None where they are not known."""

MOST_HINTS: Final = 5
"""The most hints of a kind in one source."""
LONGEST_VALUE: Final = 128
MOST_CHARACTERS: Final = 2_048
"""The most characters of the values of one hint together."""
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
class Offer:
    """The hints of one source for a model, at most MOST_HINTS of each kind. `schema` is the schema of the source's
    index.

    `unusable` are the fields of hints that the index cannot use: it has no such field, a filter may not name the field,
    or a boosted field is not a text.
    """

    source: str
    schema: Schema | None
    filters: Mapping[str, FilterHint]
    boosts: Sequence[BoostHint]
    unusable: tuple[str, ...] = ()


def offers(targets: Sequence[SearchTarget], schemas: Schemas) -> tuple[Offer, ...]:
    """The hints of each target that has hints. Hints are left out if their field name is malformed, or if the index's
    known fields do not allow them."""
    entries = ((target, target.hints, schemas.get(target.index)) for target in targets)
    return tuple(_offer(target, hints, schema) for target, hints, schema in entries if hints is not None)


def descriptions(hints: Sequence[Offer]) -> list[JsonValue]:
    """The hints for a prompt, one entry for each source with usable hints. A boost is identified by its position."""
    return [
        {
            "source": offer.source,
            "filters": [
                {**_hint_text(hint.values, hint.instructions), "field": name, "type": _type(_field(name, offer.schema))}
                for name, hint in offer.filters.items()
            ],
            "boosts": [
                {**_hint_text(hint.values, hint.instructions), "id": id, "field": hint.field}
                for id, hint in enumerate(offer.boosts)
            ],
        }
        for offer in hints
        if offer.filters or offer.boosts
    ]


def read(reply: object, hints: Sequence[Offer]) -> tuple[tuple[Hinted, ...], tuple[str, ...]]:
    """The filter and boosts of a reply, in at most one `Hinted` for each source, and notes about unusable hints and
    filters."""
    by_source = {offer.source.casefold(): offer for offer in hints}
    by_name: dict[str, Hinted] = {}
    notes = [_unusable(offer) for offer in hints if offer.unusable]
    for item in _objects(reply, len(hints)):
        offer = by_source.pop(replies.line(item.get("source")).casefold(), None)
        if offer is None:
            continue
        try:
            filter = _filter(item.get("filters"), offer)
        except BadRequest as error:
            filter = None
            notes.append(f"The filter for {offer.source!r} that the query hints ask for was left out: {error}")
        boosts = tuple(_boosts(item.get("boosts"), offer))
        if filter is not None or boosts:
            by_name[offer.source] = Hinted(source=offer.source, filter=filter, boosts=boosts)
    return tuple(by_name.values()), tuple(notes)


def _offer(target: SearchTarget, hints: QueryHints, schema: Schema | None) -> Offer:
    filters = [hint for hint in hints.filters if _filterable(hint.field, schema)]
    boosts = [hint for hint in hints.boosts if _boostable(hint.field, schema)]
    no_filters = [hint.field for hint in hints.filters if not _filterable(hint.field, schema)]
    no_boosts = [hint.field for hint in hints.boosts if hint.field and not _boostable(hint.field, schema)]
    return Offer(
        source=target.source_name,
        schema=schema,
        filters={hint.field: hint for hint in filters[:MOST_HINTS]},
        boosts=boosts[:MOST_HINTS],
        unusable=tuple(dict.fromkeys((*no_filters, *no_boosts))),
    )


def _unusable(hints: Offer) -> str:
    names = ", ".join(repr(name[:LONGEST_VALUE]) for name in hints.unusable[:MOST_HINTS])
    return f"The index of {hints.source!r} has no field that its query hints can use by the name of {names}."


def _filterable(name: str, schema: Schema | None) -> bool:
    if _FIELD.fullmatch(name) is None:
        return False
    field = _field(name, schema)
    return schema is None or (field is not None and field.filterable and field.type != "Edm.ComplexType")


def _boostable(name: str | None, schema: Schema | None) -> bool:
    """Whether words can be searched in a field: the field must be a text. No field means all fields."""
    if name is None:
        return True
    field = _field(name, schema)
    return _FIELD.fullmatch(name) is not None and (schema is None or (field is not None and field.type == "Edm.String"))


def _field(name: str, schema: Schema | None) -> Field | None:
    """A field or a sub-field; None for a field that does not exist, or that is inside a collection of complex
    values."""
    fields, field = schema or {}, None
    for part in name.split("/"):
        if field is not None and field.collection:
            return None
        field = fields.get(part)
        if field is None:
            return None
        fields = {sub_field.name: sub_field for sub_field in field.fields}
    return field


def _type(field: Field | None) -> JsonValue:
    if field is None:
        return None
    return f"Collection({field.type})" if field.collection else field.type


def _hint_text(values: Sequence[str], instructions: str) -> dict[str, JsonValue]:
    return {"values": list(_within(values)), "instructions": clip(instructions, LONGEST_INSTRUCTIONS)}


def _within(values: Sequence[str]) -> Iterator[str]:
    """The values of a hint that go into a prompt. They are limited here, since stored values may exceed the limits."""
    room = MOST_CHARACTERS
    for value in islice(values, MOST_CHARACTERS):
        room -= len(value)
        if room < 0:
            return
        if len(value) <= LONGEST_VALUE:
            yield value


def _objects(value: object, most: int) -> list[Mapping[str, object]]:
    items = value[:most] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def _values(value: object) -> tuple[str, ...]:
    """The printable values that are not too long. They are not cut, since a cut value would be another value."""
    items = value[:MOST_VALUES] if isinstance(value, list) else []
    texts = (item.strip() for item in items if isinstance(item, str) and len(item) <= LONGEST_VALUE)
    return tuple(dict.fromkeys(text for text in texts if text and text.isprintable()))


def _filter(value: object, hints: Offer) -> Filter | None:
    """The tests that a reply names, joined by AND. Raises BadRequest for a test that the hints or the index do not
    allow."""
    tests = [_test(item, hints) for item in _objects(value, MOST_TESTS)]
    whole = all_of(tests)
    return bind(whole, hints.schema) if whole is not None and hints.schema is not None else whole


def _test(item: Mapping[str, object], hints: Offer) -> Filter:
    name, operator, values = replies.line(item.get("field")), item.get("operator"), _values(item.get("values"))
    if name not in hints.filters:
        raise BadFilter(f"{name[:LONGEST_VALUE]!r} is not a field of its filter hints")
    known_operator = next((candidate for candidate in OPERATORS if candidate == operator), None)
    if known_operator is None or not values or (len(values) > 1 and known_operator not in ("eq", "ne")):
        raise BadFilter(f"the test of {name!r} has no operator, or not the values that its operator takes")
    field = _field(name, hints.schema)
    within_lambda = field is not None and field.collection
    path = Path(("x",)) if within_lambda else Path(tuple(name.split("/")))
    tests = [Compare(path, known_operator, _constant(value, field)) for value in values]
    body = all_of(tests) if known_operator == "ne" else any_of(tests)
    assert body is not None
    if not within_lambda:
        return body
    return Lambda(Path(tuple(name.split("/"))), "all" if known_operator == "ne" else "any", "x", body)


def _constant(value: str, field: Field | None) -> Constant:
    """A value as a constant of the field's type; a string if the type is not known. Raises BadFilter."""
    match None if field is None else field.type:
        case None | "Edm.String":
            return String(value)
        case "Edm.Boolean":
            if value.casefold() not in ("true", "false"):
                raise BadFilter(f"{value!r} is neither true nor false")
            return Boolean(value.casefold() == "true")
        case _:
            return operands.digits(value, 0)


def _boosts(value: object, hints: Offer) -> Iterator[Boost]:
    """A boost for each hint that a reply names, each hint once. Unknown ids and boosts without words are ignored."""
    hints_left = dict(enumerate(hints.boosts))
    for item in _objects(value, MOST_HINTS):
        id, values = item.get("id"), _values(item.get("values"))
        hint = hints_left.pop(id, None) if isinstance(id, int) and not isinstance(id, bool) else None
        words = tuple(value for value in values if any(map(str.isalnum, value)))
        if hint is not None and words:
            yield Boost(field=hint.field, values=words, factor=hint.factor)
