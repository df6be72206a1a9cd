"""The reasons why Azure OpenAI refuses a prompt, by its code, or without one by the beginning of its message.

Sources: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter, the error codes of
https://platform.openai.com/docs/guides/error-codes, and answers that users of the service have quoted.
"""

from collections.abc import Mapping
from typing import Final

from retrieval.errors import Refusal

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
