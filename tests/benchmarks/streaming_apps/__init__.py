"""The same two answers, one JSON document and ten events of it, in one body and by the HTTP-streams extension."""

from typing import Final

EVENTS: Final = 10
DATA: Final = b'{"text":"' + b"A sentence of an answer. " * 80 + b'"}'
EVENT: Final = b"event: activity.completed\ndata: " + DATA + b"\n\n"
WHOLE: Final = b"[" + b",".join([DATA] * EVENTS) + b"]"
