"""Every path of an answer, driven by a scripted model: what was asked of it, in which order, and what came of it."""

import asyncio
import json
import re
from typing import Any, Final

from retrieval.text.languages.language import ENGLISH
from tests.answer.conftest import Ask
from tests.answer.material import blocks, sourced
from tests.answer.scripts import (
    GOOD,
    answered,
    by_step,
    calls,
    judged,
    judgement,
    planned,
    rounds,
    routed,
    step,
    step_of,
    steps,
    written,
)
from tests.scripted_azure import ScriptedAzure, by_search, delayed, document, failing, found, replying

ROAD: Final = document(
    "road", 3.1, title="Roads", content="The old road follows the river down to the harbour at Ostia."
)
RIVER: Final = document(
    "river", 2.9, title="Rivers", content="Barges carried the grain up the river within three days."
)
TOLL: Final = document("toll", 3.3, title="Tolls", content="The toll at the bridge was two coins for every cart.")


def model(**scripts: Any) -> Any:
    """A model that does every step well, but for those that are given."""
    usual = {
        "route": routed(),
        "plan": planned("roads along rivers", "harbours at river mouths"),
        "answer": written(GOOD),
        "again": answered(GOOD, "c1"),
    }
    return by_step({**usual, **scripts})


async def test_a_greeting_needs_no_model_and_no_search(azure: ScriptedAzure, ask: Ask) -> None:
    azure.chat = model()
    answer = await ask("Hello!")
    assert answer.status == 200
    assert (azure.chats, azure.searches) == ([], [])
    assert answer.json["route"]["should_run_rag"] is False
    assert answer.json["answer_markdown"] == answer.json["route"]["assistant_message"] != ""
    assert calls(answer) == []


