"""The kind `modelStudioBase`: a knowledge base of Alibaba Cloud Model Studio. Azure does not have this kind. The name
of the base is its name in the setting MODEL_STUDIO_BASES."""

from dataclasses import replace
from typing import Final

from retrieval.contracts.azure.kinds.kind import Kind, Members, ObjectName, check_nothing
from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import Source


class BaseParameters(Wire):
    """The parameters of a Model Studio base. `base_name` is the name of the base in the setting MODEL_STUDIO_BASES."""

    base_name: ObjectName


def _members(source: Source) -> Members:
    return {"base_name": source.index}


def _read(source: Source, parameters: Members) -> Source:
    return replace(source, index=parameters.get("base_name") or "")


MODEL_STUDIO_BASE: Final = Kind(members=_members, read=_read, check=check_nothing)
