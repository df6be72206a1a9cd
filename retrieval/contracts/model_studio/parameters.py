"""The parameters of Retrieve, 2023-12-29. Their types, ranges and defaults are those of the published page and of
Alibaba's SDK.

A parameter may be a string or a JSON value. An array or an object may be JSON in a string. `Rerank`, `Rewrite`,
`SaveRetrieverHistory` and `Extra` are checked, but have no effect. Both top-K parameters together may be at most
200. This needs no check, because each is at most 100.

Parameters are in the query string, where the SDK sends them, and in a JSON body or a form. The query string is parsed
here, because the Functions host joins repeated parameters and drops empty parameters.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote_to_bytes

from pydantic import (
    AfterValidator,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic.alias_generators import to_pascal

from retrieval.errors import BadRequest
from retrieval.text import strict_json

MOST: Final = 200
"""The maximum number of parameters."""

FORM: Final = "application/x-www-form-urlencoded"


MOST_TURNS: Final = 1_000
MOST_MEMBERS: Final = 20
"""The maximum number of members of an object in `Rerank`, `Rewrite` or `QueryHistory`. Each unknown member is a
separate fault, so the number of faults is limited too."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_TRUTHS: Final = {"true": True, "1": True, "false": False, "0": False}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


def _whole(value: object) -> object:
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _number(value: object) -> object:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return float(value) if isinstance(value, Decimal) else value


def _truth(value: object) -> object:
    """A boolean in any of its spellings. Python clients send True, Node clients send true, and some clients send 1."""
    is_readable = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
    return _TRUTHS.get(str(value).lower(), value) if is_readable else value


def _json(value: object) -> object:
    """The JSON value in a string. As documented, the value may be encoded twice. A value that is not a string stays as
    it is."""
    for _ in range(2):
        if isinstance(value, str):
            value = strict_json.read(value)
    return value


def _as_list(value: object) -> object:
    value = _json(value)
    return [value] if isinstance(value, dict) else value


def _in_lower_case(value: object) -> object:
    """The object with its names in lower case. If two names differ only in case, the value of the last name is used.
    Raises ValueError for too many members."""
    if isinstance(value, dict) and len(value) > MOST_MEMBERS:
        raise ValueError(f"an object has {len(value)} members; none has more than {MOST_MEMBERS}")
    return {name.lower(): member for name, member in value.items()} if isinstance(value, dict) else value


def _plain(text: str) -> str:
    if match := _CONTROL.search(text):
        raise ValueError(f"the character U+{ord(match[0]):04X} is not allowed")
    return text


Text = Annotated[str, AfterValidator(_plain)]
TopK = Annotated[int, Field(ge=0, le=100), BeforeValidator(_whole)]
TopN = Annotated[int, Field(ge=1, le=20), BeforeValidator(_whole)]
Share = Annotated[float, Field(ge=0.01, le=1, allow_inf_nan=False), BeforeValidator(_number)]
Truth = Annotated[bool, BeforeValidator(_truth)]


