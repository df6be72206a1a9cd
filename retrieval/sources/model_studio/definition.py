"""The definition of the kind `modelStudioBase`, its records and its references: a knowledge base of Alibaba Cloud Model
Studio. Azure does not have this kind. The name of the base is its name in the setting MODEL_STUDIO_BASES."""

from dataclasses import replace
from typing import Annotated, Final, Literal

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.kind import Kind, Members, ObjectName, Shapes
from retrieval.contracts.azure.members_by_version import KIND as OF_KIND
from retrieval.contracts.azure.members_by_version import of_kind
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve.record_shapes import Arguments, FoundReference, Search
from retrieval.model.definitions import Source


class BaseParameters(Wire):
    """The parameters of a Model Studio base. `base_name` is the name of the base in the setting MODEL_STUDIO_BASES."""

    base_name: ObjectName


class BaseDefinition(Wire):
    model_studio_base_parameters: Annotated[OptionalMember[BaseParameters], of_kind("modelStudioBase")]


class ModelStudioBase(Search):
    type: Annotated[Literal["modelStudioBase"], OF_KIND]
    model_studio_base_arguments: Arguments


class ModelStudioReference(FoundReference):
    type: Annotated[Literal["modelStudioBase"], OF_KIND]
    doc_key: str


def _members(source: Source) -> Members:
    return {"base_name": source.index}


def _read(source: Source, parameters: Members) -> Source:
    return replace(source, index=parameters.get("base_name") or "")


KIND: Final = Kind(
    members=_members,
    read=_read,
    ignoring="a base of Model Studio",
    shapes=Shapes(definition=BaseDefinition, record=ModelStudioBase, reference=ModelStudioReference, is_own=True),
)