async def test_what_the_router_turns_away_is_not_searched_and_its_plan_is_given_up(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.chat = model(
        route=delayed(1, routed(False, message="What are you looking for?")), plan=delayed(5, planned("roads"))
    )
    answer = await ask("Please do the thing for me.")
    assert azure.searches == []
    assert answer.json["answer_markdown"] == "What are you looking for?"
    assert answer.json["plan"] is None
    assert (step(answer, "plan")["by"], step(answer, "plan")["skipped"]) == ("rules", "not needed")
    assert "error" not in step(answer, "plan")


async def test_enough_at_once_takes_three_calls_in_two_waits(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER)
    slow = {
        "route": delayed(1, routed()),
        "plan": delayed(1, planned("roads along rivers")),
        "answer": delayed(2, written(GOOD)),
    }
    azure.chat = model(**slow)
    answer = await ask()
    assert sorted(steps(azure.chats)) == ["answer", "plan", "route"]
    said = {one["step"]: one for one in calls(answer)}
    assert said["plan"]["started_ms"] < said["route"]["started_ms"] + said["route"]["elapsed_ms"]
    total = answer.json["totals"]
    assert total["model_calls"] == 3
    assert 3_000 <= total["elapsed_ms"] < 4_000 <= sum(one["elapsed_ms"] for one in calls(answer))
    assert answer.json["answer_markdown"] == sourced("The old road follows the river [1].", "Roads - road")
    assert answer.json["sources"] == ["Roads - road"]
    assert [one["id"] for one in answer.json["selected"]] == ["c1", "c2"]
    assert answer.json["evidence"]["is_sufficient"] is True
    assert answer.json["evidence"]["confidence_kind"] == "judged"


async def test_all_queries_are_searched_at_once(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = delayed(3, found(ROAD))
    azure.chat = model()
    answer = await ask()
    (retrieval,) = rounds(answer)
    assert [one["query"] for one in retrieval["searches"]] == [
        "roads along rivers",
        "harbours at river mouths",
        "Roads",
    ]
    assert 3_000 <= retrieval["elapsed_ms"] < 4_000


async def test_insufficient_evidence_gets_one_follow_up_and_then_a_conclusion(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        answer=judged("c1", sufficient=False, confidence=0.3, missing=("How much was it?",), more=("bridge toll",)),
        again=answered("It cost two coins [c3].", "c3", "c1"),
    )
    answer = await ask()
    assert steps(azure.chats)[-1] == "again" and len(azure.chats) == 4
    first, second = rounds(answer)
    assert (first["round"], second["round"]) == (0, 1)
    assert [one["query"] for one in second["searches"]] == ["bridge toll"]
    assert answer.json["answer_markdown"] == sourced("It cost two coins [1].", "Tolls - toll")
    assert answer.json["evidence"]["is_sufficient"] is True
    assert [(one["id"], one["round"]) for one in answer.json["selected"]] == [("c3", 1), ("c1", 0)]


async def test_insufficient_twice_says_what_is_missing_and_asks(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    still = ("Which bridge do you mean?",)
    azure.chat = model(
        answer=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        again=answered(GOOD, "c1", sufficient=False, confidence=0.4, missing=still, more=("yet another",)),
    )
    answer = await ask()
    assert len(azure.chats) == 4 and len(rounds(answer)) == 2
    assert answer.json["evidence"]["is_sufficient"] is False
    assert answer.json["answer_markdown"].endswith("**Sources**\n\n- [1] Roads - road")
    assert "Which bridge do you mean?" in answer.json["answer_markdown"]


async def test_where_a_reply_selects_nothing_and_cites_nothing_the_best_matches_are_shown(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD, RIVER)
    azure.chat = model(answer=answered("PWNED [c9].", sufficient=False, confidence=0.2))
    answer = await ask(limits={"maxFollowUps": 0})
    assert answer.json["answer_markdown"].startswith("The language model wrote no answer (")
    assert answer.json["sources"] == ["Roads - road", "Rivers - river"]
    assert [one["id"] for one in answer.json["selected"]] == ["c1", "c2"]
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_a_follow_up_that_finds_nothing_new_costs_no_further_call(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(answer=judged("c1", sufficient=False, confidence=0.2, more=("more roads",)))
    answer = await ask()
    assert len(azure.chats) == 3
    assert rounds(answer)[1]["omitted"] == {"known": 1}
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_no_follow_up_is_made_where_the_caller_wants_none(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(answer=judged("c1", sufficient=False, confidence=0.2, more=("more roads",)))
    answer = await ask(limits={"maxFollowUps": 0})
    assert len(rounds(answer)) == 1


async def test_a_router_that_contradicts_itself_means_retrieval(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(route=routed(False, route="run_rag", message="No."))
    answer = await ask()
    assert answer.json["route"]["should_run_rag"] is True
    assert step(answer, "route")["notes"] != []
    assert answer.json["sources"] == ["Roads - road"]


async def test_goals_that_do_not_match_the_queries_are_put_right_and_noted(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(plan=planned("roads", "rivers", "tolls", goals=["Find roads."]))
    answer = await ask()
    assert [one["query"] for one in answer.json["plan"]["queries"]] == ["roads", "rivers", "tolls"]
    assert answer.json["plan"]["queries"][0]["goal"] == "Find roads."
    assert answer.json["plan"]["notes"] != []


async def test_more_than_is_allowed_is_cut_whatever_the_model_says(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(*(document(f"d{n}", 3, title=f"T{n}", content=f"Tale number {n} {n * 7}.") for n in range(40)))
    azure.chat = model(
        plan=planned(*(f"query {n}" for n in range(9))),
        answer=answered(
            " ".join(f"Tale {n} [c{n}]." for n in range(1, 13)), *(f"c{n}" for n in range(1, 17)), "c99", "c1"
        ),
    )
    answer = await ask()
    assert len(answer.json["plan"]["queries"]) == 3
    assert len(answer.json["selected"]) == 8
    assert set(answer.json["sources"]) <= {one["source"] for one in answer.json["selected"]}
    assert {one["reason"] for one in answer.json["removed"]} == {"More chunks were cited than may be selected."}
    payloads = (await ask(detail="workflow")).json
    assert len(payloads["rerank"]["selected_chunk_texts"]) == 8


async def test_every_cited_chunk_is_among_the_selected(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER, TOLL)
    azure.chat = model(answer=answered("It cost two coins [c1].", "c1"))
    cited = (await ask()).json["citations"][0]
    azure.chat = model(answer=answered("Barges took three days [c2]. The toll was two coins [c3].", "c1"))
    answer = await ask()
    assert cited["chunk_id"] == "c1"
    assert {"c2", "c3"} <= {one["id"] for one in answer.json["selected"]}


async def test_without_a_model_nobody_judges_and_the_best_matches_are_shown_whole(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD, RIVER)
    answer = await ask("Which road follows the river to the harbour at Ostia?", agent="plain")
    assert azure.chats == []
    assert calls(answer) == []
    assert {one["step"] for one in answer.json["activity"] if one["type"] == "step"} == {
        "route",
        "plan",
        "answer",
    }
    evidence = answer.json["evidence"]
    assert (evidence["is_sufficient"], evidence["by"], evidence["missing_info_questions"]) == (None, None, [])
    assert "confidence" not in evidence
    assert answer.json["answer_markdown"] == (
        f"{ENGLISH.frames.unread}\n\n"
        "- [1] Roads - road\n\n> The old road follows the river down to the harbour at Ostia.\n\n"
        "- [2] Rivers - river\n\n> Barges carried the grain up the river within three days."
    )
    texts = {one["id"]: one["text"] for one in answer.json["selected"]}
    assert answer.json["citations"] != []
    for citation in answer.json["citations"]:
        assert texts[citation["chunk_id"]][citation["start"] : citation["end"]] == citation["quote"]


async def test_nothing_found_is_said(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found()
    azure.chat = model()
    for agent in ("planner", "plain"):
        answer = await ask(agent=agent)
        assert answer.status == 200
        assert answer.json["evidence"]["is_sufficient"] is None
        assert (answer.json["selected"], answer.json["sources"]) == ([], [])
        assert answer.json["answer_markdown"] == ENGLISH.frames.nothing


async def test_both_forms_tell_the_same(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER)
    azure.chat = model()
    typed, payloads = (await ask()).json, (await ask(detail="workflow")).json
    assert payloads["router"] == {"should_run_rag": True, "route": "run_rag", "assistant_message": ""}
    assert payloads["plan"]["queries"] == [one["query"] for one in typed["plan"]["queries"]]
    assert [one["query_used"] for one in payloads["retrieval"]] == payloads["plan"]["queries"]
    assert payloads["rerank"]["selected_chunk_texts"] == [one["text"] for one in typed["selected"]]
    assert payloads["evidence"]["confidence"] == typed["evidence"]["confidence"]
    assert typed["answer_markdown"] == sourced("The old road follows the river [1].", "Roads - road")
    assert payloads["answer"] == {
        "answer_markdown": "The old road follows the river [Roads - road].",
        "sources": typed["sources"],
    }


async def test_another_detail_is_refused(ask: Ask) -> None:
    answer = await ask(detail="everything")
    assert (answer.status, answer.json["error"]["target"]) == (400, "detail")


async def test_a_search_that_fails_beside_one_that_does_not_is_on_record(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"roads along rivers": found(ROAD)}, otherwise=failing(404))
    azure.chat = model()
    answer = await ask()
    (retrieval,) = rounds(answer)
    assert [("error" in one) for one in retrieval["searches"]] == [False, True, True]
    assert answer.json["sources"] == ["Roads - road"]


async def test_where_every_search_fails_there_is_an_error(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = failing(404), model()
    for agent, failed in (("planner", "All 3 sub-queries failed."), ("plain", "1 sub-query failed.")):
        answer = await ask(agent=agent)
        assert answer.status == 502
        assert answer.json["error"]["message"].startswith(failed)


async def test_many_at_once_do_not_mix(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model()
    answers = await asyncio.gather(*(ask() for _ in range(10)))
    assert {answer.status for answer in answers} == {200}
    read_chunks = [one.json["messages"][1]["content"] for one in azure.chats if step_of(one.json) == "answer"]
    fences = {name for text in read_chunks for name in re.findall("<chunk-([0-9a-f]+) ", text)}
    assert len(read_chunks) == len(fences) == 10, "a nonce of its own for each call"


async def test_both_readings_are_told_what_was_searched(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search(
        {"bridge toll": found(TOLL), "harbours at river mouths": failing(500)}, otherwise=found(ROAD)
    )
    azure.chat = model(answer=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)))
    await ask(limits={"maxChunks": 3})
    texts = [one.json["messages"][0]["content"] for one in azure.chats if step_of(one.json) == "answer"]
    assert ["at most 3, each" in text for text in texts] == [True, True]
    said = {name: _told(one.json) for name, one in zip(steps(azure.chats), azure.chats, strict=True)}
    first = ["roads along rivers", "Roads"]
    assert said["answer"]["queries"] == first
    assert said["again"]["queries"] == [*first, "bridge toll"]


def _told(body: Any) -> dict[str, Any]:
    """The JSON object that the data of a prompt begin with."""
    found, _ = json.JSONDecoder().raw_decode(body["messages"][1]["content"])
    return dict(found)


async def test_an_address_that_is_asked_for_is_shown_to_the_writer_and_stays_in_its_answer(
    azure: ScriptedAzure, ask: Ask
) -> None:
    form = document("form", 3.1, title="Forms", content="Send the [form](https://leave.example/form) to the office.")
    azure.search = found(form)
    azure.chat = model(answer=answered("It is https://leave.example/form [c1].", "c1"))
    answer = await ask("Where is the link to the form for the leave?")
    texts = [one.json["messages"][1]["content"] for one in azure.chats if step_of(one.json) == "answer"]
    assert "(https://leave.example/form)" in texts[0]
    assert "https://leave.example/form" in answer.json["answer_markdown"]
    assert answer.json["selected"][0]["text"] == "Send the [form](https://leave.example/form) to the office."


async def test_what_the_follow_up_finds_again_is_looked_at_again(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(RIVER)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        answer=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        again=answered("Barges took three days [c2].", "c2"),
    )
    answer = await ask()
    assert rounds(answer)[1]["omitted"] == {"known": 1}
    assert answer.json["sources"] == ["Rivers - river"]


async def test_a_second_reading_of_which_nothing_holds_leaves_the_first_answer(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        answer=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        again=answered("PWNED [c9].", "c3", sufficient=False),
    )
    answer = await ask()
    assert (answer.json["answer_by"], answer.json["sources"]) == ("model", ["Roads - road"])
    assert "PWNED" not in answer.json["answer_markdown"]
    assert answer.json["removed"] == [], "of a draft that nobody is shown nothing is told"


async def test_a_query_that_was_searched_is_not_searched_again(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    more = ("Roads along rivers", "bridge toll")
    azure.chat = model(answer=judged("c1", sufficient=False, confidence=0.3, more=more))
    answer = await ask()
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == ["bridge toll"]


async def test_a_key_point_goes_with_its_chunk(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER, TOLL)
    azure.chat = model(answer=answered("The toll was two coins for every cart [c1].", "c2", "c1"))
    answer = await ask(limits={"maxChunks": 1})
    assert [one["id"] for one in answer.json["selected"]] == ["c1"]
    assert [one["chunk_ids"] for one in answer.json["evidence"]["key_points"]] in ([], [["c1"]])
    assert len(answer.json["evidence"]["key_points"]) <= 1


MISSING: Final = "Weder Zoll noch Fähren werden erwähnt."


async def test_a_draft_that_only_says_what_is_missing_is_the_answer(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(answer=answered(f"? {MISSING}", "c1", sufficient=False, confidence=0.03))
    answer = await ask("Was kostet der Zoll, und wann fährt die Fähre?", limits={"maxFollowUps": 0})
    assert answer.json["answer_markdown"].startswith(f"**Was fehlt**\n\n{MISSING}")
    assert (answer.json["answer_by"], answer.json["evidence"]["by"]) == ("model", "model")
    assert answer.json["evidence"]["confidence"] == 0.03
    assert (answer.json["sources"], answer.json["citations"], answer.json["removed"]) == ([], [], [])


async def test_what_a_block_calls_missing_is_shown_and_changes_nothing(azure: ScriptedAzure, ask: Ask) -> None:
    missing = "The documents do not tell what the toll was."
    azure.search = by_search({missing: found(TOLL)}, otherwise=found(ROAD))
    azure.chat = model(answer=answered(f"{GOOD}\n? {missing}", "c1"))
    answer = await ask(filter="id ne 'x'", indexName="atlas")
    (first,) = rounds(answer)
    assert {one["filter"] for one in first["searches"]} == {"id ne 'x'"}
    assert (answer.json["evidence"]["is_sufficient"], len(calls(answer))) == (True, 3)
    text = answer.json["answer_markdown"]
    assert text.startswith(f"The old road follows the river [1].\n\n**What is missing**\n\n{missing}")


async def test_a_follow_up_is_the_query_that_a_reply_names_under_the_callers_filter(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD))
    answering = answered(f"{GOOD}\n? {TOLD}", "c1", sufficient=False, confidence=0.3, more=("bridge toll",))
    azure.chat = model(answer=answering, again=answered("The toll was two coins [c2].", "c2"))
    answer = await ask(filter="id ne 'x'", indexName="atlas")
    first, second = rounds(answer)
    assert [one["query"] for one in second["searches"]] == ["bridge toll"]
    assert {one["filter"] for one in (*first["searches"], *second["searches"])} == {"id ne 'x'"}
    assert answer.json["answer_markdown"] == sourced("The toll was two coins [1].", "Tolls - toll")
    assert (answer.json["evidence"]["is_sufficient"], len(calls(answer))) == (True, 4)


async def test_what_the_first_answer_cites_is_read_again_whether_it_was_selected_or_not(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    text = "The old road follows the river [c1]. Barges carried the grain [c2]."
    azure.chat = model(answer=answered(text, "c2", sufficient=False, confidence=0.3, more=("bridge toll",)))
    await ask()
    data = azure.chats[-1].json["messages"][1]["content"]
    assert [id for id in ("c1", "c2", "c3") if f'id="{id}"' in data] == ["c1", "c2", "c3"]


async def test_a_search_that_a_model_guessed_says_so(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"Pons Aelius": found(TOLL)}, otherwise=found(ROAD))
    guess = {"query": "Pons Aelius", "goal": "Find its toll.", "guessed": True}
    reply = {"blocks": blocks(GOOD), **judgement("c1", sufficient=False), "follow_ups": [guess]}
    azure.chat = model(answer=replying(json.dumps(reply)))
    first, second = rounds(await ask())
    assert [one.get("guessed") for one in (*first["searches"], *second["searches"])] == [None, None, None, True]


async def test_the_second_reading_is_asked_for_no_search(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(answer=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)))
    await ask()
    await ask(limits={"maxFollowUps": 0})
    schemas = [
        one.json["response_format"]["json_schema"]["schema"] for one in azure.chats if step_of(one.json) == "answer"
    ]
    assert ["follow_ups" in schema["required"] for schema in schemas] == [True, False, False]


async def test_a_reply_whose_judgement_cannot_be_read_is_an_answer_that_nobody_judged(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD, RIVER)
    azure.chat = model(answer=replying(json.dumps({"blocks": blocks(GOOD), "is_sufficient": "yes"})))
    answer = await ask()
    assert answer.json["answer_markdown"] == sourced("The old road follows the river [1].", "Roads - road")
    assert (answer.json["evidence"]["is_sufficient"], answer.json["evidence"]["by"]) == (None, None)
    assert len(step(answer, "answer")["notes"]) == 1


async def test_a_judge_that_asks_for_no_search_gets_none(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(plan=planned("roads", "rivers", "tolls"), answer=judged("c1", sufficient=False, confidence=0.3))
    assert len(rounds(await ask("Who built the road to Ostia?"))) == 1


async def test_a_models_judgement_is_kept_where_only_a_later_step_fails(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        answer=answered("PWNED [c9].", "c1", sufficient=False, confidence=0.03, more=("bridge toll",)),
        again=failing(500),
    )
    answer = await ask()
    assert (answer.json["evidence"]["by"], answer.json["evidence"]["confidence"]) == ("model", 0.03)
    assert answer.json["answer_by"] == "rules"


TOLD: Final = "The documents do not tell what the toll was."


async def test_without_time_for_a_second_round_the_first_answer_stays(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    answering = answered(f"{GOOD}\n? {TOLD}", "c1", sufficient=False, more=("bridge toll",))
    azure.chat = model(answer=delayed(8, answering))
    answer = await ask()
    assert (len(rounds(answer)), answer.json["ended_by"]) == (1, ["runtime"])
    assert answer.json["evidence"]["is_sufficient"] is False and TOLD in answer.json["answer_markdown"]


async def test_where_a_model_names_no_search_that_could_help_there_is_no_second_round(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD)
    azure.chat = model(answer=answered(f"{GOOD}\n? {TOLD}", "c1", sufficient=False, confidence=0.1))
    answer = await ask()
    assert (len(rounds(answer)), len(azure.chats), len(azure.searches)) == (1, 3, 3)
    evidence = answer.json["evidence"]
    assert (evidence["more_is_useless"], evidence["is_sufficient"], evidence["followup_queries"]) == (True, False, [])
    assert TOLD in answer.json["answer_markdown"]
    answer = await ask(limits={"maxFollowUps": 0})
    assert answer.json["evidence"]["more_is_useless"] is False, "it was not asked"


async def test_a_figure_that_no_cited_chunk_has_is_named_and_the_answer_stays(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER)
    azure.chat = model(answer=written("Barges carried the grain within 5 days [c2]. They took three days [c2]."))
    answer = await ask()
    assert answer.json["answer_markdown"].startswith(
        "Barges carried the grain within 5 days. They took three days [1].\n\n"
    )
    assert answer.json["evidence"]["is_sufficient"] is True
    (unfounded,) = answer.json["unfounded_figures"]
    said = "Barges carried the grain within 5 days."
    assert unfounded == {"figure": "5", "text": said, "chunk_ids": ["c2"]}
    assert len(azure.chats) == 3, "nothing more is searched for it"


async def test_a_quotation_that_finds_another_chunk_cites_no_more_than_may_be_selected(
    azure: ScriptedAzure, ask: Ask
) -> None:
    other = document(
        "other", 2.5, title="Paths", content="Some say the old road follows the river, others that it ended."
    )
    azure.search = found(TOLL, ROAD, other)
    reply = "The toll was two coins [c1]. It says “the old road follows the river” [c1]."
    azure.chat = model(answer=answered(reply, "c1"))
    answer = await ask(limits={"maxChunks": 1, "maxFollowUps": 0})
    assert {one["chunk_id"] for one in answer.json["citations"]} == {"c1"}
    assert [one["id"] for one in answer.json["selected"]] == ["c1"]
    assert [one["kind"] for one in answer.json["removed"]] == ["quotation", "sentence"]
