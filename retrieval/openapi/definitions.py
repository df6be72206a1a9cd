"""The routes of knowledge bases and knowledge sources. Shapes are the newest version's; earlier ones have less."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from retrieval.contracts.azure.definition_shapes import KindStatus
from retrieval.contracts.azure.v2025_08_01_preview import definitions as oldest
from retrieval.contracts.azure.v2026_08_01_preview import definitions as newest
from retrieval.openapi import examples
from retrieval.openapi.description import Body, DescribedResponse, Description, JsonObject, Shape
from retrieval.openapi.errors import AZURE, CREATED, DELETED, LISTED, READ, UNUSED, WRITTEN, Kinds
from retrieval.openapi.parameters import (
    BASE_NAME,
    BASES_VERSION,
    IF_MATCH,
    IF_NONE_MATCH,
    PREFER,
    REQUEST_ID,
    SOURCE_NAME,
    SOURCES_VERSION,
    STATUS_VERSION,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The routes of one kind of definitions. `id` ends the ids of its operations."""

    path: str
    id: str
    noun: str
    listed: Shape
    shape: Shape
    example: JsonObject
    version: JsonObject
    name: JsonObject
    deleted: Kinds = DELETED

    def descriptions(self) -> Iterator[tuple[str, Description]]:
        """Each route with what it takes and gives."""
        yield f"GET {self.path}", self._list()
        yield f"POST {self.path}", self._create()
        for method, one in (("GET", self._get()), ("PUT", self._put()), ("DELETE", self._delete())):
            yield f"{method} {self.path}/{{name}}", one
            yield f"{method} {self.path}('{{name}}')", odata(one)

    @property
    def _sent(self) -> Body:
        return Body(shape=self.shape, examples={"definition": self.example})

    @property
    def _stored(self) -> Body:
        return Body(shape=self.shape, examples={"definition": {**examples.STORED, **self.example}})

    def _described(self, verb: str, **members: Any) -> Description:
        return Description(id=f"{verb}{self.id}", tag=self.path, envelope=AZURE, **members)

    def _list(self) -> Description:
        body = Body(shape=self.listed, examples={"all": {"value": [{**examples.STORED, **self.example}]}})
        return self._described(
            "list",
            summary=f"All {self.noun}s, by name.",
            parameters=(self.version, REQUEST_ID),
            answers={200: DescribedResponse(description=f"The {self.noun}s.", body=body)},
            failures=LISTED,
        )

    def _create(self) -> Description:
        return self._described(
            "create",
            summary=f"Create a {self.noun}; 409 where there is one of that name.",
            parameters=(self.version, REQUEST_ID),
            request=self._sent,
            answers={201: DescribedResponse(description="Created.", body=self._stored, headers=("ETag",))},
            failures=CREATED,
        )

    def _get(self) -> Description:
        found = DescribedResponse(description=f"The {self.noun}.", body=self._stored, headers=("ETag",))
        return self._described(
            "get",
            summary=f"A {self.noun} as it is stored now.",
            parameters=(self.name, self.version, REQUEST_ID),
            answers={200: found},
            failures=READ,
        )

    def _put(self) -> Description:
        return self._described(
            "put",
            summary=f"Create a {self.noun}, or replace it; what this version cannot say is kept.",
            parameters=(self.name, self.version, IF_MATCH, IF_NONE_MATCH, PREFER, REQUEST_ID),
            request=self._sent,
            answers={
                200: DescribedResponse(description="Replaced.", body=self._stored, headers=("ETag",)),
                201: DescribedResponse(description="Created.", body=self._stored, headers=("ETag",)),
                204: DescribedResponse(description="Written, and the caller wants no body.", headers=("ETag",)),
            },
            failures=WRITTEN,
        )

    def _delete(self) -> Description:
        return self._described(
            "delete",
            summary=f"Delete a {self.noun}.",
            parameters=(self.name, self.version, IF_MATCH, IF_NONE_MATCH, REQUEST_ID),
            answers={204: DescribedResponse(description="Deleted.")},
            failures=self.deleted,
        )


def odata(description: Description) -> Description:
    """The other form of the address, which SDK clients send."""
    return replace(
        description, id=f"{description.id}Odata", summary=f"{description.summary} OData form of the address."
    )


BASES: Final = Collection(
    path="knowledgebases",
    id="KnowledgeBase",
    noun="knowledge base",
    shape=Shape(name="KnowledgeBase", type=newest.KnowledgeBase),
    listed=Shape(name="KnowledgeBases", type=newest.KnowledgeBases),
    example=examples.BASE,
    version=BASES_VERSION,
    name=BASE_NAME,
)
SOURCES: Final = Collection(
    path="knowledgesources",
    id="KnowledgeSource",
    noun="knowledge source",
    shape=Shape(name="KnowledgeSource", type=newest.KnowledgeSource | oldest.KnowledgeSource),
    listed=Shape(name="KnowledgeSources", type=newest.KnowledgeSources),
    example=examples.SOURCE,
    version=SOURCES_VERSION,
    name=SOURCE_NAME,
    deleted=UNUSED,
)
STATUS: Final = Description(
    id="getKnowledgeSourceStatus",
    tag="knowledgesources",
    summary="Whether a knowledge source can be searched: as soon as it is there.",
    parameters=(SOURCE_NAME, STATUS_VERSION, REQUEST_ID),
    answers={
        200: DescribedResponse(
            description="Its status.",
            body=Body(
                shape=Shape(name="KnowledgeSourceStatus", type=KindStatus, mode="serialization"),
                examples={"active": examples.STATUS},
            ),
        )
    },
    envelope=AZURE,
    failures=READ,
)
DEFINITIONS: Final = {
    **dict(BASES.descriptions()),
    **dict(SOURCES.descriptions()),
    "GET knowledgesources/{name}/status": STATUS,
    "GET knowledgesources('{name}')/status": odata(STATUS),
}
