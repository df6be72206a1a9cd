"""What is read of the answers of retrieve (2026-08-01-preview) and of the answer operation; other members are left."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")


class Snake(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Reference(Camel):
    id: str = ""
    doc_key: str
    reranker_score: float | None = None


class Record(Camel):
    """A search has the name of its source, a model call its tokens."""

    type: str
    knowledge_source_name: str | None = None
    input_tokens: int | None = None


class Retrieved(Camel):
    references: list[Reference]
    activity: list[Record] = Field(default_factory=list)

    @property
    def by_id(self) -> list[Reference]:
        """The references in the order of their ids, best first; they are listed by score."""
        return sorted(self.references, key=lambda reference: int(reference.id) if reference.id.isdecimal() else 0)

    @property
    def searches(self) -> list[Record]:
        return [one for one in self.activity if one.knowledge_source_name is not None]

    @property
    def model_calls(self) -> int:
        return sum(one.input_tokens is not None and one.type.startswith("model") for one in self.activity)


class Selected(Snake):
    id: str
    doc_key: str
    score: float | None


class Evidence(Snake):
    confidence: float | None = None
    confidence_kind: str | None = None
    is_sufficient: bool | None


class Citation(Snake):
    chunk_id: str
    quote: str | None


class Step(Snake):
    searches: list[object] = Field(default_factory=list)


class Totals(Snake):
    model_calls: int


class Answered(Snake):
    selected: list[Selected]
    evidence: Evidence | None
    citations: list[Citation]
    activity: list[Step]
    totals: Totals


class BadReply(Exception):
    """An answer that has not the members of its contract."""


Shape = TypeVar("Shape", bound=BaseModel)


def read(shape: type[Shape], content: bytes) -> Shape:
    """Raises BadReply."""
    try:
        return shape.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the body"
        raise BadReply(f"The answer is not of the contract: {place}: {first['msg']}") from None


class ErrorBody(Snake):
    code: str = ""
    message: str = ""


class Failed(Snake):
    error: ErrorBody = Field(default_factory=ErrorBody)


def reason(status: int, content: bytes) -> str:
    """Why a call failed, in the service's words, without characters that a terminal obeys. Status 0 is no answer."""
    try:
        error = Failed.model_validate_json(content).error
    except ValidationError:
        error = ErrorBody()
    said = f"{status or ''} {error.code}: {error.message}" if error.message else f"{status}"
    return "".join(one if one.isprintable() else " " for one in said).strip()