class Part(BaseModel):
    """The base class of an object in a parameter. The names of its members may be in upper or lower case. Errors and
    the OpenAPI document have the documented names."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,
        alias_generator=AliasGenerator(
            validation_alias=lambda name: name.replace("_", ""), serialization_alias=to_pascal
        ),
    )


class RerankModel(Part):
    model_name: Literal["gte-rerank-hybrid", "gte-rerank", "qwen3-rerank-hybrid", "qwen3-rerank"] | None = None
    rerank_mode: Literal["qa", "similar", "custom"] | None = None
    rerank_instruct: str | None = None


class RewriteModel(Part):
    model_name: Literal["conv-rewrite-qwen-1.8b"] | None = None


class Turn(Part):
    role: Literal["user", "assistant"] = Field(serialization_alias="role")
    content: Text = Field(serialization_alias="content")


class Parameters(BaseModel):
    """The parameters of a call, with defaults. The filters are only decoded from JSON here."""

    model_config = ConfigDict(
        alias_generator=to_pascal,
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,
        arbitrary_types_allowed=True,
    )

    index_id: Text = ""
    query: Text = ""
    dense_similarity_top_k: TopK = 100
    sparse_similarity_top_k: TopK = 100
    enable_reranking: Truth = True
    rerank: Annotated[
        list[Annotated[RerankModel, BeforeValidator(_in_lower_case)]], Field(fail_fast=True), BeforeValidator(_as_list)
    ] = []
    rerank_min_score: Share | None = None
    rerank_top_n: TopN = 5
    enable_rewrite: Truth = False
    rewrite: Annotated[
        list[Annotated[RewriteModel, BeforeValidator(_in_lower_case)]], Field(fail_fast=True), BeforeValidator(_as_list)
    ] = []
    query_history: Annotated[
        list[Annotated[Turn, BeforeValidator(_in_lower_case)]],
        Field(max_length=MOST_TURNS, fail_fast=True),
        BeforeValidator(_json),
    ] = []
    images: Annotated[Any, WithJsonSchema({"type": "array", "items": {"type": "string"}})] = None
    search_filters: Annotated[
        Any, BeforeValidator(_json), WithJsonSchema({"type": "array", "items": {"type": "object"}})
    ] = None
    save_retriever_history: Truth = False
    extra: Annotated[dict[str, Any] | None, BeforeValidator(_json)] = None


_MEMBERS: Final = {
    name.replace("_", ""): field.serialization_alias or name
    for part in (RerankModel, RewriteModel, Turn)
    for name, field in part.model_fields.items()
}
_NAMES: Final = {to_pascal(name).lower(): to_pascal(name) for name in Parameters.model_fields}


def read(query: str, content_type: str, body: bytes) -> Parameters:
    """Reads the parameters of a call from its query string and its body. `query` is still percent-encoded.

    Raises BadRequest. Its target is the parameter, `query` or `body`. A parameter that is given twice with different
    values is refused too.
    """
    first, *repeats = [_validate(layer) for layer in _layers(_parameter_pairs(query, content_type, body))]
    for other in repeats:
        for name in other.model_fields_set:
            if getattr(first, name) != getattr(other, name):
                raise BadRequest("It is given twice with different values.", target=to_pascal(name))
    _check(first)
    return first


def _parameter_pairs(query: str, content_type: str, body: bytes) -> list[tuple[str, object]]:
    """The name and the value of each parameter, in order. A value is a string or a JSON value. Raises BadRequest.

    `query` is still percent-encoded. An empty body may have any content type, because the SDK's async client sends an
    empty body as an octet-stream.
    """
    pairs = [*_pairs(query), *_of_body(content_type, body)]
    if len(pairs) > MOST:
        raise BadRequest(f"More than {MOST} parameters are given.", target="query")
    return pairs


def _of_body(content_type: str, body: bytes) -> list[tuple[str, object]]:
    if not body.strip():
        return []
    if body.lstrip()[:1] == b"{":
        return _members(body)
    if content_type.partition(";")[0].strip().lower() == FORM and body.isascii():
        return list(_pairs(body.decode("ascii").strip()))
    raise BadRequest(f"It is neither a JSON object nor a form with the Content-Type {FORM}.", target="body")


def _members(body: bytes) -> list[tuple[str, object]]:
    try:
        value = strict_json.read(body)
    except strict_json.BadJson as error:
        raise BadRequest(f"It is not JSON: {error}.", target="body") from None
    return list(value.items()) if isinstance(value, dict) else []


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    for pair in text.split("&", MOST + 1) if text else ():
        name, _, value = pair.partition("=")
        yield _decode(name), _decode(value)


def _decode(text: str) -> str:
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode()
    except UnicodeError:
        raise BadRequest("A name or value is not UTF-8.", target="query") from None


def _layers(pairs: Iterable[tuple[str, object]]) -> list[dict[str, object]]:
    """The first list item has the first value of each parameter, the second item has the second values, and so on. A
    null counts as no value."""
    layers: list[dict[str, object]] = [{}]
    for name, value in pairs:
        spelling = _NAMES.get(name.lower())
        if spelling is None:
            raise BadRequest("There is no such parameter.", target=name[:100])
        if value is None:
            continue
        place = next((layer for layer in layers if spelling not in layer), None)
        if place is None:
            layers.append(place := {})
        place[spelling] = value
    return layers


def _validate(layer: dict[str, object]) -> Parameters:
    try:
        return Parameters.model_validate(layer)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        parts = (_MEMBERS.get(part, part) if isinstance(part, str) else part for part in fault["loc"][1:])
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
        message = fault["msg"].removeprefix("Value error, ")
        raise BadRequest(f"{place[:200]} {message}.".lstrip(". "), target=str(fault["loc"][0])) from None


def _check(parameters: Parameters) -> None:
    for target, text in (("IndexId", parameters.index_id), ("Query", parameters.query)):
        if not text.strip():
            raise BadRequest("It is required and must not be empty.", target=target)
    if parameters.dense_similarity_top_k == parameters.sparse_similarity_top_k == 0:
        reason = "SparseSimilarityTopK is 0 too, so there is nothing to search by."
        raise BadRequest(reason, target="DenseSimilarityTopK")
    if parameters.images not in (None, "", []):
        raise BadRequest("Search by image is not supported; send text.", target="Images")
