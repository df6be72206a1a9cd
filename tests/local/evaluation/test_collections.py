"""A folder in the form of BEIR, read."""

import gzip
from pathlib import Path

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.evaluation.collections import read
from tests.local.evaluation.conftest import HOSTILE_KEY, QRELS


def test_questions_have_their_turns_grades_answers_and_labels(harbour: Path) -> None:
    known = {one.id: one for one in read(harbour)}
    assert [(one.role, one.text) for one in known["q3"].messages] == [
        ("user", "Where does the ferry to Skarn leave?"),
        ("assistant", "At the east quay."),
        ("user", "And what does one eat there?"),
    ]
    assert known["q2"].grades == {"light": 2, "pier": 1}
    assert known["q2"].answers == ("the lighthouse", "light")
    assert known["q6"].gold == {"pier", HOSTILE_KEY}
    assert known["q3"].labels == {"turn": "later", "kind": "thing"}
    assert [known[id].answerable for id in ("q1", "u1")] == [True, False]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore\n"])
def test_judgements_are_read_with_and_without_a_header_packed_and_not(harbour: Path, packed: bool, header: str) -> None:
    expected = [one.grades for one in read(harbour)]
    (harbour / "qrels" / "test.tsv").unlink()
    if packed:
        (harbour / "qrels.tsv.gz").write_bytes(gzip.compress(f"{header}{QRELS}".encode()))
    else:
        (harbour / "qrels.tsv").write_text(f"\ufeff{header}{QRELS}", encoding="utf-8")
    assert [one.grades for one in read(harbour)] == expected


def test_the_last_turn_can_be_asked_alone(harbour: Path) -> None:
    assert {len(one.messages) for one in read(harbour, last_turn=True)} == {1}


def test_groups_are_labels_with_a_few_values(harbour: Path) -> None:
    groups = read(harbour).groups()
    assert groups["turn"]["later"] == {"q3"}
    assert groups["kind"] == {"number": {"q1", "q6"}, "person": {"q4", "q5"}, "thing": {"q3"}}
    assert "answerability" not in groups


def test_a_fingerprint_is_of_the_questions_and_their_judgements(harbour: Path) -> None:
    before = read(harbour).fingerprint
    assert read(harbour).fingerprint == before
    (harbour / "qrels" / "test.tsv").write_text(QRELS.replace("skarn\t1", "skarn\t2"), encoding="utf-8")
    assert read(harbour).fingerprint != before


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("queries.jsonl", '{"_id": "a", "text": "b"}\n{"_id": "a", "text": "c"}', "'a' is there twice"),
        ("queries.jsonl", '{"_id": 1, "text": "b"}', "line 1: a question needs the strings _id and text"),
        ("queries.jsonl", '{"_id": "a", "text": "b", "history": [{"role": "user"}]}', "a turn of the history needs"),
        ("queries.jsonl", "{", "line 1, cannot be read"),
        ("queries.jsonl", "", "has no questions"),
        ("qrels/test.tsv", "q1\tpier\t1\nq2 light 1\n", "line 2: a judgement is"),
        ("qrels/test.tsv", "q1\tpier\t1\nq2\tlight\t-1\n", "line 2: a judgement is"),
    ],
)
def test_what_cannot_be_read_is_named(harbour: Path, file: str, text: str, said: str) -> None:
    (harbour / file).write_text(text, encoding="utf-8")
    with pytest.raises(NotConfigured, match=said):
        read(harbour)


def test_a_folder_without_queries_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match=r"has no queries\.jsonl"):
        read(tmp_path)
