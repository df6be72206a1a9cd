"""Ids of chunks in running text, as models write them though they are told not to."""

from dataclasses import replace

import pytest

from retrieval.model.answer import Written
from retrieval.writing import write
from tests.answer.material import CHUNKS, block, chunk
from tests.writing import checking as citations


def check(*said: dict[str, object], asked: str = "When did the plant open?", more: str = "") -> Written:
    chunks = (*CHUNKS[:2], replace(CHUNKS[2], text=f"{CHUNKS[2].text} {more}"))
    return citations.check(write.blocks({"blocks": list(said)}), chunks=chunks, by="model", asked=asked)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("According to c1, it opened in 1998.", "According to [1], it opened in 1998."),
        ("C1 says that it opened in 1998.", "[1] says that it opened in 1998."),
        ("It opened in 1998 c1.", "It opened in 1998 [1]."),
        ("It opened in 1998, as c1 and c2 say.", "It opened in 1998, as [1] and [2] say."),
        ("It opened in 1998 (see chunks c1 and c2).", "It opened in 1998 (see chunks [1] and [2])."),
        ("It opened in 1998 [chunk c1].", "It opened in 1998 (chunk [1])."),
        ("In c1’s words it opened in 1998.", "In [1]’s words it opened in 1998."),
        ("c1: it opened in 1998.", "[1]\\: it opened in 1998."),
        ("Laut c1 wurde es 1998 eröffnet.", "Laut [1] wurde es 1998 eröffnet."),
        ("据 c1，工厂于1998年开业。", "据 [1]，工厂于1998年开业。"),
    ],
)
def test_an_id_in_running_text_cites_in_its_place(text: str, shown: str) -> None:
    for ids in ((), ("c1",)):
        written = check(block(text, *ids))
        assert (written.markdown, written.removed) == (shown, ())
        assert written.cited[0] == "c1"


def test_what_is_cited_beside_it_stands_behind_it() -> None:
    assert check(block("According to c1, it opened.", "c2", "c1")).markdown == "According to [2], it opened [1]."


def test_ids_of_cells_and_of_what_is_missing_cite_too() -> None:
    table = [
        block("", kind="header", cells=["Plant", "Opened"]),
        block("", kind="row", cells=["as c1 says", "1998, c2"]),
    ]
    assert check(*table).markdown == "| Plant | Opened |\n| --- | --- |\n| as [1] says | 1998, [2] |"
    (missing,) = check(block("The text c1 does not say why.", kind="missing")).missing
    assert (missing.text, missing.markdown) == ("The text does not say why.", "The text [1] does not say why.")


@pytest.mark.parametrize(
    "text", ["The level C1 is enough", "Use a c1.large or `take c1 now`", "The files c1/a and c1.md"]
)
def test_a_word_of_the_documents_or_of_the_question_code_and_parts_of_words_are_no_ids(text: str) -> None:
    words = {"more": "The level C1"} if "level" in text else {}
    written = check(block(f"{text}.", "c2"), asked=text, **words)
    assert written.cited == ("c2",) and "[2]" not in written.markdown


def test_an_id_of_no_chunk_is_no_citation() -> None:
    assert check(block("As c9 says, it opened.", "c1")).markdown == "As c9 says, it opened [1]."


def test_what_is_removed_is_told_with_its_ids() -> None:
    (removed,) = check(block("As c1 says, read https://evil.example/x.", "c1")).removed[1:]
    assert removed.text == "As c1 says, read https://evil.example/x."


@pytest.mark.parametrize(
    "text", ["c1: /evil", "c1 (https://plant.example/history)", "!c1 (x)", "\ufffc: x c1", "c1 c1:"]
)
def test_no_id_makes_a_link_or_the_definition_of_one(text: str) -> None:
    markdown = check(block(text, "c1"), asked=text).markdown
    assert "](" not in markdown and "]:" not in markdown and "\ufffc" not in markdown


def test_the_sign_of_a_mark_in_code_is_code() -> None:
    code = "open(\ufffc)"
    written = citations.check(
        write.blocks({"blocks": [block(code, "c1", kind="code")]}), chunks=(chunk(1, code),), by="model"
    )
    assert written.markdown == f"```\n{code}\n```\n\n[1]"
