"""Questions as people have them, over a folder: their columns, what is wrong with them, and the page's example."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.__main__ import main
from retrieval.local.evaluation.collections import Collection
from retrieval.local.evaluation.questions import COLUMNS, read
from tests.environments import ROOT
from tests.local.documents.folder import mixed

PAGE = (ROOT / "docs" / "developing" / "evaluation.md").read_text(encoding="utf-8")


def collection(tmp_path: Path, text: str, name: str = "questions.csv") -> Collection:
    (tmp_path / name).write_text(text, encoding="utf-8")
    folder = tmp_path / "docs"
    return read(tmp_path / name, folder if folder.exists() else mixed(tmp_path))


def report(tmp_path: Path, questions: Path, folder: Path) -> Any:
    arguments = ["eval", "--data", str(folder), "--queries", str(questions), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--run", "auto"]) == 0
    return json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))


def test_the_example_of_the_page_finds_what_it_names(tmp_path: Path) -> None:
    [text] = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "questions.csv").write_text(text, encoding="utf-8")
    found = report(tmp_path, tmp_path / "questions.csv", ROOT / "docs")
    [run] = found["runs"]
    assert found["collection"]["judged"] == run["measures"]["all-gold@10"]["n"] == 4
    assert run["measures"]["all-gold@10"]["value"] == 1.0
    assert "calling/answer.md, When something ends" in run["ranked"]["3"]


def test_the_page_names_every_column() -> None:
    section = PAGE.partition("## Your own questions")[2].partition("## The collection")[0]
    assert [one for role in COLUMNS.values() for one in role if f"`{one}`" not in section] == []


def test_columns_have_the_names_that_people_give_them_and_others_are_labels(tmp_path: Path) -> None:
    found = collection(
        tmp_path,
        "\ufeffUser Input;Source;Section;Ground Truth;Team;Answerable\n"
        '"How many days\nof holiday?";docs/HR/leave.md;leave > holidays;thirty-two;hr;\n\n'
        "Who is Carl?;people.csv; ;;it;yes\nWho is Dora?;;;;it;no\n",
    )
    first, second, third = found
    assert (first.text, first.answers, first.labels) == ("How many days\nof holiday?", ("thirty-two",), {"Team": "hr"})
    assert (set(first.gold), len(first.units)) == ({"hr/leave.md, leave > holidays"}, 1)
    assert (set(second.gold), len(second.units), second.id) == ({"people.csv"}, 3, "2")
    assert (third.answerable, set(third.gold), second.answerable) == (False, set(), True)


def test_json_lines_have_lists_and_turns_before(tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "Is there leave?"}, {"role": "assistant", "text": "Yes."}]
    lines = [
        {"id": "a", "question": "How much?", "history": turns, "file": ["hr/leave.md", "travel.html"]},
        {"id": "b", "question": "Which password?", "chunk_id": "faq-1", "heading": None},
        {"id": "c", "question": "When to call?", "heading": "Sickness"},
    ]
    found = collection(tmp_path, "\n".join(map(json.dumps, lines)), "questions.jsonl")
    first, second, third = found
    assert ([one.role for one in first.messages], set(first.gold)) == (
        ["user", "assistant", "user"],
        {"hr/leave.md", "travel.html"},
    )
    assert (set(second.gold), dict(second.units)) == ({"faq-1"}, {"faq-1": "faq-1"})
    assert third.gold == {"hr/leave.md, Sickness"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q,file\nWho?,leaves.md\n", "line 2, column 'file': no file 'leaves.md' was read; the nearest is"),
        ('q,file\n"a\nb",x\nWho?,\n,hr/leave.md\n', "line 2, column 'file': no file 'x' was read"),
        ("q,file\n\nWho?,\n,hr/leave.md\n", "line 4, column 'q': it is empty"),
        (
            "q,file,Section\nWho?,leave.md,Holiday\n",
            "line 2, column 'Section': there is no heading 'Holiday' in hr/leave.md; the nearest is 'holidays'",
        ),
        ("q,chunk\nWho?,faq-3\n", "line 2, column 'chunk': no chunk has the key 'faq-3'; the nearest is 'faq-"),
        ("ask,file\nWho?,leave.md\n", "line 2: no column is the question (question, query, "),
        ("q,id\nWho?,1\nWhat?,1\n", "line 3, column 'id': the id '1' is there twice"),
        ("q,file\nWho?,a,b\n", "line 2: it has 3 cells, and the first line 2 columns"),
        ('q\n"Who?\n', "line 2, cannot be read"),
        ("q,file\n", "questions.csv has no questions"),
        ("", "questions.csv has no questions"),
    ],
)
def test_what_is_wrong_is_said_with_the_line_and_the_column(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(NotConfigured) as refusal:
        collection(tmp_path, text)
    assert said in str(refusal.value) and "questions.csv" in str(refusal.value)


def test_a_file_name_that_two_files_have_is_refused(tmp_path: Path) -> None:
    folder = mixed(tmp_path)
    (folder / "it").mkdir()
    (folder / "it" / "leave.md").write_text("Servers have no leave.")
    with pytest.raises(NotConfigured, match=r"'leave.md' may be hr/leave.md or it/leave.md"):
        collection(tmp_path, "q,file\nWho?,leave.md\n")
    assert collection(tmp_path, "q,file\nWho?,it/leave.md\n").questions[0].gold == {"it/leave.md"}


def test_questions_in_the_folder_would_be_found_as_documents(tmp_path: Path) -> None:
    folder = mixed(tmp_path)
    (folder / "questions.csv").write_text("q\nWho?\n")
    with pytest.raises(NotConfigured, match="Put it beside the folder"):
        read(folder / "questions.csv", folder)


def test_without_what_answers_the_report_says_how_many_calls_found_nothing_and_how_long_they_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mixed(tmp_path)
    (tmp_path / "asked.csv").write_text("question\nHow many days of holiday?\nQuokka zyzzyva?\n")
    [run] = report(tmp_path, tmp_path / "asked.csv", folder)["runs"]
    assert run["measures"]["found nothing"]["value"] == 0.5 and run["latency"]["p50"] > 0
    assert not any("@" in name for name in run["measures"])
    said = capsys.readouterr().out
    assert "2 questions, 0 judged" in said and "found nothing" in said and "latency" in said
