"""What the host reads beside the code: `host.json`, `local.settings.json` and its own settings in the environment."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.local.host.errors import BadProjectFile

DEFAULT_BODY_LIMIT = 104_857_600
"""Bytes; the host's `DefaultMaxRequestBodySize`."""

DEFAULT_TIMEOUT = "00:30:00"

CHECKOUT = Path(__file__).resolve().parents[3]
INSTALLED = Path(__file__).resolve().parents[1] / "app"
"""Where the app stands in a checkout, and in the package that another project installs."""

_TIMEOUT = re.compile(r"(?:(\d{1,3})\.)?(\d\d?):(\d\d):(\d\d)", re.ASCII)
_LIMIT = "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """`settings` are the Values of the local settings that the environment leaves unset. `body_limit` counts bytes.

    `function_timeout` is in seconds: the longest that a function may take.
    """

    root: Path
    route_prefix: str
    settings: Mapping[str, str]
    body_limit: int
    function_timeout: int


def app_root(here: Path) -> Path:
    """The app of a folder, or this project's own where the folder has none."""
    return next((folder for folder in (here, CHECKOUT) if (folder / "host.json").is_file()), INSTALLED)


def read_project(root: Path, environ: Mapping[str, str]) -> Project:
    """Read the files of an app root; BadProjectFile for what the host, or `func start`, would not accept.

    `local.settings.json` wins over `local.settings.sample.json`, which is used until a developer has copied it; the
    environment wins over both. An empty value is an unset one, on either side.
    """
    values = _values(root)
    settings = {name: value for name, value in values.items() if value and not environ.get(name)}
    return Project(
        root=root,
        route_prefix=_route_prefix(root / "host.json"),
        function_timeout=_function_timeout(root / "host.json"),
        settings=settings,
        body_limit=_body_limit(environ.get(_LIMIT) or settings.get(_LIMIT)),
    )


def _route_prefix(path: Path) -> str:
    """`extensions.http.routePrefix`: `api` unless it is given."""
    host = _read_object(path)
    if host.get("version") != "2.0":
        raise BadProjectFile(path, 'must hold "version": "2.0"')
    prefix = _member(path, _member(path, host, "extensions"), "http").get("routePrefix", "api")
    if not isinstance(prefix, str):
        raise BadProjectFile(path, "extensions.http.routePrefix must be a string")
    return prefix.strip("/")


def _function_timeout(path: Path) -> int:
    """`functionTimeout`, e.g. 00:10:00: half an hour unless it is given, as on the plans other than Consumption.

    https://learn.microsoft.com/azure/azure-functions/functions-host-json#functiontimeout
    """
    text = _read_object(path).get("functionTimeout", DEFAULT_TIMEOUT)
    found = _TIMEOUT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise BadProjectFile(path, "functionTimeout must be a time such as 00:10:00")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _values(root: Path) -> Mapping[str, str]:
    for name in ("local.settings.json", "local.settings.sample.json"):
        path = root / name
        if path.is_file():
            return _read_values(path)
    return {}


def _read_values(path: Path) -> Mapping[str, str]:
    document = _read_object(path)
    if document.get("IsEncrypted") is True:
        raise BadProjectFile(path, "is encrypted; decrypt it with `func settings decrypt`")
    values: dict[str, str] = {}
    for name, value in _member(path, document, "Values").items():
        if not isinstance(value, str):
            raise BadProjectFile(path, f"the value of {name} must be a string")
        values[name] = value
    return values


def _body_limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_BODY_LIMIT
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadProjectFile(_LIMIT, f"must be a number of bytes, not {text!r}")
    return int(text)


def _member(path: Path, document: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = document.get(name, {})
    if not isinstance(found, dict):
        raise BadProjectFile(path, f"{name} must be an object")
    return found


def _read_object(path: Path) -> Mapping[str, object]:
    try:
        document: object = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadProjectFile(path, f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise BadProjectFile(path, f"is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise BadProjectFile(path, "must hold an object")
    return document
