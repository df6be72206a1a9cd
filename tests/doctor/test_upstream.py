"""Whatever the services answer, each check ends, and its finding is one line without secrets."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from retrieval.doctor.checks import Check, examine
from retrieval.errors import BackendUnavailable
from retrieval.local.wire import WireService
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import LARGEST
from tests.doctor.conftest import ADMIN_KEY, MODEL_KEY, QUERY_KEY, SEARCH_KEY, TOKEN, Stage
from tests.sampling import sample
from tests.scripted_azure import answering, cutting, failing, replying, stalling

QUOTING: Final = {
    "error": {"code": "Bad\r\ncode", "message": f"{SEARCH_KEY} {MODEL_KEY} {TOKEN}\x1b[2J\n\u202e" + "x" * 10_000}
}
REPLIES: Final[Mapping[str, WireService]] = {
    "HTML": answering(b"<html><body>Sign in</body></html>", content_type="text/html"),
    "nothing": answering(b""),
    "half a JSON": answering(b'{"value": [{'),
    "a list": answering([[]]),
    "a null": answering(None),
    "nulls": answering({"value": [None], "choices": [None], "fields": [None], "error": None}),
    "numbers": answering({"value": 1, "choices": 1, "fields": 1, "error": 1, "vectorSearch": 1, "semantic": 1}),
    "objects": answering({"value": {}, "choices": {}, "fields": {}, "vectorSearch": {"profiles": {}}}),
    "depth": answering(b"[" * 1_000_000),
    "too much": answering(b" " * (LARGEST + 1)),
    "no gzip": answering(b"plain", content_encoding="gzip"),
    "bytes": answering(b"\xff\xfe\x00" * 99),
    "half a character": answering(b'{"choices": [{"message": {"content": "\\ud800"}}], "value": [{"id": "\\ud800"}]}'),
    "a redirect": answering(b"", status=302, location="https://example.org/"),
    "a refusal that quotes": answering(QUOTING, status=400),
    "a 401 that quotes": answering(QUOTING, status=401),
    "a 403 that quotes": answering(QUOTING, status=403),
    "a 500 that quotes": answering(QUOTING, status=500),
    "an odd status": failing(418),
    "a cut": cutting(),
    "silence": stalling(),
    "a reply of nulls": replying("null"),
    "no reply": replying(None),
}


@pytest.mark.parametrize(
    "with_key", [pytest.param(True, id="key"), pytest.param(False, id="token", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", sample(tuple(REPLIES), every=3))
async def test_a_reply_breaks_nothing(name: str, with_key: bool, stage: Stage) -> None:
    script = REPLIES[name]
    azure = stage.azure
    azure.search = azure.index = azure.count = azure.chat = stage.table = script
    if not with_key:
        stage.by_token()
    found = await stage.examine()
    check(found, *((SEARCH_KEY, MODEL_KEY) if with_key else ()))
    wrong = {one.subject for one in found if one.state in {"fault", "warning"}}
    assert {"index", "model"} <= wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", REPLIES)
async def test_nor_does_a_reply_to_a_single_call(name: str, stage: Stage) -> None:
    """The calls before it are answered as usual."""
    for route in ("search", "index"):
        usual = getattr(stage.azure, route)
        setattr(stage.azure, route, REPLIES[name])
        check(await stage.examine(), SEARCH_KEY, MODEL_KEY)
        setattr(stage.azure, route, usual)


@pytest.mark.parametrize("name", sample(sorted(set(REPLIES) - {"silence"}), every=4))
async def test_nor_does_a_reply_of_the_identity(name: str, stage: Stage) -> None:
    stage.by_token()
    stage.identity = REPLIES[name]
    found = await stage.examine()
    check(found)
    assert [one.state for one in found if one.subject == "identity"] == ["fault", "fault"]


def check(found: Sequence[Finding], *secrets: str) -> None:
    for one in found:
        text = one.said + one.do.replace("\n", "")
        assert text.isprintable(), repr(text)
        assert len(one.said) < 600
        assert not [secret for secret in (QUERY_KEY, ADMIN_KEY, TOKEN, *secrets) if secret in text]
    json.dumps([one.said for one in found])


async def test_checks_run_at_once_and_are_told_in_their_order() -> None:
    both, told = asyncio.Barrier(2), list[Finding]()

    def look(name: str) -> Check:
        async def looked() -> Sequence[Finding]:
            await both.wait()
            return [About(name).ok("It is.")]

        return Check(about=About(name), look=looked)

    found = await examine([look("first"), look("second")], told.append)
    assert [one.subject for one in found] == ["first", "second"]
    assert list(found) == told


async def test_a_finding_has_no_secrets_and_cannot_move_the_cursor() -> None:
    async def look() -> Sequence[Finding]:
        return [About("index", "a\x1b[2J").fault("It says s3cret-key\r.", "Set s3cret-key.\nThen wait\x07.")]

    [one] = await examine([Check(about=About("index"), look=look)], lambda finding: None, secrets={"s3cret-key"})
    assert (one.name, one.said, one.do) == ("a [2J", "It says *** .", "Set ***.\nThen wait .")


async def test_a_check_that_hangs_is_a_finding() -> None:
    async def hang() -> Sequence[Finding]:
        await asyncio.Event().wait()
        return []

    [one] = await examine([Check(about=About("model"), look=hang)], lambda finding: None)
    assert (one.subject, one.state) == ("model", "fault")
    assert "30 s" in one.said


async def test_a_check_that_fails_is_a_finding() -> None:
    async def fail() -> Sequence[Finding]:
        raise BackendUnavailable("The model", "failed (500).")

    [one] = await examine([Check(about=About("model"), look=fail)], lambda finding: None)
    assert (one.state, one.said) == ("fault", "The model failed (500).")
