"""The envelopes of errors."""

from typing import Final

from retrieval.contracts.azure import errors as azure_errors
from retrieval.contracts.model_studio import errors as studio_errors
from retrieval.openapi import examples
from retrieval.openapi.description import Body, Shape

ERROR: Final = Body(
    shape=Shape(name="Error", type=azure_errors.ErrorResponse, mode="serialization", whole=True),
    examples={"refused": examples.REFUSED},
)
STUDIO_ERROR: Final = Body(
    shape=Shape(name="ModelStudioError", type=studio_errors.ErrorResponse, mode="serialization", whole=True),
    examples={"refused": examples.REFUSED_PARAMETER},
)
