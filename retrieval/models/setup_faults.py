"""The answers of Azure OpenAI that report a fault in this service's setup, by status and code. These answers do not
depend on the caller's request.

Sources: the error codes of https://learn.microsoft.com/azure/ai-foundry/openai/reference, and answers that users of the
service have quoted.
"""

from typing import Final, NamedTuple

from retrieval.errors import BackendMisconfigured, Lack
from retrieval.models.completion import SERVICE


class OpenAIRefusal(NamedTuple):
    """An answer with a known meaning. If `code` is empty, the status alone identifies the answer."""

    status: int
    code: str
    lack: Lack
    hint: str


DEPLOYMENT: Final = "Make the deployment, or correct AZURE_OPENAI_DEPLOYMENT, ALLOWED_MODELS or the agent's model."
MODEL: Final = "Deploy a model that is served and chats: MODEL_NAME, then azd provision."

LACKING: Final = (
    OpenAIRefusal(404, "DeploymentNotFound", "deployment", DEPLOYMENT),
    OpenAIRefusal(404, "model_not_found", "deployment", DEPLOYMENT),
    OpenAIRefusal(404, "", "address", "Set AZURE_OPENAI_ENDPOINT to https://<resource>.openai.azure.com."),
    OpenAIRefusal(410, "", "model", MODEL),
    OpenAIRefusal(400, "OperationNotSupported", "model", MODEL),
    OpenAIRefusal(429, "insufficient_quota", "quota", "Look at the subscription's quota and billing."),
)


def lacking(status: int, code: str) -> BackendMisconfigured | None:
    """The error for an answer in LACKING; None for any other answer."""
    known = next((row for row in LACKING if row.status == status and row.code in {"", code}), None)
    return known and BackendMisconfigured(SERVICE, status=status, lack=known.lack, hint=known.hint)
