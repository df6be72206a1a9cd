"""Paths between the request line, the router and `req.url`."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.host.paths import decode_path, decode_query, escape

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/agents%28%27a%27%29/retrieve", "/agents('a')/retrieve"),
        ("/my%20agent", "/my agent"),
        ("/a%2Fb%2fc", "/a%2Fb%2fc"),
        ("/a%2F%20b", "/a%2F b"),
        ("/%E4%B8%AD", "/中"),
        ("/%ff%20", "/%ff "),
        ("/%ED%A0%80", "/%ED%A0%80"),
        ("/%zz%2", "/%zz%2"),
        ("/a+b", "/a+b"),
        ("/%2541", "/%41"),
        ("/a/./b/../c", "/a/c"),
        ("/../../a", "/a"),
        ("/a/%2e%2E/b", "/b"),
        ("/a/..", "/"),
        ("/a/.", "/a/"),
        ("/.a/b..", "/.a/b.."),
        ("//agents", "//agents"),
        ("/%C3%a9%c3%28%fF", "/é%c3(%fF"),
    ],
)
def test_a_path_is_decoded_as_kestrel_does(raw: str, path: str) -> None:
    assert decode_path(raw) == path


def test_a_null_character_is_refused() -> None:
    with pytest.raises(ValueError, match="null"):
        decode_path("/a%00b")


@given(TEXT)
def test_what_was_encoded_is_decoded_and_a_slash_stays_encoded(text: str) -> None:
    assert decode_path("/x" + quote(text, safe="")) == "/x" + text.replace("/", "%2F")


@given(TEXT)
def test_a_query_value_comes_back_whole(text: str) -> None:
    assert decode_query(quote(text, safe="").replace("%20", "+")) == text


@given(st.text())
def test_an_escaped_path_is_ascii_and_stays_as_it_is(text: str) -> None:
    assert escape(text).isascii()
    assert escape(escape(text)) == escape(text)


@given(st.text("/.%2eEfF0a", max_size=20))
def test_no_path_climbs_or_fails(text: str) -> None:
    try:
        path = decode_path("/" + text)
    except ValueError:
        return
    assert path.startswith("/")
    assert not {".", ".."} & set(path.split("/"))
