"""The errors that only this contract has."""

from typing import Literal, TypeAlias

from retrieval.errors import AccessError, NotFound

SignatureFault: TypeAlias = Literal["incomplete", "key", "mismatch", "date", "expired", "replayed"]


class BadSignature(AccessError):
    """The signature of a call is not valid. `fault` is the kind of fault, and `reason` is a sentence about it."""

    def __init__(self, fault: SignatureFault, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault


class NoWorkspace(NotFound):
    """No workspace of that name is served here."""

    def __init__(self, name: str) -> None:
        super().__init__("workspace", name)
        self.args = (f"No workspace permissions can be used, workspace: {name}",)


class NoSuchCall(NotFound):
    """An operation is not served here. `kind` says whether its path, action or version is unknown."""
