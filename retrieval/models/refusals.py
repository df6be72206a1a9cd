"""The reasons why Azure OpenAI refuses a prompt, by its code, or without one by the beginning of its message; and its
answers that report a fault in this service's setup, by status and code, which do not depend on the caller's request.

Sources: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter, the error codes of
https://platform.openai.com/docs/guides/error-codes and https://learn.microsoft.com/azure/ai-foundry/openai/reference,
and answers that users of the service have quoted.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from retrieval.errors import BackendMisconfigured, Lack, Refusal

SERVICE: Final = "The chat model"

CODES: Final[Mapping[str, Refusal]] = {
    "content_filter": "content filter",
    "ResponsibleAIPolicyViolation": "content filter",
    "context_length_exceeded": "context length",
    "string_above_max_length": "context length",
    "unsupported_parameter": "unsupported parameter",
    "unsupported_value": "unsupported parameter",
    "unknown_parameter": "unsupported parameter",
    "invalid_json_schema": "unsupported parameter",
}
BEGINNINGS: Final[Mapping[str, Refusal]] = {
    "The response was filtered": "content filter",
    "This model's maximum context length": "context length",
    "Input tokens exceed": "context length",
    "Unsupported parameter": "unsupported parameter",
    "Unsupported value": "unsupported parameter",
    "Unrecognized request argument": "unsupported parameter",
    "Unknown parameter": "unsupported parameter",
    "Invalid parameter": "unsupported parameter",
}


def refusal(error: object) -> Refusal | None:
    """The reason in the JSON of an error; None if it is not known."""
    members = error if isinstance(error, dict) else {}
    code, message = members.get("code"), members.get("message")
    if isinstance(code, str) and code in CODES:
        return CODES[code]
    said = message if isinstance(message, str) else ""
    return next((reason for words, reason in BEGINNINGS.items() if said.startswith(words)), None)


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
