"""Chunks: nothing is lost, none is too long, and sentences stay whole where they can."""

import re

import pytest

from retrieval.local.documents.pieces import MOST, pieces
from retrieval.text.length import tokens

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
        f"| {'wide ' * 400}| b |\n|---|---|\n" + "| c | d. e |\n" * 2_000,
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


def test_a_long_table_is_cut_between_rows_and_each_chunk_begins_with_its_header() -> None:
    header = "| Berth | Depth |\n|---|---:|"
    rows = [f"| Berth {number} | Dredged in May. Now {number} m deep |" for number in range(200)]
    made = list(pieces(["The berths:", "\n".join([header, *rows]), "The end."]))
    tables = [piece.removeprefix("The berths:\n\n").removesuffix("\n\nThe end.").split("\n") for piece in made]
    assert max(map(tokens, made)) <= MOST and len(tables) > 4
    assert all("\n".join(lines[:2]) == header for lines in tables)
    assert [row for lines in tables for row in lines[2:]] == rows


def test_a_row_longer_than_a_chunk_is_cut_and_the_rows_around_it_have_the_header() -> None:
    header = "a | b\n--- | ---"
    made = list(pieces([f"{header}\nfirst | 1\nlong | {SENTENCE * 60}|\nlast | 3"]))
    assert made[0] == f"{header}\nfirst | 1" and made[-1].endswith(f"year. |\n\n{header}\nlast | 3")
    assert made[1].startswith(f"{header}\nlong | Everybody") and max(map(tokens, made)) <= MOST


def test_each_part_of_a_long_row_is_below_the_header_and_so_are_the_rows_of_a_wide_table() -> None:
    header = "| Berth | Rules |\n| --- | --- |"
    made = list(pieces([f"{header}\n| North | {SENTENCE * 60}|"]))
    assert len(made) > 1 and all(piece.startswith(header) for piece in made) and max(map(tokens, made)) <= MOST
    wide = f"| {' | '.join(f'Column {number}' for number in range(80))} |\n|{' --- |' * 80}"
    rows = "\n".join(f"| {' | '.join(['7'] * 80)} |" for _ in range(20))
    assert tokens(wide) < MOST and all(piece.startswith(wide[:900]) for piece in pieces([f"{wide}\n{rows}"]))
