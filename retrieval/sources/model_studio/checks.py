"""Checks the knowledge bases of Model Studio. The signature must be accepted, and the workspace and the index must
exist.

The check calls Retrieve once for each knowledge base, because Model Studio has no free call.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from retrieval.errors import BackendError
from retrieval.model.finding import About, Finding
from retrieval.sources.model_studio.response import Failure
from retrieval.text.length import quotation

QUESTION: Final = "holiday"

_DO: Final[Mapping[str, tuple[str, str]]] = {
    "InvalidAccessKeyId": ("it knows no such access key", "Correct MODEL_STUDIO_ACCESS_KEY_ID."),
    "SignatureDoesNotMatch": ("the signature is wrong", "Correct MODEL_STUDIO_ACCESS_KEY_SECRET."),
    "IncompleteSignature": ("the signature is wrong", "Correct MODEL_STUDIO_ACCESS_KEY_SECRET."),
    "InvalidTimeStamp": ("this machine's clock is wrong", "Set the clock: more than 15 minutes are refused."),
    "NoPermission": (
        "the access key may not retrieve",
        "Give its RAM user the action sfm:Retrieve (AliyunBailianDataFullAccess) in https://ram.console.aliyun.com",
    ),
    "NoWorkspacePermissions": (
        "the access key has no part in the workspace",
        "Correct workspace in MODEL_STUDIO_BASES, or add the RAM user to the workspace.",
    ),
    "NotExist": ("there is no such knowledge base", "Correct index and region in MODEL_STUDIO_BASES."),
    "NotFound": ("there is no such knowledge base", "Correct index and region in MODEL_STUDIO_BASES."),
}


class Studio(Protocol):
    """Calls Retrieve once for a knowledge base. `base` is the name that agents use."""

    async def try_once(self, base: str, query: str) -> Failure | None:
        """The failure of the call; None if the call succeeds. Raises BackendError."""


async def examine(studio: Studio, base: str) -> Sequence[Finding]:
    """The finding about one knowledge base."""
    about = About("model studio", base)
    try:
        failure = await studio.try_once(base, QUESTION)
    except BackendError as error:
        return [about.fault(str(error), "Correct region or endpoint in MODEL_STUDIO_BASES.")]
    if failure is None:
        return [about.ok("It accepts the signature, and retrieves.")]
    return [_failure_finding(failure, about)]


def _failure_finding(failure: Failure, about: About) -> Finding:
    sentence = quotation(f"{failure.status} {failure.code}: {failure.message}")
    for part in failure.code.split("."):
        if part in _DO:
            reason, do = _DO[part]
            return about.fault(f"{reason[0].upper()}{reason[1:]} ({sentence}).", do)
    if failure.throttled:
        return about.warning(
            f"It throttles ({sentence}).", "Ask less at once, or ask Alibaba Cloud for a higher limit."
        )
    return about.fault(f"It failed ({sentence}).", "See the message.")
