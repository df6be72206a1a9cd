"""What an administrator defines: agents and what they search."""

from dataclasses import dataclass, field

from retrieval.filters.field_map import FieldMap


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFields:
    """Which fields of an index mean what: its key, and the roles of its semantic configuration.

    `semantic_configuration` None lets the service take the index's default. `vectors` are the fields that the service
    itself can vectorize a text for.
    """

    key: str
    semantic_configuration: str | None = None
    title: str | None = None
    terms: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()

    @property
    def semantic(self) -> tuple[str, ...]:
        """The semantic fields in the order title, terms, content, each once."""
        return tuple(dict.fromkeys((*self.titles, *self.terms, *self.content)))

    @property
    def titles(self) -> tuple[str, ...]:
        """The title field, if there is one."""
        return () if self.title is None else (self.title,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An index or a knowledge base that an agent searches, by its name, with the agent's defaults for it."""

    index: str
    reranker_threshold: float | None = None
    include_source_data: bool | None = None
    max_documents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDeployment:
    """A chat model: an Azure OpenAI endpoint and a deployment on it; without a key, the service's identity is used.

    `model_name` is what people call the model, e.g. gpt-4o-mini; nothing depends on it.
    """

    endpoint: str
    deployment: str
    api_key: str | None = field(default=None, repr=False)
    model_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A named way to retrieve. `max_runtime` is in seconds, `max_output_tokens` in tokens of grounding text."""

    name: str
    targets: tuple[Target, ...]
    model: ModelDeployment | None = None
    max_runtime: float | None = None
    max_output_tokens: int | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedIndex:
    """An index of an agent as callers of another service know it: under a workspace and an id.

    `fields` are what their filters may name.
    """

    workspace: str
    id: str
    agent: str
    index: str
    fields: FieldMap = field(default_factory=dict)
