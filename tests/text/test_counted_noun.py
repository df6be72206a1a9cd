"""A number agrees with its noun, in the one place that all messages use and in the messages themselves. A list tells
how many names it leaves out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from retrieval.errors import BackendUnavailable, RetrievalFailed
from retrieval.local.documents.summary import Summary
from retrieval.text.counted_noun import how_many, listed_names
from tests.environments import ROOT

AWAY: Final = BackendUnavailable("Azure AI Search", "did not answer.")
VARIES: Final = re.compile(
    r"len\(|count|\b(?:failed|wanted|questions|judged|files|chunks|documents|total|number|times)\b"
)
COUNTED: Final = "sub-queries queries searches documents files chunks questions calls turns goals requests"
NOUNS: Final = re.compile(rf"\s(?:of )?(?:[a-z-]+ )?(?:{'|'.join(COUNTED.split())})\b")


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (1, "document", "1 document"),
        (0, "document", "0 documents"),
        (2_000, "chunk", "2,000 chunks"),
        (1, "sub-query", "1 sub-query"),
        (3, "sub-query", "3 sub-queries"),
        (2, "search", "2 searches"),
        (2, "index", "2 indexes"),
        (2, "key", "2 keys"),
    ],
)
def test_a_number_agrees_with_its_noun(count: int, noun: str, said: str) -> None:
    assert how_many(count, noun) == said


@pytest.mark.parametrize(("names", "said"), [("ab", "'a', 'b'"), ("abc", "'a', 'b' and 1 more"), ("", "")])
def test_a_list_of_names_tells_how_many_it_leaves_out(names: str, said: str) -> None:
    assert listed_names(tuple(names), most=2) == said


def test_one_sub_query_that_failed_is_one() -> None:
    assert str(RetrievalFailed([AWAY])).startswith("1 sub-query failed. ")
    assert str(RetrievalFailed([AWAY] * 2)).startswith("All 2 sub-queries failed. ")
    assert str(RetrievalFailed([AWAY], of=1)).startswith("1 of 1 sub-query failed, ")
    assert str(RetrievalFailed([AWAY], of=3)).startswith("1 of 3 sub-queries failed, ")


def test_a_summary_of_one_file_says_one() -> None:
    assert list(Summary(files=1, chunks=1).lines("hand")) == ["hand: 1 file, 1 chunk"]
    assert list(Summary(files=2, chunks=1_200).lines("hand")) == ["hand: 2 files, 1,200 chunks"]


def test_no_message_writes_a_plural_after_a_number_that_may_be_one() -> None:
    """In f-strings a number that varies is followed by no plural of what this service counts."""
    assert [found for path in sorted((ROOT / "retrieval").rglob("*.py")) for found in _plurals(path)] == []


def _plurals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                continue
            if VARIES.search(ast.unparse(value.value)) and NOUNS.match(str(after.value)):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
