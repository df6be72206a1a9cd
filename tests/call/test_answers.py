"""Every path of an answer, driven by a scripted model: what was asked of it, in which order, and what came of it."""

import asyncio
import json
import re
from typing import Any, Final

from retrieval.text.languages.en import ENGLISH
from tests.call.conftest import Ask
from tests.call.material import sourced
from tests.call.scripts import (
    by_step,
    calls,
    concluded,
    judged,
    planned,
    rounds,
    routed,
    step,
    step_of,
    steps,
    written,
)
from tests.scripted_azure import ScriptedAzure, by_search, delayed, document, failing, found

ROAD: Final = document(
    "road", 3.1, title="Roads", content="The old road follows the river down to the harbour at Ostia."
)
RIVER: Final = document(
    "river", 2.9, title="Rivers", content="Barges carried the grain up the river within three days."
)
TOLL: Final = document("toll", 3.3, title="Tolls", content="The toll at the bridge was two coins for every cart.")

GOOD: Final = "The old road follows the river [c1]."


def model(**scripts: Any) -> Any:
    """A model that does every step well, but for those that are given."""
    usual = {
        "route": routed(),
        "plan": planned("roads along rivers", "harbours at river mouths"),
        "judge": judged("c1", "c2"),
        "answer": written(GOOD),
        "conclude": concluded(GOOD, "c1"),
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


async def test_enough_at_once_takes_four_calls_in_two_waits(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER)
    slow = {
        "route": delayed(1, routed()),
        "plan": delayed(1, planned("roads along rivers")),
        "judge": delayed(2, judged("c1", "c2")),
        "answer": delayed(2, written(GOOD)),
    }
    azure.chat = model(**slow)
    answer = await ask()
    assert sorted(steps(azure.chats)) == ["answer", "judge", "plan", "route"]
    said = {one["step"]: one for one in calls(answer)}
    assert said["plan"]["started_ms"] < said["route"]["started_ms"] + said["route"]["elapsed_ms"]
    assert said["answer"]["started_ms"] < said["judge"]["started_ms"] + said["judge"]["elapsed_ms"]
    total = answer.json["totals"]
    assert total["model_calls"] == 4
    assert 3_000 <= total["elapsed_ms"] < 4_000 < sum(one["elapsed_ms"] for one in calls(answer))
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
        judge=judged("c1", sufficient=False, confidence=0.3, missing=("How much was it?",), more=("bridge toll",)),
        conclude=concluded("It cost two coins [c3].", "c3", "c1"),
    )
    answer = await ask()
    assert steps(azure.chats)[-1] == "conclude" and len(azure.chats) == 5
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
        judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        conclude=concluded(GOOD, "c1", sufficient=False, confidence=0.4, missing=still, more=("yet another",)),
    )
    answer = await ask()
    assert len(azure.chats) == 5 and len(rounds(answer)) == 2
    assert answer.json["evidence"]["is_sufficient"] is False
    assert answer.json["answer_markdown"].endswith("**Sources**\n\n- [1] Roads - road")
    assert "Which bridge do you mean?" in answer.json["answer_markdown"]


async def test_where_a_judge_selects_nothing_and_the_writer_fails_the_best_matches_are_shown(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD, RIVER)
    azure.chat = model(judge=judged(sufficient=False, confidence=0.2), answer=failing(500))
    answer = await ask(limits={"maxFollowUps": 0})
    assert answer.json["answer_markdown"].startswith("The language model wrote no answer (")
    assert answer.json["sources"] == ["Roads - road", "Rivers - river"]
    assert [one["id"] for one in answer.json["selected"]] == ["c1", "c2"]
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_a_follow_up_that_finds_nothing_new_costs_no_further_call(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.2, more=("more roads",)))
    answer = await ask()
    assert len(azure.chats) == 4
    assert rounds(answer)[1]["omitted"] == {"known": 1}
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_no_follow_up_is_made_where_the_caller_wants_none(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.2, more=("more roads",)))
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
        judge=judged(*(f"c{n}" for n in range(1, 17)), "c99", "c1"),
        answer=written(" ".join(f"Tale {n} [c{n}]." for n in range(1, 13))),
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
    azure.chat = model(judge=judged("c1"), answer=written("It cost two coins [c1]."))
    cited = (await ask()).json["citations"][0]
    azure.chat = model(judge=judged("c1"), answer=written("Barges took three days [c2]. The toll was two coins [c3]."))
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
    judged_chunks = [one.json["messages"][1]["content"] for one in azure.chats if step_of(one.json) == "judge"]
    fences = {name for text in judged_chunks for name in re.findall("<chunk-([0-9a-f]+) ", text)}
    assert len(judged_chunks) == len(fences) == 10, "a nonce of its own for each call"


