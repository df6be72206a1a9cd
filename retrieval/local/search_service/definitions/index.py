"""An index definition as the REST API receives it: checked, and what this service does not do refused by name."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions import representation, scoring_profile, suggesters
from retrieval.local.search_service.definitions import vector_search as vector_definition
from retrieval.local.search_service.definitions.cors import CorsWire
from retrieval.local.search_service.definitions.fields import STRING, FieldWire, IndexField, walk
from retrieval.local.search_service.definitions.fields import read as read_fields
from retrieval.local.search_service.definitions.scoring_profile import ProfileWire, ScoringProfiles
from retrieval.local.search_service.definitions.suggesters import Suggester, SuggesterWire
from retrieval.local.search_service.definitions.vector_search import VectorProfile, VectorSearchWire
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.text.lexical import definition as lexical
from retrieval.local.search_service.text.lexical.definition import Lexicon

_INDEX_NAME = re.compile(r"(?=.{2,128}$)[a-z0-9](?:[a-z0-9_]|-(?![-_]))*(?<!-)")


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


def _lower(value: object) -> object:
    """Microsoft's documents spell `rankingOrder` in several ways."""
    return value.lower() if isinstance(value, str) else value


RankingOrder = Annotated[Literal["rerankerscore", "boostedrerankerscore"], BeforeValidator(_lower)]


class _FieldName(_Wire):
    field_name: str


class _PrioritizedFields(_Wire):
    title_field: _FieldName | None = None
    prioritized_content_fields: list[_FieldName] | None = None
    prioritized_keywords_fields: list[_FieldName] | None = None


class _ConfigurationWire(_Wire):
    name: str
    prioritized_fields: _PrioritizedFields
    ranking_order: RankingOrder | None = None
    flighting_opt_in: bool | None = None


class _SemanticWire(_Wire):
    default_configuration: str | None = None
    configurations: list[_ConfigurationWire] | None = None


