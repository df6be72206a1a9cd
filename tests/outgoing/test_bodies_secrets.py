"""A secret is replaced however JSON writes it, and nothing else is."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.outgoing.bodies import without_secret

SECRET: Final = "Bearer ab+cd/ef0123456789=="
SECRETS: Final = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40)
WRITINGS: Final = {
    "plain": SECRET,
    "as PHP": SECRET.replace("/", "\\/"),
    "as .NET": SECRET.replace("+", "\\u002B"),
    "as .NET in small letters": SECRET.replace("+", "\\u002b"),
}


@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("writing", WRITINGS)
def test_a_secret_is_replaced_in_json_that_is_a_text_of_json(writing: str, levels: int) -> None:
    text = '{"message": "The server got ' + WRITINGS[writing] + ' and refused."}'
    for _ in range(levels):
        text = json.dumps({"text": text})
    read = json.loads(without_secret(text.encode(), SECRET, replacement=b"***"))
    for _ in range(levels):
        read = json.loads(read["text"])
    assert read == {"message": "The server got *** and refused."}


@given(secret=SECRETS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_secret_stays_in_a_text(secret: str, before: str, after: str) -> None:
    content = json.dumps([f"{before} {secret} {after}"]).encode()
    assert secret not in json.loads(without_secret(content, secret, replacement=b"*"))[0].replace("*", "")


@given(secret=SECRETS, text=st.text(max_size=60))
def test_a_text_without_the_secret_stays_as_it_is(secret: str, text: str) -> None:
    content = json.dumps([text.replace(secret, "")]).encode()
    assert without_secret(content, secret, replacement=b"*") == content or secret in json.loads(content)[0]


def test_an_empty_secret_is_nowhere() -> None:
    assert without_secret(b"anything", "", replacement=b"*") == b"anything"