async def test_judge_writer_and_conclusion_are_told_the_day_and_what_was_searched(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = by_search(
        {"bridge toll": found(TOLL), "harbours at river mouths": failing(500)}, otherwise=found(ROAD)
    )
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)))
    await ask(limits={"maxChunks": 3})
    said = {step_of(one.json): _told(one.json) for one in azure.chats}
    first = ["roads along rivers", "Roads"]
    assert [said[name]["queries"] for name in ("judge", "answer")] == [first, first]
    assert said["conclude"]["queries"] == [*first, "bridge toll"]
    assert {said[name]["most_selected"] for name in ("judge", "answer", "conclude")} == {3}
    assert len({said[name]["today"] for name in ("judge", "answer", "conclude")}) == 1


def _told(body: Any) -> dict[str, Any]:
    """The JSON object that the data of a prompt begin with."""
    found, _ = json.JSONDecoder().raw_decode(body["messages"][1]["content"])
    return dict(found)


async def test_an_address_that_is_asked_for_is_shown_to_the_writer_and_stays_in_its_answer(
    azure: ScriptedAzure, ask: Ask
) -> None:
    form = document("form", 3.1, title="Forms", content="Send the [form](https://leave.example/form) to the office.")
    azure.search = found(form)
    azure.chat = model(judge=judged("c1"), answer=written("It is https://leave.example/form [c1]."))
    answer = await ask("Where is the link to the form for the leave?")
    texts = [one.json["messages"][1]["content"] for one in azure.chats if step_of(one.json) == "answer"]
    assert "(https://leave.example/form)" in texts[0]
    assert "https://leave.example/form" in answer.json["answer_markdown"]
    assert answer.json["selected"][0]["text"] == "Send the [form](https://leave.example/form) to the office."


async def test_what_the_follow_up_finds_again_is_looked_at_again(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(RIVER)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        conclude=concluded("Barges took three days [c2].", "c2"),
    )
    answer = await ask()
    assert rounds(answer)[1]["omitted"] == {"known": 1}
    assert answer.json["sources"] == ["Rivers - river"]


async def test_a_conclusion_of_which_nothing_holds_leaves_the_first_answer(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        conclude=concluded("PWNED [c9].", "c3", sufficient=False),
    )
    answer = await ask()
    assert (answer.json["answer_by"], answer.json["sources"]) == ("model", ["Roads - road"])
    assert "PWNED" not in answer.json["answer_markdown"]
    assert answer.json["removed"] == [], "of a draft that nobody is shown nothing is told"


async def test_a_query_that_was_searched_is_not_searched_again(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    more = ("Roads along rivers", "bridge toll")
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.3, more=more))
    answer = await ask()
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == ["bridge toll"]


async def test_a_key_point_goes_with_its_chunk(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER, TOLL)
    azure.chat = model(judge=judged("c2", "c1"), answer=written("The toll was two coins for every cart [c1]."))
    answer = await ask(limits={"maxChunks": 1})
    assert [one["id"] for one in answer.json["selected"]] == ["c1"]
    assert [one["chunk_ids"] for one in answer.json["evidence"]["key_points"]] in ([], [["c1"]])
    assert len(answer.json["evidence"]["key_points"]) <= 1


MISSING: Final = "Weder Zoll noch Fähren werden erwähnt."


async def test_a_draft_that_only_says_what_is_missing_is_the_answer(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.03), answer=written(f"? {MISSING}"))
    answer = await ask("Was kostet der Zoll, und wann fährt die Fähre?", limits={"maxFollowUps": 0})
    assert answer.json["answer_markdown"].startswith(f"**Was fehlt**\n\n{MISSING}")
    assert (answer.json["answer_by"], answer.json["evidence"]["by"]) == ("model", "model")
    assert answer.json["evidence"]["confidence"] == 0.03
    assert (answer.json["sources"], answer.json["citations"], answer.json["removed"]) == ([], [], [])


async def test_what_the_writer_misses_is_searched_under_the_callers_filter_and_makes_evidence_insufficient(
    azure: ScriptedAzure, ask: Ask
) -> None:
    missing = "The documents do not tell what the toll was."
    azure.search = by_search({missing: found(TOLL)}, otherwise=found(ROAD))
    azure.chat = model(judge=judged("c1"), answer=written(f"{GOOD}\n? {missing}"), conclude=failing(500))
    answer = await ask(filter="id ne 'x'", indexName="atlas")
    first, second = rounds(answer)
    assert [one["query"] for one in second["searches"]] == [missing]
    assert {one["filter"] for one in (*first["searches"], *second["searches"])} == {"id ne 'x'"}
    assert answer.json["evidence"]["is_sufficient"] is False and answer.json["evidence"]["by"] == "model"
    text = answer.json["answer_markdown"]
    assert text.startswith(f"The old road follows the river [1].\n\n**What is missing**\n\n{missing}")
    azure.chat = model(
        judge=judged("c1"),
        answer=written(f"{GOOD}\n? {missing}"),
        conclude=concluded("The toll was two coins [c2].", "c2"),
    )
    answer = await ask()
    assert answer.json["answer_markdown"] == sourced("The toll was two coins [1].", "Tolls - toll")
    assert answer.json["evidence"]["is_sufficient"] is True and len(calls(answer)) == 5


