"""An answer that is told of while it is made: blocks and revisions are the whole, whatever the models reply."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from retrieval.answer import answers
from retrieval.call.ports import Ports
from retrieval.errors import BackendUnavailable, BadModelReply
from retrieval.model.answer import Answer, ShownBlock
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.progress import BlockAdded, BlocksRevised, Planned, Progress
from retrieval.model.search import Hit, Page, Subquery
from retrieval.ports import Hear
from retrieval.text.languages.language import ENGLISH
from retrieval.writing import answer_blocks
from tests.answer.material import CAIRO, PLANT, block, blocks, replies, request
from tests.answer.scripts import judgement
from tests.laws import law
from tests.writing.checking import check
from tests.writing.test_check_laws import hostile

ASKED: Final = "When did the plant open?"
USUAL: Final = (
    "The plant opened in 1998 [c1]. It closed in 2011 [c1].\n- Cairo shines [c2].\n# Head\nIt cites 77.\n1. One [c1].\n"
    "| A | B |\n| 1998 | 2011 [c1] |\n? Who owned it is not said."
)
ENOUGH: Final = judgement("c1", "c2")
LACKING: Final = judgement("c1", sufficient=False, more=("paint",))
PAPER: Final = "The paper mill of Ostia was sold in 2013 to a printer."
KEYS: Final = {"k1": PLANT, "k2": CAIRO, "k3": PAPER}


class Index:
    """The first search finds two documents, the follow-up a third one."""

    async def search(self, subquery: Subquery) -> Page:
        keys = ("k3",) if subquery.search == "paint" else ("k1", "k2")
        return Page(hits=tuple(Hit(key, 2.5, 1.0, None, f"T{key[1:]}", KEYS[key], {}) for key in keys))


@dataclass(frozen=True, kw_only=True)
class Model:
    """Says a reply by the step that asks, in pieces of so many characters if it is heard, and may break off then."""

    says: Mapping[str, str]
    pieces: int = 1
    breaks_off: frozenset[str] = frozenset()

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        step = prompt.name.rpartition("-")[0]
        step = "again" if step == "answer" and "c3" in prompt.data else step
        text = self.says.get(step, "")
        if hear is not None:
            for start in range(0, len(text), self.pieces):
                hear(text[start : start + self.pieces])
                await asyncio.sleep(0)
        if step in self.breaks_off:
            raise BackendUnavailable("The chat model", "broke off its answer.")
        return Reply(text=text, input_tokens=1, output_tokens=1)


@dataclass(kw_only=True)
class Caller:
    """Puts together what it is told."""

    told: list[Progress] = field(default_factory=list)
    blocks: list[ShownBlock] = field(default_factory=list)

    def tell(self, progress: Progress) -> None:
        self.told.append(progress)
        match progress:
            case BlockAdded():
                assert progress.id == len(self.blocks) and progress.block.markdown
                self.blocks.append(progress.block)
            case BlocksRevised():
                assert progress.blocks
                for changed in progress.blocks:
                    assert self.blocks[changed.id] != changed.block
                    self.blocks[changed.id] = changed.block

    @property
    def text(self) -> str:
        return "".join(block.markdown for block in self.blocks)

    def of(self, kind: type[Any]) -> list[Any]:
        return [progress for progress in self.told if isinstance(progress, kind)]


def reply(*said: object, judged: Mapping[str, Any] = ENOUGH) -> str:
    return json.dumps({"blocks": said, **judged})


def says(**steps: str) -> dict[str, str]:
    plan = json.dumps({"queries": ["plants"], "retrieval_goals": ["Find plants."], "filter": "", "next": ""})
    route = json.dumps({"should_run_rag": True, "route": "run_rag", "assistant_message": ""})
    return {"route": route, "plan": plan, **steps}


def answered(model: Model, caller: Caller | None = None) -> Answer:
    ports = Ports(index=Index(), model=model, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    tell = None if caller is None else caller.tell
    return asyncio.run(answers.answer(replace(request(), effort=None), ports, tell=tell))


def streamed(model: Model) -> tuple[Caller, Answer]:
    caller = Caller()
    answer = answered(model, caller)
    assert caller.text == answer.written.markdown
    return caller, answer


def holds(caller: Caller) -> None:
    """Every citation that a caller was shown, of blocks that were taken back too, is of a chunk that has the words."""
    for shown in caller.of(BlockAdded):
        assert shown.block.markdown
        for citation in shown.block.citations:
            text = KEYS[f"k{citation.chunk[1:]}"]
            assert citation.quote is None or text[citation.start : citation.end] == citation.quote


replied = st.builds(
    lambda said, more: json.dumps({"blocks": said, **more}),
    hostile,
    st.sampled_from([{}, {"x": {"blocks": [block("It.", "c1")]}}, ENOUGH, LACKING]),
)
cut = st.builds(lambda text, end: text[:end], replied, st.integers(0, 2_000))
doubled = st.builds(
    lambda one, other: f'{{"blocks": {json.dumps(one)}, "blocks": {json.dumps(other)}}}', hostile, hostile
)
any_reply = replied | cut | doubled | replies("blocks")


@given(any_reply, st.sampled_from([1, 7, 10_000]), st.booleans())
@law(400)
def test_blocks_and_revisions_are_the_answer_whatever_the_writer_replies(text: str, pieces: int, breaks: bool) -> None:
    model = Model(says=says(answer=text), pieces=pieces, breaks_off=frozenset({"answer"}) if breaks else frozenset())
    caller, _ = streamed(model)
    holds(caller)


@given(hostile, any_reply, st.sampled_from([1, 10_000]), st.booleans())
@law(300)
def test_and_whatever_a_second_reading_replies(first: list[object], second: str, pieces: int, breaks: bool) -> None:
    model = Model(
        says=says(answer=reply(*first, judged=LACKING), again=second),
        pieces=pieces,
        breaks_off=frozenset({"again"}) if breaks else frozenset(),
    )
    caller, _ = streamed(model)
    holds(caller)


@given(hostile)
@law(300)
def test_the_answer_is_that_of_a_caller_who_waits_for_the_whole(said: list[object]) -> None:
    model = Model(says=says(answer=reply(*said)))
    _, answer = streamed(model)
    whole = answered(model)
    assert answer.written == whole.written
    assert answer.judgement == whole.judgement


@given(hostile | st.lists(st.sampled_from(blocks(USUAL)), max_size=12), st.sampled_from([1, 10_000]))
@law(300)
def test_what_is_shown_is_what_a_check_of_the_reply_so_far_leaves(said: list[object], pieces: int) -> None:
    """And each block is shown once."""
    caller, answer = streamed(Model(says=says(answer=reply(*said)), pieces=pieces))
    try:
        draft = answer_blocks.read(json.dumps({"blocks": said}))
    except BadModelReply:
        draft = ()
    shown = [added.block for added in caller.of(BlockAdded) if added.block.place is not None]
    parts = [check(draft[:end], chunks=answer.chunks, by="model", asked=ASKED) for end in range(len(draft) + 1)]
    assert all(any(block in part.blocks for part in (*parts, answer.written)) for block in shown)
    places = [block.place for block in shown]
    assert places == sorted(set(places))


def test_a_block_is_shown_before_the_reply_goes_on() -> None:
    caller, shown = Caller(), list[str]()

    class Hearing(Model):
        async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
            if hear is not None and prompt.name.startswith("answer"):
                first, second = (
                    json.dumps(one) for one in blocks("The plant opened in 1998 [c1].\nCairo shines [c2].")
                )
                hear(f'{{"blocks": [{first}')
                for _ in range(20):
                    await asyncio.sleep(0)
                shown.append(caller.text)
                hear(f", {second}]}}")
                return Reply(text=f'{{"blocks": [{first}, {second}]}}', input_tokens=1, output_tokens=1)
            return await super().complete(prompt, hear=hear)

    answered(Hearing(says=says()), caller)
    assert shown == ["The plant opened in 1998 [1]."]


def test_a_citation_that_the_next_sentence_takes_over_is_a_revision() -> None:
    caller, answer = streamed(
        Model(says=says(answer=reply(*blocks("The plant opened in 1998 [c1]. It closed in 2011 [c1]."))))
    )
    assert [added.block.markdown for added in caller.of(BlockAdded)][:2] == [
        "The plant opened in 1998 [1].",
        " It closed in 2011 [1].",
    ]
    (revision,) = caller.of(BlocksRevised)
    assert (revision.reason, [(one.id, one.block.markdown) for one in revision.blocks]) == (
        "continued",
        [(0, "The plant opened in 1998.")],
    )
    assert answer.written.markdown.startswith("The plant opened in 1998. It closed in 2011 [1].")


def test_a_heading_and_what_cites_nothing_wait_for_a_block_that_cites() -> None:
    said = blocks("The plant.\n# The plant\nThe plant opened in 1998 [c1].\n# Nothing below")
    caller, _ = streamed(Model(says=says(answer=reply(*said))))
    kinds = [(added.block.kind, added.block.markdown) for added in caller.of(BlockAdded)]
    assert [kind for kind, _ in kinds] == ["paragraph", "heading", "paragraph", "sources"]


def test_a_reply_that_breaks_off_ends_with_what_was_checked() -> None:
    said = [json.dumps(one) for one in blocks("The plant opened in 1998 [c1].\nCairo shines [c2].")]
    text = f'{{"blocks": [{said[0]}, {said[1][:-20]}'
    _, answer = streamed(Model(says=says(answer=text), breaks_off=frozenset({"answer"})))
    assert answer.written.by == "model"
    assert answer.written.markdown.startswith("The plant opened in 1998 [1].\n\n")
    assert [citation.chunk for citation in answer.written.citations] == ["c1"]


def test_a_second_reading_takes_back_what_the_first_wrote_and_only_once_it_has_a_block() -> None:
    again = reply(*blocks("The mill was sold in 2013 [c3]."))
    first = reply(*blocks("The plant opened in 1998 [c1]."), judged=LACKING)
    caller, answer = streamed(Model(says=says(answer=first, again=again)))
    assert [plan.round for plan in caller.of(Planned) if plan.is_complete] == [0, 1]
    revisions = [
        (one.reason, [(each.id, each.block.markdown) for each in one.blocks]) for one in caller.of(BlocksRevised)
    ]
    assert revisions == [("conclusion", [(0, "")])]
    assert answer.written.markdown.startswith("The mill was sold in 2013 [1].")
    unreadable = streamed(Model(says=says(answer=first, again="{}")))
    assert unreadable[0].of(BlocksRevised) == []
    assert unreadable[1].written.markdown.startswith("The plant opened in 1998 [1].")


def test_more_blocks_than_an_answer_may_have_end_it_at_the_last_one() -> None:
    one = block("The plant opened in 1998.", "c1")
    caller, answer = streamed(Model(says=says(answer=reply(*[one] * (answer_blocks.MOST_BLOCKS + 1)))))
    shown = [added.block.markdown for added in caller.of(BlockAdded) if added.block.kind == "paragraph"]
    assert (len(shown), shown[-1]) == (answer_blocks.MOST_BLOCKS + 1, f"\n\n{ENGLISH.frames.cut}")
    assert len(answer.written.citations) == answer_blocks.MOST_BLOCKS


def test_more_chunks_than_may_be_cited_are_taken_back() -> None:
    """The judgement decides which ones stay, and comes after the blocks."""
    ports = Ports(
        index=Index(),
        model=Model(
            says=says(
                answer=reply(*blocks("Cairo shines [c2].\nThe plant opened in 1998 [c1]."), judged=judgement("c1")),
            )
        ),
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    usual, caller = request(), Caller()
    asked = replace(usual, limits=replace(usual.limits, chunks=1, follow_ups=0))
    answer = asyncio.run(answers.answer(asked, ports, tell=caller.tell))
    assert caller.text == answer.written.markdown
    assert answer.written.cited == ("c1",)
    assert caller.of(BlocksRevised)[-1].reason == "check"
