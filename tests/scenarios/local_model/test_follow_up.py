"""A model of CHAT_URL judges the documents of a retrieve at medium effort, and the rules follow up."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.scenarios.failures.conftest import QUESTION_OF_TWO
from tests.scenarios.failures.test_follow_up import ADA, keys, second
from tests.scenarios.local_model.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, found
from tests.scripted_chat import ScriptedChat


@pytest.mark.parametrize("more", [(), ("Rhine tourism figures",)], ids=["asks for nothing", "asks for something else"])
async def test_names_are_searched_instead_of_what_the_model_asks_for_and_that_is_told(
    more: tuple[str, ...], azure: ScriptedAzure, chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    def reply(asked: Mapping[str, Any]) -> str:
        step = asked["response_format"]["json_schema"]["name"].partition("-")[0]
        plan = {"queries": ["Rhine Bridge builder"], "retrieval_goals": ["Find it."], "filter": "", "next": ""}
        judged = {"selected": ["c1"], "is_sufficient": not more, "follow_ups": more}
        return json.dumps(plan if step == "plan" else judged)

    settings["AGENT_EFFORT"] = "medium"
    azure.search, chat.text = second(found(ADA)), reply
    answer = await retrieve(QUESTION_OF_TWO)
    assert keys(answer) == ["bridge", "road", "ada"]
    assert not any("tourism" in search.json["search"] for search in azure.searches)
    assert "instead of the queries of the model of CHAT_URL" in answer.json["activity"][-1]["warning"]
