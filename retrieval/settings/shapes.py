"""The shapes of the JSON settings, the conversion to values, and a sentence for each error."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.schema import PLAIN_TYPES, FieldMap, FieldType, MappedField
from retrieval.filters.tree import NotEmpty, Path
from retrieval.model import calibration as evidence
from retrieval.model.caller import ImposedRule, Limit
from retrieval.model.definitions import IndexFields
from retrieval.model.model_studio import ModelStudioBase, ScoreCalibration

T = TypeVar("T")

Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,127}(?:/[A-Za-z][A-Za-z0-9_]{0,127}){0,15}$")]
Anchor = Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(min_length=2, max_length=2)]

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
    "list_type": "must be a list",
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
    terms: list[str] = []
    content: list[str] = []
    vectors: list[str] = []
    facets: list[str] = []
    languages: list[str] = []
    dates: list[str] = []
    labels: list[str] = []
    address: str | None = None
    file_name: str | None = None
    permissions: bool = False

    def value(self) -> IndexFields:
        return IndexFields(
            key=self.key,
            semantic_configuration=self.semantic_configuration,
            title=self.title,
            terms=tuple(self.terms),
            content=tuple(self.content),
            vectors=tuple(self.vectors),
            facets=tuple(self.facets),
            languages=tuple(self.languages),
            dates=tuple(self.dates),
            labels=tuple(self.labels),
            address=self.address,
            file_name=self.file_name,
            permissions=self.permissions,
        )


class Rule(SettingShape):
    """One rule of `IMPOSED_FILTERS`. `withKey` may be a text instead of a list with one text."""

    claim: Text
    collection: bool = False
    with_key: list[Text] = []

    @field_validator("with_key", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    def value(self, field: str) -> ImposedRule:
        return ImposedRule(
            path=tuple(field.split("/")),
            claim=self.claim,
            collection=self.collection,
            with_key=tuple(self.with_key),
        )


class NamedField(SettingShape):
    """A field of a field map. `docs/calling/model-studio-bases.md` explains the options."""

    path: Name
    type: str
    whole_token: bool = False
    ignore_case: bool = False
    retrievable: bool = True
    bare_like: Literal["prefix", "exact"] = "prefix"
    epoch: Literal["s", "ms"] | None = None

    @field_validator("type")
    @classmethod
    def _check_type(cls, value: str) -> str:
        _type(value)
        return value

    def value(self) -> MappedField:
        element, collection = _type(self.type)
        return MappedField(
            path=Path(tuple(self.path.split("/"))),
            type=element,
            collection=collection,
            whole_token=self.whole_token,
            ignore_case=self.ignore_case,
            bare_like=self.bare_like,
            epoch=self.epoch,
            retrievable=self.retrievable,
        )


class Fields(SettingShape):
    """The fields that filters may use. No name begins with an underscore, because Model Studio's filters
    (SearchFilters) reserve such names."""

    fields: dict[Annotated[str, Field(pattern=r"^[^_]")], NamedField] = {}

    def field_map(self) -> FieldMap:
        return {name: field.value() for name, field in self.fields.items()}


class Base(Fields):
    """A knowledge base of `MODEL_STUDIO_BASES`. It has either an endpoint, or a region that determines the endpoint."""

    workspace: Text
    index: Text
    region: Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")] | None = None
    endpoint: Text | None = None
    calibration: Annotated[list[Anchor], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.region is None) == (self.endpoint is None):
            raise ValueError('it must have either "region" or "endpoint"')
        self.value()
        return self

    def value(self) -> ModelStudioBase:
        endpoint = self.endpoint or f"https://bailian.{self.region}.aliyuncs.com"
        anchors = None if self.calibration is None else tuple((score, worth) for score, worth in self.calibration)
        return ModelStudioBase(
            workspace=self.workspace,
            index=self.index,
            endpoint=endpoint.rstrip("/"),
            fields=self.field_map(),
            calibration=None if anchors is None else ScoreCalibration(anchors),
        )


class LimitShape(SettingShape):
    """`LIMITS`: the most requests in a minute and in a day."""

    minute: Annotated[int, Field(ge=1)] | None = None
    day: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.minute is None and self.day is None:
            raise ValueError("it must have a limit a minute or a day")
        return self

    def value(self) -> Limit:
        return Limit(minute=self.minute, day=self.day)


ROLES: Final = TypeAdapter(FieldRoles)
LIMIT: Final = TypeAdapter(LimitShape)
RULES: Final = TypeAdapter(dict[str, Rule])
BASE: Final = TypeAdapter(Base)
DEPLOYMENTS: Final = TypeAdapter(Annotated[list[Text], Field(min_length=1)], config=ConfigDict(strict=True))
HEADERS: Final = TypeAdapter(
    dict[
        Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")],
        Annotated[str, Field(pattern=r"^[!-~](?:[ -~]{0,8190}[!-~])?$")],
    ],
    config=ConfigDict(strict=True),
)
TEXT: Final = TypeAdapter(Text, config=ConfigDict(strict=True))


def members(text: str) -> Mapping[str, object]:
    """The members of a JSON object. Raises ValueError if the text is not a JSON object or repeats a member."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return value


def rules(value: object) -> tuple[ImposedRule, ...]:
    """The imposed rules of an index. `value` has a rule for each field. Raises ValueError."""
    imposed_rules = tuple(rule.value(field) for field, rule in RULES.validate_python(value).items())
    for rule in imposed_rules:
        try:
            odata.write(NotEmpty(Path(rule.path)))
        except UnsupportedFilter as error:
            raise ValueError(str(error).rstrip(".")) from None
    return imposed_rules


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


def _type(text: str) -> tuple[FieldType, bool]:
    """The type of one element, and whether the field is a collection. Raises ValueError for a type that filters do not
    support."""
    for plain_type in PLAIN_TYPES:
        if text in (plain_type, f"Collection({plain_type})"):
            return plain_type, text != plain_type
    raise ValueError("is no type that filters can be about")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of an object. Raises ValueError if two members have the same name, because `json` would keep only one
    of them."""
    distinct = dict(pairs)
    if len(distinct) != len(pairs):
        raise ValueError("a member is given twice")
    return distinct


Score: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class _Ranking(BaseModel):
    """The calibration that `eval --save` made for an index. Other members of the file are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    probabilities: tuple[tuple[Score, Annotated[float, Field(ge=0, le=1)]], ...] = ()
    evidence_threshold: Score | None = None


def rankings(content: bytes) -> dict[str, evidence.Calibration]:
    """The calibrations in a file of `eval --save`, by index. Indexes without probabilities are left out. Raises
    ValueError."""
    return {
        index: evidence.Calibration(
            index=index, probabilities=tuple(sorted(ranking.probabilities)), sufficient_from=ranking.evidence_threshold
        )
        for index, ranking in TypeAdapter(dict[str, _Ranking]).validate_json(content).items()
        if ranking.probabilities
    }
