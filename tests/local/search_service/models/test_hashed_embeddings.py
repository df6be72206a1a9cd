"""The local embedding: the same everywhere, near for what is spelt alike."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.models.hashed_embeddings import embed

FROM = "retrieval.local.search_service.models.hashed_embeddings"
CODE = f"from {FROM} import embed; print(embed('harbour lights', 4).tolist())"


def near(one: str, other: str, dimensions: int = 256) -> float:
    return float(embed(one, dimensions) @ embed(other, dimensions))


@given(st.text(max_size=300), st.sampled_from([2, 3, 64, 1536]))
def test_a_vector_has_length_one_or_is_zero(text: str, dimensions: int) -> None:
    vector = embed(text, dimensions)
    assert vector.shape == (dimensions,) and vector.dtype == np.float32
    length = float(np.linalg.norm(vector))
    assert length == 0 or length == pytest.approx(1, abs=1e-5)


def test_another_process_gives_the_same_vector() -> None:
    said = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout
    assert said.strip() == str(embed("harbour lights", 4).tolist())


FIXED = [0.38236052, 0.28972095, -0.76303107, -0.43318105]
"""`hashed-v1` of "harbour lights" in four dimensions; a change of it is a new label."""


def test_the_vector_is_fixed_for_good() -> None:
    assert embed("harbour lights", 4).tolist() == pytest.approx(FIXED, abs=1e-7)


def test_order_case_and_word_forms_do_not_matter() -> None:
    assert near("The harbour lights", "LIGHT of harbours") == pytest.approx(1, abs=1e-6)


def test_what_shares_words_is_nearer_and_what_shares_spelling_comes_next() -> None:
    asked = "navigation lights of a ship"
    shares, alike, other = (
        near(asked, "the ship's lights"),
        near(asked, "naval shipyard lighting"),
        near(asked, "wet snow"),
    )
    assert shares > alike > other
    assert abs(other) < 0.25


def test_text_without_words_is_nothing() -> None:
    assert not embed("of the ... and", 8).any()
