"""A collection of a few questions about a harbour, made up for these tests."""

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

CORPUS = (
    {"_id": "pier", "title": "The north pier", "text": "The north pier is 310 metres long and was built of granite."},
    {"_id": "light", "title": "The lighthouse", "text": "The lighthouse stands at the end of the north pier."},
    {"_id": "dredger", "title": "The dredger Hilda", "text": "The dredger Hilda keeps the channel nine metres deep."},
    {"_id": "ferry", "title": "The ferry", "text": "A ferry leaves for the island of Skarn at seven each morning."},
    {"_id": "skarn", "title": "Skarn", "text": "Skarn is an island known for its black sheep and its cheese."},
    {
        "_id": "market",
        "title": "The fish market",
        "text": "The fish market opens on Tuesday, and herring is sold first.",
    },
    {"_id": "crane", "title": "The crane", "text": "The harbour crane lifts forty tonnes. It came from Rotterdam."},
    {"_id": "<img src=x onerror=alert(1)>", "title": "The east pier", "text": "The east pier is made of timber."},
    {
        "_id": "master",
        "title": "The harbour master",
        "text": "The harbour master Ines Dahl keeps the book of arrivals.",
    },
)
HOSTILE_KEY = "<img src=x onerror=alert(1)>"
HOSTILE_LABEL = "<i>kind</i>"
HOSTILE = "<script>alert(1)</script> How long is the pier?"
QUERIES: tuple[Mapping[str, object], ...] = (
    {
        "_id": "q1",
        "text": "How long is the north pier?",
        "answer": "310 metres",
        "kind": "number",
        HOSTILE_LABEL: "plain",
    },
    {"_id": "q2", "text": "What stands at the end of the north pier?", "answers": ["the lighthouse", "light"]},
    {
        "_id": "q3",
        "text": "And what does one eat there?",
        "history": [
            {"role": "user", "text": "Where does the ferry to Skarn leave?"},
            {"role": "agent", "text": "At the east quay."},
        ],
        "answer": "its cheese",
        "kind": "thing",
    },
    {"_id": "q4", "text": "Who keeps the book of arrivals?", "answer": "Ines Dahl", "kind": "person"},
    {"_id": "q5", "text": "Is the crane from Rotterdam?", "answer": "yes", "kind": "person"},
    {"_id": "q6", "text": HOSTILE, "kind": "number", HOSTILE_LABEL: HOSTILE_LABEL},
    {"_id": "u1", "text": "Which bank financed the railway tunnel?", "answerability": ["UNANSWERABLE"]},
    {"_id": "u2", "text": "What do violins cost in Vienna?", "answerability": ["UNANSWERABLE"]},
)
QRELS = "q1\tpier\t1\nq2\tlight\t2\nq2\tpier\t1\nq3\tskarn\t1\nq4\tmaster\t1\nq5\tcrane\t1\nq6\tpier\t1\nq6\tcrane\t0\n"
QRELS += f"q6\t{HOSTILE_KEY}\t1\n"


def lines(values: Iterable[object]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in values)


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A folder in the form of BEIR, the corpus packed."""
    folder = tmp_path / "harbour"
    (folder / "qrels").mkdir(parents=True)
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(lines(CORPUS))
    (folder / "queries.jsonl").write_text(lines(QUERIES), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{QRELS}", encoding="utf-8")
    return folder
