"""A document, as JSON has it."""

from typing import Any

Document = dict[str, Any]
