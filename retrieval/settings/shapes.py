"""The shapes of the JSON settings, the conversion to values, and a sentence for each error."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.schema import PLAIN_TYPES, FieldMap, FieldType, MappedField
from retrieval.filters.tree import NotEmpty, Path
from retrieval.model.caller import ImposedRule, Limit
from retrieval.model.definitions import IndexFields
from retrieval.model.retrieval import Calibration
from retrieval.text import strict_json

Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,127}(?:/[A-Za-z][A-Za-z0-9_]{0,127}){0,15}$")]
Score = Annotated[float, Field(allow_inf_nan=False)]
Strings = Annotated[tuple[str, ...], Field(strict=False)]
"""The lists of JSON become tuples, which strict pydantic refuses; their items stay strict."""

_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "has the wrong form",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "greater_than_equal": "must be at least 1",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "too_short": "has too few items",
    "too_long": "has too many items",
    "model_type": "must be an object",
    "dict_type": "must be an object",
}


class SettingShape(BaseModel):
    """The base of the shapes of settings. An unknown member is an error, and the type of a value is not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, defer_build=True)


class FieldRoles(SettingShape):
    """`INDEX_FIELDS`: the roles of the fields of an index."""

    key: Text
    semantic_configuration: str | None = None
    title: str | None = None
    terms: Strings = ()
    content: Strings = ()
    vectors: Strings = ()
    facets: Strings = ()
    languages: Strings = ()
    dates: Strings = ()
    labels: Strings = ()
    address: str | None = None
    file_name: str | None = None
    permissions: bool = False

    def value(self) -> IndexFields:
        return IndexFields(**dict(self))


class Rule(SettingShape):
    """One rule of `IMPOSED_FILTERS`. `withKey` may be a text instead of a list with one text."""

    claim: Text
    collection: bool = False
    with_key: Annotated[
        tuple[Text, ...],
        Field(strict=False),
        BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    ] = ()


def _type(text: object) -> tuple[FieldType, bool]:
    """The type of one element, and whether the field is a collection. Raises ValueError for a type that filters do not
    support."""
    for plain_type in PLAIN_TYPES:
        if text in (plain_type, f"Collection({plain_type})"):
            return plain_type, text != plain_type
    raise ValueError("is no type that filters can be about")


class NamedField(SettingShape):
    """A field of a field map. `docs/calling/model-studio-bases.md` explains the options."""

    path: Name
    type: Annotated[tuple[FieldType, bool], PlainValidator(_type)]
    whole_token: bool = False
    ignore_case: bool = False
    retrievable: bool = True
    bare_like: Literal["prefix", "exact"] = "prefix"
    epoch: Literal["s", "ms"] | None = None

    def value(self) -> MappedField:
        type, collection = self.type
        path = Path(tuple(self.path.split("/")))
        return MappedField(**{**dict(self), "path": path, "type": type, "collection": collection})


class Fields(SettingShape):
    """The fields that filters may use. No name begins with an underscore, because Model Studio's filters
    (SearchFilters) reserve such names."""

    fields: dict[Annotated[str, Field(pattern=r"^[^_]")], NamedField] = {}

    def field_map(self) -> FieldMap:
        return {name: field.value() for name, field in self.fields.items()}


class LimitShape(SettingShape):
    """`LIMITS`: the most requests in a minute and in a day."""

    minute: Annotated[int, Field(ge=1)] | None = None
    day: Annotated[int, Field(ge=1)] | None = None

    def value(self) -> Limit:
        if self.minute is None and self.day is None:
            raise ValueError("it must have a limit a minute or a day")
        return Limit(minute=self.minute, day=self.day)


def _rules(rules: Mapping[str, Rule]) -> tuple[ImposedRule, ...]:
    """The imposed rules of an index, from a rule for each field."""
    paths = [tuple(field.split("/")) for field in rules]
    try:
        for path in paths:
            odata.write(NotEmpty(Path(path)))
    except UnsupportedFilter as error:
        raise ValueError(str(error).rstrip(".")) from None
    return tuple(ImposedRule(path=path, **dict(rule)) for path, rule in zip(paths, rules.values(), strict=True))


_STRICT: Final = ConfigDict(strict=True)
ROLES: Final = TypeAdapter(Annotated[FieldRoles, AfterValidator(FieldRoles.value)])
LIMIT: Final = TypeAdapter(Annotated[LimitShape, AfterValidator(LimitShape.value)])
RULES: Final = TypeAdapter(Annotated[dict[str, Rule], AfterValidator(_rules)])
DEPLOYMENTS: Final = TypeAdapter(Annotated[tuple[Text, ...], Field(min_length=1, strict=False)], config=_STRICT)
HEADERS: Final = TypeAdapter(
    dict[
        Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")],
        Annotated[str, Field(pattern=r"^[!-~](?:[ -~]{0,8190}[!-~])?$")],
    ],
    config=_STRICT,
)
TEXT: Final = TypeAdapter(Text, config=_STRICT)


def members(text: str) -> Mapping[str, object]:
    """The members of a JSON object. Raises ValueError if the text is not a JSON object or repeats a member."""
    try:
        value = strict_json.with_repeated(text)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    if strict_json.repeated_path(value) is not None:
        raise ValueError("a member is given twice")
    return value


def sentences(error: Exception) -> Sequence[str]:
    """A sentence for each error, without a full stop. The sentences never contain the values, because a value may be a
    secret."""
    if not isinstance(error, ValidationError):
        return (str(error),)
    return tuple(_sentence(fault["loc"], fault["type"], fault["msg"]) for fault in error.errors(include_input=False))


def _sentence(place: tuple[int | str, ...], kind: str, message: str) -> str:
    sentence = _SENTENCES.get(kind) or message.removeprefix("Value error, ")
    member = ".".join(str(part)[:100] for part in place if part != "[key]")
    return f'"{member}" {sentence}' if member else sentence.replace("must be", "it must be", 1)


class _Ranking(BaseModel):
    """The calibration that `eval --save` made for an index. Other members of the file are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    probabilities: tuple[tuple[Score, Annotated[float, Field(ge=0, le=1)]], ...] = ()
    evidence_threshold: Score | None = None


def rankings(content: bytes) -> dict[str, Calibration]:
    """The calibrations in a file of `eval --save`, by index. Indexes without probabilities are left out. Raises
    ValueError."""
    return {
        index: Calibration(
            index=index, probabilities=tuple(sorted(ranking.probabilities)), sufficient_from=ranking.evidence_threshold
        )
        for index, ranking in TypeAdapter(dict[str, _Ranking]).validate_json(content).items()
        if ranking.probabilities
    }
