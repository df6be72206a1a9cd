"""The contract of definitions, whatever the version: a version says by a shape which members it has.

A key in a definition is the operator's affair: `AGENTS_FILE` may have one, a call may not. Nothing here keeps secrets,
so none is taken in; where the configuration has a key for a model, `apiKey` reads `<redacted>` in answers, and may come
back as that. What a version cannot say of a stored definition, a PUT in that version keeps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final, Generic

import pydantic_core
from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.contracts import definition_contracts
from retrieval.contracts.azure import parts
from retrieval.contracts.azure.conditions import quoted
from retrieval.contracts.azure.definition_members import (
    REDACTED,
    HasKey,
    Members,
    agent_members,
    agent_of,
    expressed,
    merged,
    merged_agent,
    source_members,
    source_of,
)
from retrieval.contracts.azure.definition_shapes import Definition, SourceStatus
from retrieval.contracts.azure.elsewhere import having, shapes_of
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, Source, Target
from retrieval.model.etags import Defined, Kept, Stored

UNREADABLE: Final = (
    "What is stored under this name cannot be read as {article} {noun}. Delete it, or put the {noun} anew."
)
FREE: Final = frozenset({"tags", "encryptionKey", "authIdentity"})
"""Members whose own members have names of the caller's making."""

PROSE: Final = ("description", "retrieval_instructions", "answer_instructions")
PARAMETERS: Final = "models[0].azureOpenAIParameters"
OF_INDEX: Final = "searchIndexParameters"
OF_BASE: Final = "modelStudioBaseParameters"
NOTHING_READ: Final[Members] = {"models": [], "target_indexes": [], "knowledge_sources": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Generic[Defined]):
    """How a kind of definition is said. `check` raises BadRequest for members that do not go together.

    `merged` takes what is stored, what a version said, and what that version shows of what is stored. Where
    `names_indexes` a definition names indexes instead of sources, of Azure's one at most.
    """

    noun: str
    article: str = "a"
    members: Callable[[Defined, HasKey], Members]
    of: Callable[[Members], Defined]
    merged: Callable[[Defined, Defined, Defined], Defined]
    check: Callable[[Members], None]
    names_indexes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDefinitions(Generic[Defined]):
    """One version of one kind of definitions. `status` is there where a definition has one.

    Where it is `paged` a list is as much as its query asks for (`listing`).
    """

    shape: type[Definition]
    words: Words[Defined]
    status: type[SourceStatus] | None = None
    paged: bool = False

    @property
    def names(self) -> Mapping[str, str]:
        """Lower-case property names to those of this version."""
        return _names(self.shape)

    @property
    def names_indexes(self) -> bool:
        """Whether a definition names indexes instead of sources, of Azure's one at most."""
        return self.words.names_indexes

    def parse(self, body: bytes, *, name: str | None, has_key: HasKey) -> Callable[[Defined | None], Defined]:
        """What a body makes of what is stored, never with a key in it. Raises BadRequest.

        `name` is the one of the address. The index of a target is empty where the body names its source alone.
        """
        definition = parts.read(body, self.shape, names=self.names, free=FREE, elsewhere=partial(_elsewhere, self))
        members = definition.model_dump()
        if name is not None and definition.name != name:
            raise BadRequest(f"The name in the body must be the one in the address, {name[:128]!r}.", target="name")
        if members.get("encryption_key") is not None:
            raise BadRequest("Customer-managed encryption keys are not supported here.", target="encryptionKey")
        for place, text in _proses(members):
            parts.refuse_control_characters(text, target=place)
        self.words.check(members)
        _check_credentials(members, has_key)
        return partial(self._over, self.words.of(_without_key(members)))

    def render(self, stored: Stored[Defined], *, status: int, has_key: HasKey) -> Rendered:
        """One definition, with its etag in the body and in the header."""
        body = self._shown(stored, has_key).model_dump_json(by_alias=True)
        return Rendered(status=status, body=body.encode(), headers={"ETag": quoted(stored.etag)})

    def render_all(self, kept: Sequence[Kept[Defined]], *, has_key: HasKey, following: str | None = None) -> Rendered:
        """The list; what cannot be read is in it by its name, with a description that says so."""
        shown = (self._shown(one, has_key).model_dump(by_alias=True) for one in kept)
        link = {} if following is None else {"@odata.nextLink": following}
        return Rendered(status=200, body=pydantic_core.to_json({"value": list(shown), **link}))

    def render_status(self, source: Source) -> Rendered:
        """That of a knowledge source."""
        shape = self.status or SourceStatus
        return Rendered(
            status=200, body=expressed(shape, {"kind": source.kind}).model_dump_json(by_alias=True).encode()
        )

    def read_all(self, values: object) -> tuple[Defined, ...]:
        """The definitions of a file, from a JSON array. Raises ValueError with the place of the first fault."""
        try:
            definitions = TypeAdapter[list[Any]](list[self.shape]).validate_python(values)  # type: ignore[name-defined]
            for definition in definitions:
                self.words.check(definition.model_dump())
        except ValidationError as error:
            fault = error.errors(include_input=False, include_url=False)[0]
            raise ValueError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
        except BadRequest as error:
            raise ValueError(f"{error.target}: {error.message}") from None
        names = [definition.name for definition in definitions]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"the {self.words.noun} {min(repeated)!r} is defined twice")
        return tuple(self.words.of(definition.model_dump()) for definition in definitions)

    def _over(self, sent: Defined, kept: Defined | None) -> Defined:
        if kept is None:
            return sent
        shown = expressed(self.shape, self.words.members(kept, _nobody)).model_dump()
        return self.words.merged(kept, sent, self.words.of(shown))

    def _shown(self, kept: Kept[Defined], has_key: HasKey) -> Definition:
        etag = {"etag": quoted(kept.etag)}
        if isinstance(kept, Stored):
            return expressed(self.shape, {**self.words.members(kept.value, has_key), **etag})
        description = UNREADABLE.format(article=self.words.article, noun=self.words.noun)
        return expressed(self.shape, {**NOTHING_READ, "name": kept.name, "description": description, **etag})


