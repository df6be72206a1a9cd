"""The routes of definitions: agents, knowledge bases and knowledge sources, in each of their versions."""

from dataclasses import dataclass
from typing import Any, Final

from retrieval.contracts.described import (
    AZURE,
    BASE_NAME,
    CREATION,
    DELETION,
    LISTING,
    NAME,
    READING,
    REQUEST_ID,
    SOURCE_DELETION,
    WRITING,
    Body,
    DescribedResponse,
    Description,
    JsonObject,
    Kinds,
    answered,
)
from tools.openapi import examples, versions
from tools.openapi.parameters import IF_MATCH, IF_NONE_MATCH, PAGES, PREFER, SELECT, SOURCE_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The routes of one kind of definitions.

    `id` is the name of the kind in the ids of operations (`getAgent`) and in the names of shapes (`StoredAgent`).
    `example_version` is a version that has every member of the example.
    """

    path: str
    id: str
    noun: str
    example: JsonObject
    example_version: str
    name: JsonObject
    deletion: Kinds = DELETION

    def descriptions(self) -> tuple[Description, ...]:
        """The descriptions of list, create, get, put and delete."""
        return self._list(), self._create(), self._get(), self._put(), self._delete()

    @property
    def _request(self) -> Body:
        return Body(shape=versions.definition(self.path, self.id), examples={"definition": self.example})

    @property
    def _stored_body(self) -> Body:
        shape = versions.stored_definition(self.path, f"Stored{self.id}")
        return Body(shape=shape, examples={"definition": self._answer})

    @property
    def _list_body(self) -> Body:
        shape = versions.listed_definitions(self.path, f"{self.id}s", self._stored_body.shape)
        return Body(shape=shape, examples={"all": {"value": [self._answer]}})

    @property
    def _answer(self) -> JsonObject:
        return versions.answered_definition(self.path, self.example_version, self.example)

    @property
    def _version(self) -> JsonObject:
        return versions.definition_version(self.path)

    def _description(self, verb: str, *, suffix: str = "", **members: Any) -> Description:
        return Description(id=f"{verb}{self.id}{suffix}", tag=self.path, envelope=AZURE, **members)

    def _list(self) -> Description:
        return self._description(
            "list",
            suffix="s",
            summary=f"All {self.noun}s, by name.",
            parameters=(self._version, SELECT, *(PAGES if versions.is_paged(self.path) else ()), REQUEST_ID),
            answers={200: DescribedResponse(description=f"The {self.noun}s.", body=self._list_body)},
            failures=LISTING,
        )

    def _create(self) -> Description:
        return self._description(
            "create",
            summary=f"Create a {self.noun}; 409 where there is one of that name.",
            parameters=(self._version, REQUEST_ID),
            request=self._request,
            answers={201: DescribedResponse(description="Created.", body=self._stored_body, headers=("ETag",))},
            failures=CREATION,
        )

    def _get(self) -> Description:
        response = DescribedResponse(description=f"The {self.noun}.", body=self._stored_body, headers=("ETag",))
        return self._description(
            "get",
            summary=f"A {self.noun} as it is stored now.",
            parameters=(self.name, self._version, REQUEST_ID),
            answers={200: response},
            failures=READING,
        )

    def _put(self) -> Description:
        return self._description(
            "put",
            summary=f"Create a {self.noun}, or replace it; what this version cannot say is kept.",
            parameters=(self.name, self._version, IF_MATCH, IF_NONE_MATCH, PREFER, REQUEST_ID),
            request=self._request,
            answers={
                200: DescribedResponse(description="Replaced.", body=self._stored_body, headers=("ETag",)),
                201: DescribedResponse(description="Created.", body=self._stored_body, headers=("ETag",)),
                204: DescribedResponse(
                    description="Replaced, and the caller did not ask for the definition.", headers=("ETag",)
                ),
            },
            failures=WRITING,
        )

    def _delete(self) -> Description:
        return self._description(
            "delete",
            summary=f"Delete a {self.noun}.",
            parameters=(self.name, self._version, IF_MATCH, IF_NONE_MATCH, REQUEST_ID),
            answers={204: DescribedResponse(description="Deleted.")},
            failures=self.deletion,
        )


AGENTS: Final = Collection(
    path="agents", id="Agent", noun="agent", example=examples.AGENT, example_version="2025-05-01-preview", name=NAME
)
BASES: Final = Collection(
    path="knowledgebases",
    id="KnowledgeBase",
    noun="knowledge base",
    example=examples.BASE,
    example_version="2025-11-01-preview",
    name=BASE_NAME,
)
SOURCES: Final = Collection(
    path="knowledgesources",
    id="KnowledgeSource",
    noun="knowledge source",
    example=examples.SOURCE,
    example_version="2025-11-01-preview",
    name=SOURCE_NAME,
    deletion=SOURCE_DELETION,
)
STATUS: Final = Description(
    id="getKnowledgeSourceStatus",
    tag="knowledgesources",
    summary="Whether a knowledge source can be searched: as soon as its index is there.",
    parameters=(SOURCE_NAME, versions.definition_version("knowledgesources/status"), REQUEST_ID),
    answers=answered("Its status.", versions.source_status("KnowledgeSourceStatus"), active=examples.STATUS),
    envelope=AZURE,
    failures=READING,
)
DEFINITIONS: Final = (*AGENTS.descriptions(), *BASES.descriptions(), *SOURCES.descriptions(), STATUS)
