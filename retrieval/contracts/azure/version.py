"""An api-version as data: its kinds, its defaults, and what it changes. Its shapes follow from the marks of their
members (`members_by_version`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from retrieval.contracts.azure.members_by_version import shape_in
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve import request_shapes
from retrieval.contracts.azure.retrieve.record_shapes import Out
from retrieval.contracts.azure.retrieve.requests import Defaults, read_as, request_of
from retrieval.contracts.azure.retrieve.responses import Types, render_as
from retrieval.contracts.rendered import Rendered
from retrieval.model.definitions import Agent, SourceKind
from retrieval.model.retrieval import Outcome, RetrievalRequest

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions
    from retrieval.contracts.azure.retrieve.events import Events


@dataclass(frozen=True, kw_only=True, eq=False)
class Version:
    """An api-version with agents over knowledge sources, or with knowledge bases: a contract of retrieve, of its events
    and of definitions.

    `kinds` are the kinds of knowledge sources that it has and that are served. With `answer_first` the written answer
    is an event before that of the references; None stands for no events. With `paged` lists have pages. `request_shape`
    and `response_shape` have the members of a request and an answer, and `request_base` has further validators.
    `complete` gives a request what only this version has. `changes` has the members, as `Shape.member`, that this
    version has or lacks whatever their marks say.
    """

    name: str
    kinds: tuple[SourceKind, ...]
    defaults: Defaults
    types: Types = field(default_factory=Types)
    answer_first: bool | None = None
    paged: bool = False
    request_shape: type[Wire] = request_shapes.RetrieveRequest
    request_base: type[Wire] | None = None
    response_shape: type[Out] | None = None
    complete: Callable[[RetrievalRequest, Agent], RetrievalRequest] | None = None
    changes: Mapping[str, bool] = field(default_factory=dict)

    @property
    def threshold(self) -> float:
        """The threshold of a definition that states none."""
        return self.defaults.threshold

    @cached_property
    def request(self) -> Any:
        """The shape of a retrieve request."""
        return shape_in(self.request_shape, self, base=self.request_base)

    @cached_property
    def response(self) -> Any:
        """The shape of a retrieve answer."""
        if self.response_shape is not None:
            return shape_in(self.response_shape, self)
        from retrieval.contracts.azure.retrieve.response_shapes import RetrieveResponse

        return shape_in(RetrieveResponse, self)

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request from a body. See `request_of`. Raises BadRequest."""
        wire = read_as(self.request, body)
        request = request_of(wire, agent, self.kinds, self.defaults, user_token=user_token)
        return request if self.complete is None else self.complete(request, agent)

    def render(self, outcome: Outcome) -> Rendered:
        """The answer for an outcome."""
        return render_as(self.response, self.types, outcome)

    @cached_property
    def events(self) -> "Events | None":
        """The contract that renders a retrieval as events; None if the version has no events."""
        if self.answer_first is None:
            return None
        from retrieval.contracts.azure.retrieve.events import Events

        return Events(types=self.types, response=self.response, answer_first=self.answer_first)

    def definitions(self, route: str) -> "AzureDefinitions[Any]":
        """The contract of the definitions of a route. Its modules are loaded with the first definition."""
        from retrieval.contracts.azure.definition_shapes import KnowledgeBase
        from retrieval.contracts.azure.definitions import AGENTS, BASES, SOURCES, AzureDefinitions
        from retrieval.contracts.azure.source_shapes import KnowledgeSource, SourceStatus

        if route.startswith("knowledgesources"):
            shape, status = shape_in(KnowledgeSource, self), shape_in(SourceStatus, self)
            return AzureDefinitions(shape=shape, kind=SOURCES, status=status, paged=self.paged)
        kind = AGENTS if route == "agents" else BASES
        return AzureDefinitions(shape=shape_in(KnowledgeBase, self), kind=kind, paged=self.paged)