@cache
def _names(shape: type[Definition]) -> Mapping[str, str]:
    return parts.property_names(shapes_of(shape))


def _elsewhere(contract: AzureDefinitions[Any], location: parts.Location, word: str | None) -> Sequence[str]:
    """The versions of definitions of a like kind that have a member, and take the word for it."""
    contracts = (
        (version, other) for _, version, other in definition_contracts() if isinstance(other, AzureDefinitions)
    )
    alike = ((version, other.shape) for version, other in contracts if other.words.of is contract.words.of)
    return having(alike, location, word)


def _nobody(model: object) -> bool:
    return False


def _proses(members: Members) -> Iterator[tuple[str, str]]:
    """The texts that people write, with their places."""
    output = members.get("output_configuration") or {}
    for name in PROSE:
        place = to_camel(name)
        yield place, members.get(name) or ""
        yield f"outputConfiguration.{place}", output.get(name) or ""


def _without_key(members: Members) -> Members:
    for model in members.get("models") or ():
        model["azure_open_ai_parameters"]["api_key"] = None
    return members


def _check_credentials(members: Members, has_key: HasKey) -> None:
    """No key may be in it, but for the sign that there is one."""
    if not members.get("models"):
        return
    parameters, model = members["models"][0]["azure_open_ai_parameters"], agent_of(members).model
    if parameters["auth_identity"] is not None:
        reason = "The model is called with this service's own identity; leave authIdentity out."
        raise BadRequest(reason, target=f"{PARAMETERS}.authIdentity")
    if parameters["api_key"] == REDACTED and model is not None and has_key(model):
        return
    if parameters["api_key"] is not None:
        reason = (
            "This service keeps no keys. Leave apiKey out: the model is called with this service's identity, or with "
            "the key that its configuration has for it (AZURE_OPENAI_API_KEY, AGENTS_FILE)."
        )
        raise BadRequest(reason, target=f"{PARAMETERS}.apiKey")


def _check_nothing(members: Members) -> None:
    """The shape says it all."""


def _check_source(members: Members) -> None:
    """The parameters are those of its kind, and its filter is one."""
    own, other = (OF_INDEX, OF_BASE) if members["kind"] == "searchIndex" else (OF_BASE, OF_INDEX)
    given = {OF_INDEX: members["search_index_parameters"], OF_BASE: members.get("model_studio_base_parameters")}
    if given[own] is None:
        raise BadRequest(f"The property {own!r} is required.", target=own)
    if given[other] is not None:
        raise BadRequest(f"A source of kind {members['kind']!r} has the property {own!r} alone.", target=other)
    parts.filter_of(given[own].get("base_filter"), target=f"{OF_INDEX}.baseFilter")


def _source_name(target: Target) -> str:
    return target.source_name


def _index(target: Target) -> str:
    return target.index


BASES: Final[Words[Agent]] = Words(
    noun="knowledge base",
    members=agent_members,
    of=agent_of,
    merged=partial(merged_agent, key=_source_name),
    check=_check_nothing,
)
AGENTS: Final = replace(BASES, noun="agent", article="an")
AGENTS_OF_INDEXES: Final = replace(AGENTS, merged=partial(merged_agent, key=_index), names_indexes=True)
SOURCES: Final[Words[Source]] = Words(
    noun="knowledge source",
    members=lambda source, has_key: source_members(source),
    of=source_of,
    merged=merged,
    check=_check_source,
)
