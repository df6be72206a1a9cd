"""Kinds of plans, and what became of other replies. They are found by words, so that a person should read some too."""

import json
import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from retrieval.errors import BackendTimeout, BadModelReply
from retrieval.model.activity import StepActivity
from retrieval.model.conversation import Message
from tests.benchmarks.with_a_local_model.remembered import ModelCall

Use: TypeAlias = Literal["used", "used in part", "unreadable", "out of time", "failed", "not needed", "no model"]
USES: Final[Sequence[Use]] = (
    "used",
    "used in part",
    "unreadable",
    "out of time",
    "failed",
    "not needed",
    "no model",
)

PLANS: Final = (
    "plans",
    "in natural language",
    "not in natural language",
    "about the last message",
    "about the first message",
    "with a repeated query",
    "with today's date",
    "cut",
    "unreadable",
    "out of time",
)
"""The kinds of plans, which a plan may have several of. `about` is told of conversations alone."""

CODE: Final = re.compile(
    r"(?i:\b[\w/]+ (?:eq|ne|gt|ge|lt|le) (?:['\"\d]|null|true|false))"
    r"|(?i:\bselect\s+(?:distinct )?[\w.*]+(?:, ?[\w.*]+)*\s+from\s)"
    r"|\b(?:any|all|in|contains|ismatch)\(|[{}<>;\\|]|==|\w=\w|\$[a-z]|\w+/\w+/\w|^\w+/\w+$"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w*\("
)
WORD: Final = re.compile(r"\w{4,}")


def of_plan(call: ModelCall, messages: Sequence[Message], *, today: str) -> list[str]:
    """The kinds of the plan in a reply."""
    if call.fate == "out of time":
        return ["plans", "out of time"]
    queries = queries_of(call.text)
    if not queries:
        return ["plans", "cut" if call.fate == "cut" else "unreadable"]
    is_code = any(CODE.search(query) for query in queries)
    kinds = ["plans", "not in natural language" if is_code else "in natural language"]
    users = [message.text for message in messages if message.role == "user"]
    if len(users) > 1:
        kinds += about(queries, first=users[0], last=users[-1])
    if len({frozenset(words(query)) for query in queries}) < len(queries):
        kinds.append("with a repeated query")
    if any(today in query for query in queries):
        kinds.append("with today's date")
    return kinds


def about(queries: Sequence[str], *, first: str, last: str) -> list[str]:
    """Which message has more of the words of the queries; none where both have as many."""
    said = words(" ".join(queries))
    of_first, of_last = len(said & words(first) - words(last)), len(said & words(last) - words(first))
    if of_first == of_last:
        return []
    return ["about the last message" if of_last > of_first else "about the first message"]


def words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def queries_of(text: str) -> list[str]:
    """The queries in a reply; none where it cannot be read."""
    try:
        reply = json.loads(text)
    except ValueError:
        return []
    queries = reply.get("queries") if isinstance(reply, dict) else None
    return [query for query in queries if isinstance(query, str) and query] if isinstance(queries, list) else []


def use_of(record: StepActivity) -> Use:
    """What became of the reply to a step."""
    match record.error:
        case BackendTimeout():
            return "out of time"
        case BadModelReply():
            return "unreadable"
        case None:
            pass
        case _:
            return "failed"
    if record.skipped is not None:
        return "not needed" if record.skipped == "not needed" else "no model"
    if record.by == "rules":
        return "no model"
    return "used in part" if record.notes else "used"
