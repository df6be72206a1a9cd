"""The questions that the page suggests: what the documents ask, or what a rule makes of a heading or sentence."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import playground
from tests.environments import needs_node

MODULE: Final = Path(playground.__file__).with_name("questions.js")
PROGRAM: Final = """
import { suggested } from "./questions.mjs";
console.log(JSON.stringify(JSON.parse(process.argv[2]).map(suggested)));
"""


def suggested(*corpora: list[dict[str, str]], folder: Path) -> list[dict[str, Any]]:
    """The suggestions for each of these corpora."""
    needs_node()
    (folder / "questions.mjs").write_text(MODULE.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "program.mjs").write_text(PROGRAM, encoding="utf-8")
    command = ["node", "program.mjs", json.dumps(corpora)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def headed(*titles: str) -> list[dict[str, str]]:
    return [{"title": title, "content": ""} for title in titles]


def told(text: str) -> list[dict[str, str]]:
    return [{"title": "", "content": text}]


ASKED: Final = {
    "What does a lost card cost?": headed("What does a lost card cost?"),
    "How good is retrieval on your documents?": headed("Evaluation: how good is retrieval on your documents?"),
    "How do I rotate the API keys?": headed("Guide > How to Rotate the API keys"),
    "When should I renew my card?": headed("When to renew your card"),
    "How do I return a book?": headed("Return a book"),
    "How do I apply for a berth?": headed("How to apply for a berth"),
    "How do I safely pass a lock?": headed("How to safely pass a lock"),
    "Wie oft darf ich verlängern?": headed("Wie oft darf ich verlängern?"),
    "¿Cuánto cuesta un carné?": headed("¿Cuánto cuesta un carné?"),
    "借书证每年多少元？": headed("借书证每年多少元？"),
    "متى تفتح المكتبة؟": headed("متى تفتح المكتبة؟"),
    "Can I bring my dog?": told("Rules.\n\n**Q: Can I bring my dog?**\n\nA: Yes, on a lead."),
    "Which boats need a permit in winter?": told("Ask first. Which boats need a permit in winter? All of them do."),
    "What is a lock?": told("Boats climb. A lock is a chamber between two gates."),
    "Why is the canal closed in winter?": told("The canal is closed in winter because the water freezes."),
    "Why is Chicago bright?": told("They saw Chicago from afar. Chicago is bright because its lamps are many."),
    "Why is Perth easy to see?": [
        {"title": "Perth, the City of Light", "content": "Perth is easy to see because nothing else is near."}
    ],
    "Why is the street grid of Phoenix so sharply visible from space?": told(
        "Several reasons explain why the street grid of Phoenix is so sharply visible from space, whereas others hide."
    ),
}
"""Questions, each with the documents that it is made of."""

SILENT: Final = [
    *headed("Opening hours", "Reading the Dark Half", "Why the sky is blue", "Watch the gap", "Around the world"),
    *headed("How to use this guide", "Return policy", "Really?", "Why and How?", "Is it closed?", "Ready to go?"),
    *told("“What are you doing?” she asked. Who knows? What does it cost? The first is a lock."),
    *told("Wildlife is rare because hunters came. The film is a comedy. A feature is the best. There is a lock."),
    *told(
        "It is closed because of snow. The gate that leaks is the oldest. The road is shut, but not because it is old."
    ),
    *headed("Where to next", "How to guides", "How to be a good neighbour", "How to in English", "When to when"),
    *told(
        "Reeds grow in ponds. In winter the lake is closed because ice is thin. Today the pool is shut because of it."
    ),
    *told("Come today. Today the pool is shut because pumps broke. The book says why in spring the river is brown."),
    *told("We saw many. Many were sold because prices fell. It rose early. Early swims are cold because ice is near."),
    *told("It usually rains. Usually the door is locked because thieves came. Go to it. To save costs it is off."),
    *told("See `what is this here?` or http://a.b/c?d=what"),
]
"""Documents that give no question: any that a rule could make would be wrong or would point elsewhere."""


def test_a_document_gives_a_question_in_its_own_words(tmp_path: Path) -> None:
    found = suggested(*ASKED.values(), folder=tmp_path)
    assert [one["questions"] for one in found] == [[question] for question in ASKED]


def test_where_no_question_is_sure_there_are_topics_as_they_are_written(tmp_path: Path) -> None:
    found = suggested(*([one] for one in SILENT), SILENT, folder=tmp_path)
    assert [one["questions"] for one in found] == [[]] * len(found)
    topics = found[-1]["topics"]
    assert len(topics) == 3 and set(topics) <= {one["title"] for one in SILENT}


def test_there_are_three_at_most_and_questions_first(tmp_path: Path) -> None:
    corpus = headed("Opening hours", "What is a pass?", "Lost things", "Where is the desk?", "Long loans")
    few, many = suggested(corpus, [one for asked in ASKED.values() for one in asked], folder=tmp_path)
    assert few["questions"] == ["What is a pass?", "Where is the desk?"] and len(few["topics"]) == 1
    assert len(many["questions"]) == 3 and many["topics"] == []


@pytest.mark.parametrize("text", ["a " * 200_000, "?" * 400_000, "why the a" * 50_000, "\n- " * 130_000, "[" * 400_000])
def test_a_hostile_text_costs_no_more_than_its_beginning(text: str, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text(json.dumps([{"title": text, "content": text}] * 50), encoding="utf-8")
    (tmp_path / "questions.mjs").write_text(MODULE.read_text(encoding="utf-8"), encoding="utf-8")
    program = 'import { suggested } from "./questions.mjs"; import { readFileSync } from "fs";'
    (tmp_path / "program.mjs").write_text(f'{program} suggested(JSON.parse(readFileSync("text.json", "utf8")));')
    needs_node()
    done = subprocess.run(
        ["node", "program.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0, done.stderr