class _IndexWire(_Wire):
    etag: str | None = Field(None, alias="@odata.etag")
    context: str | None = Field(None, alias="@odata.context")
    name: str
    description: str | None = None
    fields: list[FieldWire]
    semantic: _SemanticWire | None = None
    cors_options: CorsWire | None = None
    similarity: dict[str, Any] | None = None
    default_scoring_profile: str | None = None
    scoring_profiles: list[ProfileWire] | None = None
    suggesters: list[SuggesterWire] | None = None
    analyzers: list[Any] | None = None
    tokenizers: list[Any] | None = None
    token_filters: list[Any] | None = None
    char_filters: list[Any] | None = None
    normalizers: list[Any] | None = None
    vector_search: VectorSearchWire | None = None
    encryption_key: dict[str, Any] | None = None
    permission_filter_option: str | None = None
    purview_enabled: bool | None = None
    share_point_connector_app_registration: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticConfiguration:
    """Names of the fields that the semantic ranker reads; `title` is None where there is none.

    `by_boosted` says that what it ranked is in the order of the scores that a scoring profile makes of its own.
    """

    name: str
    title: str | None
    content: tuple[str, ...]
    keywords: tuple[str, ...]
    by_boosted: bool = True

    @property
    def heading(self) -> tuple[str, ...]:
        """Title and keywords."""
        return self.keywords if self.title is None else (self.title, *self.keywords)

    @property
    def fields(self) -> tuple[str, ...]:
        return (*self.heading, *self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDefinition:
    """`fields` are those at the top by name, `paths` all of them by path, `vectors` the profiles of the vector fields.

    `wire` is the definition to be given back, without secrets.
    """

    name: str
    fields: dict[str, IndexField]
    paths: dict[str, IndexField]
    vectors: dict[str, VectorProfile]
    suggesters: dict[str, Suggester]
    scoring: ScoringProfiles
    key: str
    configurations: dict[str, SemanticConfiguration]
    default_configuration: str | None
    lexicon: Lexicon
    wire: dict[str, Any]

    @property
    def searchable(self) -> tuple[IndexField, ...]:
        return tuple(field for field in self.paths.values() if field.searchable)


def parse(document: dict[str, Any]) -> IndexDefinition:
    """Raises InvalidArgument where the definition breaks a rule, Unsupported for what this service lacks."""
    try:
        wire = _IndexWire.model_validate(document)
    except ValidationError as error:
        raise InvalidArgument(f"The index definition is invalid: {sentence(error)}") from error
    check_name(wire.name, "index")
    _refuse_unsupported(wire)
    lexicon = lexical.read({section: document.get(section) or [] for section in lexical.SECTIONS})
    fields = read_fields(wire.fields, lexicon)
    paths = {field.name: field for field in walk(fields)}
    configurations = _configurations(wire.semantic, paths)
    return IndexDefinition(
        name=wire.name,
        fields=fields,
        paths=paths,
        vectors=vector_definition.read(wire.vector_search, paths.values()),
        suggesters=suggesters.read(wire.suggesters or [], paths),
        scoring=scoring_profile.read(wire.scoring_profiles or [], wire.default_scoring_profile, paths),
        key=_key(fields),
        configurations=configurations,
        default_configuration=_default(wire.semantic, configurations),
        lexicon=lexicon,
        wire=representation.represented(document, paths, lexicon.parts),
    )


def check_name(name: str, kind: str) -> None:
    """Raises InvalidArgument for what cannot name an index or an alias."""
    if not _INDEX_NAME.fullmatch(name):
        raise InvalidArgument(
            f"Invalid {kind} name {name[:128]!r}: 2 to 128 lower-case letters, digits, dashes and underscores, "
            "beginning and ending with a letter or digit."
        )


def _refuse_unsupported(wire: _IndexWire) -> None:
    lacking = {
        "normalizers": wire.normalizers,
        "encryptionKey": wire.encryption_key,
        "permissionFilterOption": wire.permission_filter_option not in (None, "disabled"),
        "purviewEnabled": wire.purview_enabled,
        "sharePointConnectorAppRegistration": wire.share_point_connector_app_registration,
        "similarity other than BM25 with its default parameters": not _is_plain_bm25(wire.similarity),
    }
    for name, value in lacking.items():
        if value:
            raise Unsupported(f"{name} in an index definition")


def _is_plain_bm25(similarity: dict[str, Any] | None) -> bool:
    wanted = {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": 1.2, "b": 0.75}
    return all(value is None or wanted.get(name) == value for name, value in (similarity or {}).items())


def _key(fields: dict[str, IndexField]) -> str:
    keys = [field for field in fields.values() if field.key]
    if len(keys) != 1:
        raise InvalidArgument(f"An index has exactly one key field; this definition has {len(keys)}.")
    if keys[0].type != STRING or keys[0].collection or not keys[0].retrievable:
        raise InvalidArgument(f"The key field {keys[0].name!r} must be of type Edm.String and retrievable.")
    return keys[0].name


def _configurations(semantic: _SemanticWire | None, fields: dict[str, IndexField]) -> dict[str, SemanticConfiguration]:
    found: dict[str, SemanticConfiguration] = {}
    for wire in (semantic and semantic.configurations) or ():
        if wire.name in found:
            raise InvalidArgument(f"The semantic configuration {wire.name!r} occurs twice.")
        parts = wire.prioritized_fields
        configuration = SemanticConfiguration(
            name=wire.name,
            title=None if parts.title_field is None else parts.title_field.field_name,
            content=tuple(field.field_name for field in parts.prioritized_content_fields or ()),
            keywords=tuple(field.field_name for field in parts.prioritized_keywords_fields or ()),
            by_boosted=wire.ranking_order != "rerankerscore",
        )
        _check_semantic_fields(configuration, fields)
        found[wire.name] = configuration
    return found


def _check_semantic_fields(configuration: SemanticConfiguration, fields: dict[str, IndexField]) -> None:
    if not configuration.fields:
        raise InvalidArgument(f"The semantic configuration {configuration.name!r} names no field.")
    for name in configuration.fields:
        field = fields.get(name)
        if field is None or field.type != STRING or not field.retrievable:
            raise InvalidArgument(
                f"The semantic configuration {configuration.name!r} names {name!r}, "
                "which is not a retrievable string field of the index."
            )


def _default(semantic: _SemanticWire | None, configurations: dict[str, SemanticConfiguration]) -> str | None:
    name = semantic and semantic.default_configuration
    if name and name not in configurations:
        raise InvalidArgument(f"The default semantic configuration {name!r} does not exist.")
    return name or None
