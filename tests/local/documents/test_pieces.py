"""Chunks: nothing is lost, none is too long, and sentences stay whole where they can."""

import re

import pytest

from retrieval.local.documents.pieces import MOST, pieces
from retrieval.text.tokens import tokens

SENTENCE = "Everybody has thirty-two days of holiday a year. "


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 200,
        "word " * 5_000,
        "x" * 20_000,
        "图书馆星期一不开放。" * 1_000,
        "字" * 5_000,
        "| a | b |\n" * 2_000,
        "\n".join(f"- item {n}" for n in range(2_000)),
    ],
)
def test_no_chunk_is_too_long_and_nothing_is_lost(text: str) -> None:
    made = list(pieces([text, "The end."]))
    assert max(map(tokens, made)) <= MOST
    assert re.sub(r"\s", "", "".join(made)) == re.sub(r"\s", "", text + "The end.")
    assert len(made) <= 2 + 2 * tokens(text) // MOST


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    assert all(piece.endswith("a year.") for piece in pieces([SENTENCE * 200]))


def test_short_blocks_share_a_chunk() -> None:
    assert list(pieces(["One.", "", "Two."])) == ["One.\n\nTwo."]
