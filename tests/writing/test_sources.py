"""How an answer cites its sources: by numbers, and the list of them below it."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given

from retrieval.errors import BadModelReply
from retrieval.model.answer import Citation, Written
from retrieval.model.retrieval import Chunk
from retrieval.text.source_labels import without
from retrieval.writing import answer_blocks
from retrieval.writing.markdown import with_list
from tests.answer.material import CHUNKS, block, blocks, chunk, request, sourced, user
from tests.writing import checking as citations
from tests.writing.test_check_laws import LABELS, TRICKY_LABELS, hostile

LISTED = re.compile(r"(?m)^- \[([0-9]+)\] ")


def shown(*said: dict[str, object], chunks: tuple[Chunk, ...] = CHUNKS, asked: str = "When did it open?") -> Written:
    """The checked answer with its list of sources."""
    written = citations.check(answer_blocks.blocks({"blocks": list(said)}), chunks=chunks, by="model")
    return with_list(written, request(user(asked)), chunks)


def test_a_source_has_its_number_in_the_order_of_the_text_and_is_listed_once() -> None:
    said = blocks("It shines [c2]. It opened [c1].\n- It closed [c1, c2]\n- It is bright [c3]")
    assert shown(*said).markdown == sourced(
        "It shines [1]. It opened [2].\n\n- It closed [2][1]\n- It is bright [3]", "T2 - k2", "T1 - k1", "T3 - k3"
    )


def test_chunks_of_one_label_are_one_source() -> None:
    twins = (CHUNKS[0], replace(CHUNKS[1], source=CHUNKS[0].source))
    written = shown(*blocks("It shines [c2]. It opened [c1, c2]."), chunks=twins)
    assert written.markdown == sourced("It shines. It opened [1].", "T1 - k1")
    assert [one.chunk for one in written.citations] == ["c2", "c1", "c2"]


def test_what_is_missing_is_numbered_after_what_is_told() -> None:
    said = (block("Cairo is not dated.", "c2", kind="missing"), block("It opened.", "c1"))
    written = citations.check(answer_blocks.blocks({"blocks": list(said)}), chunks=CHUNKS, by="model")
    assert (written.markdown, [one.markdown for one in written.missing]) == (
        "It opened [1].",
        ["Cairo is not dated [2]."],
    )
    assert written.cited == ("c1", "c2")


def test_where_nothing_is_cited_nothing_is_listed() -> None:
    assert with_list(Written(markdown="Hello.", by="rules"), request(), CHUNKS).markdown == "Hello."


def test_an_answer_that_cites_by_labels_has_no_list() -> None:
    written = Written(markdown="It opened [T1 - k1].", citations=(Citation(chunk="c1"),), by="model")
    assert with_list(written, replace(request(), cited_by="label"), CHUNKS) is written


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("When did the plant open?", "**Sources**"),
        ("Wann hat das Werk geöffnet und warum?", "**Quellen**"),
        ("Quand est-ce que l’usine a ouvert ?", "**Sources**"),
        ("¿Cuándo abrió la planta y por qué?", "**Fuentes**"),
        ("工厂是什么时候开业的？", "**来源**"),
        ("工場はいつ開業しましたか？", "**出典**"),
    ],
)
def test_the_heading_is_in_the_language_of_the_question(question: str, heading: str) -> None:
    written = shown(*blocks("It opened [c1]."), asked=question)
    assert written.markdown == sourced("It opened [1].", "T1 - k1", heading=heading)


@pytest.mark.parametrize(
    "label",
    [
        "guide.html, 9.3.3.1. Managing the links",
        "guide.html, A.2.1.3.4 Links",
        "guide.html, 4.6. The json_insert(), json_replace, and json_set() functions",
        "10.2.3.1 - k1",
    ],
)
def test_a_section_number_and_the_name_of_a_function_have_no_marks_in_a_label(label: str) -> None:
    chunks = (replace(CHUNKS[0], source=label), *CHUNKS[1:])
    assert shown(*blocks("It opened [c1]."), chunks=chunks).markdown == sourced("It opened [1].", label)
    by_label = citations.check(
        answer_blocks.blocks({"blocks": blocks("It opened [c1].")}), chunks=chunks, by="model", names={"c1": label}
    )
    assert by_label.markdown == f"It opened [{label}]."


@given(hostile)
def test_every_number_is_listed_and_every_source_that_is_listed_is_cited(blocks: list[object]) -> None:
    try:
        said = answer_blocks.read(json.dumps({"blocks": blocks}))
    except BadModelReply:
        return
    written = citations.check(said, chunks=CHUNKS, by="model")
    body = "\n\n".join((written.markdown, *(one.markdown for one in written.missing)))
    prose = re.sub(r"(?ms)^(```+)\n.*?^\1$|(?<!\\)(`)[^`\n]+`", "", body)
    below = with_list(written, request(), CHUNKS).markdown.removeprefix(written.markdown)
    numbers = LISTED.findall(below)
    assert numbers == [str(number) for number in range(1, 1 + len(written.cited))]
    assert set(re.findall(r"\[[^\]]*\]?|\]", prose)) == {f"[{number}]" for number in numbers}


@pytest.mark.parametrize("name", [*LABELS, *TRICKY_LABELS])
def test_of_an_earlier_answer_no_label_is_read_as_its_words(name: str) -> None:
    written = shown(*blocks("It opened [c1]. It shines [c2]."), chunks=(replace(CHUNKS[0], source=name), chunk(2, "x")))
    assert without(written.markdown).split() == ["It", "opened", ".", "It", "shines", "."]
