"""Reads the findings of an app over HTTP.

This module needs only the standard library, so it runs on a machine that only deploys. With `az` on this machine, it
also gets a token for the app, and reads role assignments, which the app's identity may not read.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from retrieval.doctor import role_advice
from retrieval.doctor.role_advice import Assignment
from retrieval.model.finding import Finding, Lacking
from retrieval.settings.environment import LOOPBACK

SECONDS: Final = 120
"""The longest wait for bytes from the app, in seconds. The app may have to start first."""
LARGEST: Final = 1_048_576
AZ_SECONDS: Final = 30
STATES: Final = frozenset({"ok", "warning", "fault", "skipped"})

_STATUSES: Final = {
    401: "The app takes no such credential: send a key of ADMIN_API_KEYS, or sign in to its tenant.",
    403: "This credential may not manage: send a key of ADMIN_API_KEYS, or sign in with a manage role.",
    404: "There is no such route: the app is older than this command, or the address is another's.",
    503: "The app is not configured: its log names the settings that it lacks.",
}


NO_DOCTOR: Final = frozenset({400, 404, 405})
"""Statuses of an answer that does not come from the doctor's route."""
PASSING: Final = frozenset({404, 429, 500, 502, 503, 504})
"""Statuses that an app may answer with in the first minutes after it was deployed."""


class CannotRun(Exception):
    """The command cannot do its work. The sentence tells the reason, and often what to do.

    `status` is the app's HTTP error status; None if there was none, or if it is not needed. `passing` is true if the
    failure may be temporary.
    """

    def __init__(self, sentence: str, *, passing: bool = False, status: int | None = None) -> None:
        super().__init__(sentence)
        self.passing = passing
        self.status = status


class _NoRedirect(HTTPRedirectHandler):
    """Does not follow redirects, because a redirect could send the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def findings(app: str, headers: dict[str, str]) -> tuple[Finding, ...]:
    """The findings of `GET doctor` of the app. Raises CannotRun."""
    url = address(app)
    try:
        return read(_get(url, headers))
    except CannotRun as error:
        parts = urlsplit(app)
        path, whole = parts.path.strip("/"), parts._replace(path="").geturl()
        if not path or error.status not in NO_DOCTOR:
            raise
        raise CannotRun(
            f"There is no doctor beneath /{path} ({error.status}): give --app the address of the app alone, {whole}, "
            "or with its BASE_PATH.",
            passing=error.passing,
        ) from None


def address(app: str) -> str:
    """The address of the app's route `doctor`. Raises CannotRun unless the app's address is valid and uses https, or
    http on this machine."""
    try:
        parts = urlsplit(app)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise CannotRun("The address of the app is not valid.") from None
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK):
        raise CannotRun("The address of the app must be https://…, or http:// on this machine: it gets a key.")
    if not host or parts.query or parts.fragment or parts.username:
        raise CannotRun("The address of the app must be such as https://func-example.azurewebsites.net.")
    return f"{app.rstrip('/')}/doctor"


def _get(url: str, headers: dict[str, str]) -> bytes:
    is_here = urlsplit(url).hostname in LOOPBACK
    opener = build_opener(
        _NoRedirect, *([ProxyHandler({})] if is_here else [])
    )  # A proxy would get the key in plain http.
    try:
        with opener.open(Request(url, headers={"Accept": "application/json", **headers}), timeout=SECONDS) as answer:
            content: bytes = answer.read(LARGEST + 1)
    except HTTPError as error:
        error.close()
        sentence = _STATUSES.get(error.code, f"The app answered {error.code}.")
        raise CannotRun(sentence, passing=error.code in PASSING, status=error.code) from None
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        raise CannotRun(f"The app cannot be reached: {reason}.", passing=True) from None
    if len(content) > LARGEST:
        raise CannotRun("What answers is no doctor: its answer is too large.")
    return content


def read(content: bytes) -> tuple[Finding, ...]:
    """The findings in an answer. Raises CannotRun if the answer cannot be read."""
    try:
        document = json.loads(content)
        return tuple(map(_finding, document["findings"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise CannotRun("What answers is no doctor: its answer cannot be read.") from None


def _finding(member: dict[str, Any]) -> Finding:
    lacking = member.get("lacking")
    state = _text(member["state"])
    if state not in STATES:
        raise ValueError(state)
    return Finding(
        subject=_text(member["subject"]),
        name=_text(member["name"]),
        state=state,  # type: ignore[arg-type]
        said=_text(member["said"]),
        do="\n".join(map(_text, member["do"].split("\n"))),
        lacking=None if lacking is None else Lacking(**{name: _text(lacking[name]) for name in _LACKING}),
    )


_LACKING: Final = ("role", "scope", "principal", "kind")


def _text(value: str) -> str:
    """The text as one line of printable characters, because a terminal shows the text."""
    if not isinstance(value, str):
        raise TypeError
    return "".join(letter if letter.isprintable() else " " for letter in value)


def assignments(principal: str) -> Sequence[Assignment] | None:
    """The role assignments of a principal that `az` lists. None if `az` is missing or fails, or if its output cannot be
    read."""
    output = _az("role", "assignment", "list", "--all", "--assignee", principal, "--output", "json")
    return None if output is None else role_advice.read(output)


def token(audience: str) -> str | None:
    """A token for an app, of the user who is signed in to `az`; None if `audience` is malformed, or if `az` gives no
    token."""
    if not re.fullmatch(r"[A-Za-z0-9:/._-]{1,200}", audience):
        return None
    output = _az("account", "get-access-token", "--resource", audience, "--query", "accessToken", "--output", "tsv")
    return output.strip() or None if output else None


def _az(*arguments: str) -> str | None:
    """The output of `az`; None if `az` is missing or fails."""
    az = shutil.which("az")
    if az is None:
        return None
    try:
        process = subprocess.run(
            [az, *arguments], capture_output=True, text=True, check=False, timeout=AZ_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout if process.returncode == 0 else None