async def test_a_judge_that_asks_for_no_search_gets_none(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(plan=planned("roads", "rivers", "tolls"), judge=judged("c1", sufficient=False, confidence=0.3))
    assert len(rounds(await ask("Who built the road to Ostia?"))) == 1


async def test_a_models_judgement_is_kept_where_only_a_later_step_fails(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD, RIVER))
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.03, more=("bridge toll",)),
        answer=failing(500),
        conclude=failing(500),
    )
    evidence = (await ask()).json["evidence"]
    assert (evidence["by"], evidence["confidence"]) == ("model", 0.03)


TOLD: Final = "The documents do not tell what the toll was."


async def test_what_the_writer_misses_is_searched_where_the_judge_failed_too(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({TOLD: found(TOLL)}, otherwise=found(ROAD))
    azure.chat = model(
        plan=planned("roads", next="The toll of the bridge at Ostia."),
        judge=failing(500),
        answer=written(f"{GOOD}\n? {TOLD}"),
        conclude=concluded("The toll was two coins [c2].", "c2"),
    )
    answer = await ask("Which road follows the river to Ostia, and what was its toll?")
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == [TOLD]
    assert answer.json["answer_markdown"] == sourced("The toll was two coins [1].", "Tolls - toll")


async def test_what_the_judge_misses_is_searched_before_what_the_writer_misses(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)), answer=written(f"{GOOD}\n? {TOLD}")
    )
    answer = await ask()
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == ["bridge toll"]


async def test_a_long_sentence_about_something_missing_is_searched_clipped(azure: ScriptedAzure, ask: Ask) -> None:
    long = f"The documents do not tell what {'the toll or ' * 26}the fare was."
    azure.search, azure.chat = found(ROAD), model(judge=judged("c1"), answer=written(f"{GOOD}\n? {long}"))
    answer = await ask()
    (search,) = rounds(answer)[1]["searches"]
    assert len(long) > 300 >= len(search["query"]) > 250 and long.startswith(search["query"].rstrip("… "))
    assert long in answer.json["answer_markdown"] and answer.json["evidence"]["is_sufficient"] is False


async def test_what_is_missing_without_time_to_search_it_makes_the_evidence_insufficient_too(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD)
    azure.chat = model(judge=judged("c1"), answer=delayed(8, written(f"{GOOD}\n? {TOLD}")))
    answer = await ask()
    assert (len(rounds(answer)), answer.json["ended_by"]) == (1, ["runtime"])
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_a_conclusion_that_misses_something_is_not_sufficient_whatever_it_judges(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = by_search({"bridge toll": found(TOLL)}, otherwise=found(ROAD))
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.3, more=("bridge toll",)),
        conclude=concluded("The toll was two coins [c2].\n? The documents do not tell who paid.", "c2"),
    )
    answer = await ask()
    assert "**What is missing**" in answer.json["answer_markdown"]
    assert answer.json["evidence"]["is_sufficient"] is False


async def test_where_the_judge_expects_nothing_of_searching_more_there_is_no_second_round(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = found(ROAD)
    azure.chat = model(
        judge=judged("c1", sufficient=False, confidence=0.1, useless=True), answer=written(f"{GOOD}\n? {TOLD}")
    )
    answer = await ask()
    assert (len(rounds(answer)), len(azure.chats), len(azure.searches)) == (1, 4, 3)
    evidence = answer.json["evidence"]
    assert (evidence["more_is_useless"], evidence["is_sufficient"], evidence["followup_queries"]) == (True, False, [])
    assert len(step(answer, "judge")["notes"]) == 1
    assert TOLD in answer.json["answer_markdown"]


async def test_a_judge_that_expects_nothing_and_names_a_search_gets_it(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    azure.chat = model(judge=judged("c1", sufficient=False, confidence=0.1, useless=True, more=("bridge toll",)))
    answer = await ask()
    assert [one["query"] for one in rounds(answer)[1]["searches"]] == ["bridge toll"]
    assert answer.json["evidence"]["more_is_useless"] is False
    assert len(step(answer, "judge")["notes"]) == 1


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
    assert len(azure.chats) == 4, "nothing more is searched for it"


async def test_a_quotation_that_finds_another_chunk_cites_no_more_than_may_be_selected(
    azure: ScriptedAzure, ask: Ask
) -> None:
    other = document(
        "other", 2.5, title="Paths", content="Some say the old road follows the river, others that it ended."
    )
    azure.search = found(TOLL, ROAD, other)
    reply = "The toll was two coins [c1]. It says “the old road follows the river” [c1]."
    azure.chat = model(judge=judged("c1"), answer=written(reply))
    answer = await ask(limits={"maxChunks": 1, "maxFollowUps": 0})
    assert {one["chunk_id"] for one in answer.json["citations"]} == {"c1"}
    assert [one["id"] for one in answer.json["selected"]] == ["c1"]
    assert [one["kind"] for one in answer.json["removed"]] == ["quotation", "sentence"]
