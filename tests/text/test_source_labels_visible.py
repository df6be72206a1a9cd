"""What a reader sees of a text: no control that orders or hides what is in it."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.source_labels import visible
from tests.laws import law

KEPT = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u200c\u200d\u2028\u2029"
"""Blanks, line ends and joiners."""


def test_no_control_and_no_format_character_stays_but_blanks_joiners_and_marks_of_numbers() -> None:
    unseen = [one for one in map(chr, range(0x110000)) if unicodedata.category(one) in {"Cc", "Cf", "Cs"}]
    stays = {one for one in unseen if one in visible(f"a{one}b") and one not in KEPT}
    assert {unicodedata.name(one).split()[0] for one in stays} <= {
        "ARABIC",
        "SYRIAC",
        "KAITHI",
        "EGYPTIAN",
        "SHORTHAND",
    }


def test_what_hangs_between_words_stays() -> None:
    text = "می‌خواهم 👩‍🚀 ❤️ naïve 東京\tב"
    assert visible(text) == text


@given(st.text())
@law()
def test_a_visible_text_is_utf_8_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert shown.encode() is not None and visible(shown) == shown
