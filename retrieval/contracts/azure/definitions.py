"""Reads and renders definitions in every version. The shapes of a version declare the members that the version has.

Only the operator may set a key for a model, in `AZURE_OPENAI_API_KEY` or `AGENTS_FILE`. A key in a call is refused,
because this service stores no secrets from calls. If the configuration has a key for a model, `apiKey` is `<redacted>`
in answers, and a call may send that value back. A PUT keeps the stored members that its version lacks, unless it
changes the kind of a source.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic

import pydantic_core
from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure import request_body
from retrieval.contracts.azure.definition_members import (
    HasKey,
    agent_members,
    agent_of,
    express,
    merge_agent,
    merge_source,
    source_members,
    source_of,
)
from retrieval.contracts.azure.definition_shapes import Definition
from retrieval.contracts.azure.kinds.indexes import REDACTED, with_index
from retrieval.contracts.azure.kinds.kind import Members, parameters_of
from retrieval.contracts.azure.kinds.table import FREE, KINDS
from retrieval.contracts.azure.members_by_version import accepting_versions, names_of
from retrieval.contracts.azure.precondition_headers import quote_etag
from retrieval.contracts.azure.source_shapes import SourceStatus
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.served_versions import definition_contracts
from retrieval.errors import BadRequest
from retrieval.model.definitions import INGESTED, Agent, Defined, Kept, Source, Stored

UNREADABLE: Final = (
    "What is stored under this name cannot be read as {article} {noun}. Delete it, or put the {noun} anew."
)
_FREE: Final = frozenset(
    {
        "tags",
        "encryptionKey",
        "authIdentity",
        "identity",
        "embeddingModel",
        "chatCompletionModel",
        "createdResources",
    }
)
"""The properties that contain an object whose property names stay in the caller's spelling, as those of `table.FREE`
do."""

PROSE: Final = ("description", "retrieval_instructions", "answer_instructions")
ETAG: Final = "@odata.etag"
MOST_SELECTED: Final = 50
"""The most members that `$select` may name."""

PARAMETERS: Final = "models[0].azureOpenAIParameters"
NO_MEMBERS: Final[Members] = {"models": [], "target_indexes": [], "knowledge_sources": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionKind(Generic[Defined]):
    """A kind of definition. `check` raises BadRequest for faults that the shape does not find.

    `merge` takes three definitions: the stored definition, an update in one version, and the stored definition as that
    version shows it. `complete` fills in the index name of a source if Azure's ingestion makes the index. With
    `names_indexes` a definition names indexes instead of knowledge sources. At most one of them may be an Azure AI
    Search index.
    """

    noun: str
    article: str = "a"
    members: Callable[[Defined, HasKey], Members]
    from_members: Callable[[Members], Defined]
    merge: Callable[[Defined, Defined, Defined], Defined]
    check: Callable[[Members], None] = lambda members: None
    complete: Callable[[Defined], Defined] = lambda definition: definition
    names_indexes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDefinitions(Generic[Defined]):
    """The contract for one kind of definition in one version.

    `status` is the shape of a definition's status. With `paged` the query
    of a list may ask for a page (`pages.page_of`).
    """

    shape: type[Definition]
    kind: DefinitionKind[Defined]
    status: type[SourceStatus] = SourceStatus
    paged: bool = False

    def parse(self, body: bytes, *, name: str | None, has_key: HasKey) -> Callable[[Defined | None], Defined]:
        """Reads a body, and returns a function that applies the body to the stored definition. Raises BadRequest.

        `name` is the name in the address; None if the address has no name. The model's `apiKey`, which can only be
        `<redacted>`, is left out. The index of a target is empty if the body names only the source of the target.
        """
        definition = request_body.read(
            body, self.shape, names=names_of(self.shape), free=_FREE | FREE, elsewhere=partial(_elsewhere, self)
        )
        request_body.refuse_repeated(body)
        members = definition.model_dump()
        if name is not None and definition.name != name:
            raise BadRequest(f"The name in the body must be the one in the address, {name[:128]!r}.", target="name")
        if members.get("encryption_key") is not None:
            raise BadRequest("Customer-managed encryption keys are not supported here.", target="encryptionKey")
        for place, text in _prose(members):
            request_body.refuse_control_characters(text, target=place)
        self.kind.check(members)
        _check_credentials(members, has_key)
        for model in members.get("models") or ():
            model["azure_open_ai_parameters"]["api_key"] = None
        return partial(self._apply_update, self.kind.from_members(members))

    def render(self, stored: Stored[Defined], *, status: int, has_key: HasKey) -> Rendered:
        """The answer with one definition. The etag is in the body and in the header."""
        body = self._body(stored, has_key).model_dump_json(by_alias=True)
        return Rendered(status=status, body=body.encode(), headers={"ETag": quote_etag(stored.etag)})

    def select(self, text: str | None) -> frozenset[str] | None:
        """The members that `$select` names, and the etag; None for all. The case of a name does not matter. Raises
        BadRequest for a member that the version does not have."""
        names = [name.strip() for name in (text or "*").split(",", maxsplit=MOST_SELECTED)]
        if "*" in names:
            return None
        own = {(field.alias or name).lower(): field.alias or name for name, field in self.shape.model_fields.items()}
        if (unknown := next((name for name in names if name.lower() not in own), None)) is not None:
            raise BadRequest(f"The {self.kind.noun} has no property {unknown[:100]!r}.", target="$select")
        return frozenset((ETAG, *(own[name.lower()] for name in names)))

    def render_all(
        self,
        definitions: Sequence[Kept[Defined]],
        *,
        has_key: HasKey,
        selected: frozenset[str] | None = None,
        next_link: str | None = None,
    ) -> Rendered:
        """The answer with a list of definitions, each with the `selected` members (`select`).

        An unreadable definition has its name, its etag and a description that says that it cannot be read. Its other
        members are empty, null or left out."""
        bodies = (self._body(definition, has_key).model_dump(by_alias=True) for definition in definitions)
        if selected is not None:
            bodies = ({name: value for name, value in body.items() if name in selected} for body in bodies)
        link = {} if next_link is None else {"@odata.nextLink": next_link}
        return Rendered(status=200, body=pydantic_core.to_json({"value": list(bodies), **link}))

    def render_status(self, source: Source, *, documents: int | None = None, is_there: bool = True) -> Rendered:
        """The answer with the status of a knowledge source. The status is `creating` if `is_there` is false, which
        means that the index of the source does not exist."""
        members = {
            "kind": source.kind,
            "synchronization_status": "active" if is_there else "creating",
            "document_count": documents,
            "synchronized_by": "searchService" if source.kind in INGESTED else None,
        }
        return Rendered(status=200, body=express(self.status, members).model_dump_json(by_alias=True).encode())

    def read_all(self, values: object) -> tuple[Defined, ...]:
        """The definitions in the JSON array of a file. Raises ValueError with the place of the first fault, or with a
        name that is defined twice."""
        try:
            definitions = TypeAdapter[list[Any]](list[self.shape]).validate_python(values)  # type: ignore[name-defined]
            for definition in definitions:
                self.kind.check(definition.model_dump())
        except ValidationError as error:
            fault = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            raise ValueError(f"{_called(values, fault['loc'])}{place}: {fault['msg']}") from None
        except BadRequest as error:
            raise ValueError(f"{error.target}: {error.message}") from None
        names = [definition.name for definition in definitions]
        if repeats := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"the {self.kind.noun} {min(repeats)!r} is defined twice")
        return tuple(self.kind.complete(self.kind.from_members(definition.model_dump())) for definition in definitions)

    def _apply_update(self, update: Defined, stored: Defined | None) -> Defined:
        if stored is None:
            return self.kind.complete(update)
        view = express(self.shape, self.kind.members(stored, lambda model: False)).model_dump()
        return self.kind.complete(self.kind.merge(stored, update, self.kind.from_members(view)))

    def _body(self, entry: Kept[Defined], has_key: HasKey) -> Definition:
        etag = {"etag": quote_etag(entry.etag)}
        if isinstance(entry, Stored):
            return express(self.shape, {**self.kind.members(entry.value, has_key), **etag})
        description = UNREADABLE.format(article=self.kind.article, noun=self.kind.noun)
        return express(self.shape, {**NO_MEMBERS, "name": entry.name, "description": description, **etag})


def _elsewhere(contract: AzureDefinitions[Any], location: request_body.Location, word: str | None) -> Sequence[str]:
    """The versions in which this kind of definition has a member at the location (see `request_body.Elsewhere`). Agents
    and knowledge bases count as one kind."""
    contracts = ((version, other) for _, version, other in definition_contracts())
    shapes_of_kind = (
        (version, other.shape) for version, other in contracts if other.kind.from_members is contract.kind.from_members
    )
    return accepting_versions(shapes_of_kind, location, word)


def _called(values: object, place: Sequence[int | str]) -> str:
    """The name of the definition at a place of a file, with a space; empty if it has no name."""
    definition = values[place[0]] if isinstance(values, list) and place and isinstance(place[0], int) else None
    name = definition.get("name") if isinstance(definition, dict) else None
    return f"{name[:128]!r} " if isinstance(name, str) else ""


def _prose(members: Members) -> Iterator[tuple[str, str]]:
    """The free texts in a body, each with its place."""
    output = members.get("output_configuration") or {}
    for name in PROSE:
        place = to_camel(name)
        yield place, members.get(name) or ""
        yield f"outputConfiguration.{place}", output.get(name) or ""


def _check_credentials(members: Members, has_key: HasKey) -> None:
    """Refuses a key or an identity for the model in a definition. `<redacted>` is accepted if the configuration has a
    key for the model. Raises BadRequest."""
    if not members.get("models"):
        return
    parameters = members["models"][0]["azure_open_ai_parameters"]
    if parameters["auth_identity"] is not None:
        reason = "The model is called with this service's own identity; leave authIdentity out."
        raise BadRequest(reason, target=f"{PARAMETERS}.authIdentity")
    if parameters["api_key"] == REDACTED and (model := agent_of(members).model) is not None and has_key(model):
        return
    if parameters["api_key"] is not None:
        reason = (
            "This service keeps no keys. Leave apiKey out: the model is called with this service's identity, or with "
            "the key that its configuration has for it (AZURE_OPENAI_API_KEY, AGENTS_FILE)."
        )
        raise BadRequest(reason, target=f"{PARAMETERS}.apiKey")


def _check_source(members: Members) -> None:
    """Checks that a source has the parameters of its kind, and no parameters of another kind. Only the kind `file` may
    have `corsOptions`. Then checks the parameters. Raises BadRequest."""
    kind = members["kind"]
    own_name, parameters = to_camel(parameters_of(kind)), members.get(parameters_of(kind))
    if parameters is None:
        raise BadRequest(f"The property {own_name!r} is required.", target=own_name)
    for other in KINDS:
        if other != kind and members.get(parameters_of(other)) is not None:
            reason = f"A source of kind {kind!r} has the property {own_name!r} alone."
            raise BadRequest(reason, target=to_camel(parameters_of(other)))
    if kind != "file" and members.get("cors_options") is not None:
        raise BadRequest("Sources of kind 'file' alone have corsOptions.", target="corsOptions")
    if (check := KINDS[kind].check) is not None:
        check(parameters)


BASES: Final[DefinitionKind[Agent]] = DefinitionKind(
    noun="knowledge base",
    members=agent_members,
    from_members=agent_of,
    merge=partial(merge_agent, key=lambda target: target.source_name),
)
AGENTS: Final = replace(BASES, noun="agent", article="an")
AGENTS_OF_INDEXES: Final = replace(
    AGENTS, merge=partial(merge_agent, key=lambda target: target.index), names_indexes=True
)
SOURCES: Final[DefinitionKind[Source]] = DefinitionKind(
    noun="knowledge source",
    members=lambda source, has_key: source_members(source),
    from_members=source_of,
    merge=merge_source,
    check=_check_source,
    complete=with_index,
)
