"""The table of replies through a whole call: the writer's reply in, the answer and its record out."""

import json
from typing import Any, Final

import pytest

from retrieval.text.languages.language import CODES, language
from tests.answer.conftest import Ask
from tests.answer.replies import HANDBOOK, TABLE, Reply
from tests.answer.scripts import judgement
from tests.answer.test_answers import model
from tests.sampling import sample
from tests.scripted_azure import ScriptedAzure, document, found, replying

FOUND: Final = found(
    *(
        document(f"k{place}", 3.5 - place / 10, title=title, content=text)
        for place, (title, text) in enumerate(HANDBOOK.items(), start=1)
    )
)
ENDS: Final = tuple(end for code in CODES for end in (language(code).frames.sources, language(code).frames.to_go_on))


def shown(markdown: str) -> str:
    """The answer above its list of sources and the questions to the user."""
    at = min((place for heading in ENDS if (place := markdown.find(heading)) >= 0), default=len(markdown))
    return markdown[:at].strip()


def recorded(answer: dict[str, Any]) -> dict[str, object]:
    return {
        "shown": shown(answer["answer_markdown"]),
        "cited": tuple(dict.fromkeys(one["chunk_id"] for one in answer["citations"])),
        "quotes": tuple(one["quote"] for one in answer["citations"] if one["quote"] is not None),
        "unquoted": tuple(one["text"] for one in answer["unquoted"]),
        "unfounded": tuple(one["figure"] for one in answer["unfounded_figures"]),
        "removed": tuple(one["kind"] for one in answer["removed"]),
    }


def expected(reply: Reply) -> dict[str, object]:
    return {
        "shown": reply.shown,
        "cited": reply.cited,
        "quotes": reply.quotes,
        "unquoted": reply.unquoted,
        "unfounded": reply.unfounded,
        "removed": reply.removed,
    }


@pytest.mark.parametrize("name", sample(list(TABLE), every=2))
async def test_a_reply_is_shown_and_recorded_as_the_table_says(name: str, azure: ScriptedAzure, ask: Ask) -> None:
    reply = TABLE[name]
    azure.search = FOUND
    azure.chat = model(answer=replying(json.dumps({"blocks": reply.blocks, **judgement("c1", "c2")})))
    answer = await ask(reply.asked, limits={"maxFollowUps": 0})
    assert (answer.json["answer_by"], answer.json["evidence"]["is_sufficient"]) == ("model", True)
    assert recorded(answer.json) == expected(reply)
