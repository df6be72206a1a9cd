"""Reads settings from an environment. `Reader` has a method for each kind of value, and collects the problems. The
shapes of JSON settings are imported only if a JSON setting exists, because the import takes a tenth of a cold start.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar, overload
from urllib.parse import urlsplit

from retrieval.errors import Problem
from retrieval.model.definitions import is_name

T = TypeVar("T")
Address = TypeVar("Address", str, str | None)

Grounding: TypeAlias = Literal["needed", "all"]
"""The documents of a grounding text where a model called some of them sufficient."""

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST: Final = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?|[0-9a-f]*:[0-9a-f:.]+", re.ASCII | re.IGNORECASE)
"""A host name, in which each label has at most 63 characters (RFC 1035), or an IPv6 address."""
_NO_ADDRESS: Final = re.compile(r"[^!-~]")


def address_fault(address: str, *, plain: bool = False) -> str | None:
    """The problem with the address of a service; None if the address is valid. An address must be https. Loopback
    addresses may be http; with `plain` all addresses may."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    whole = host is not None and _HOST.fullmatch(host) is not None and parts.scheme in {"https", "http"}
    if not whole or _NO_ADDRESS.search(address) or parts.query or parts.fragment or parts.username:
        return "must be an address such as https://example.search.windows.net."
    if parts.scheme == "http" and host not in LOOPBACK and not plain:
        return "must be https; plain http is accepted for loopback addresses only."
    return None


def secret_fault(key: str) -> str | None:
    """The problem with a key that is sent in a header; None if the key is valid."""
    return None if key.isascii() and key.isprintable() else "must hold printable ASCII characters only."


class Reader:
    """Reads one environment and collects its problems."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[Problem] = []

    def _problem(self, name: str, sentence: str) -> None:
        self.problems.append(Problem(name, sentence))

    def text(self, name: str) -> str | None:
        return self._environ.get(name)

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self._environ.get(name, "").split(",") if part.strip())

    def flag(self, name: str) -> bool:
        value = self._environ.get(name, "0").lower()
        if value not in {"0", "1", "true", "false"}:
            self._problem(name, f"{name} must be 1 or 0.")
        return value in {"1", "true"}

    def choice(self, name: str, *, choices: tuple[T, ...]) -> T | None:
        value = self.text(name)
        choice = next((choice for choice in choices if choice == value), None)
        if choice is None and value is not None:
            self._problem(name, f"{name} must be one of {', '.join(map(str, choices))}.")
        return choice

    def count(self, name: str, *, most: int = 10_000) -> int | None:
        value = self._environ.get(name)
        if value is None or (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= most):
            return None if value is None else int(value)
        self._problem(name, f"{name} must be a whole number from 1 to {most}.")
        return None

    def endpoint(self, name: str, *, plain: bool = False) -> str | None:
        """An https address. Only loopback addresses may be http, because every call sends keys or tokens. With `plain`
        the service is in a developer's network, where every address may be http."""
        return self._address(name, self.text(name), plain=plain)

    def authority(self, name: str) -> str | None:
        """The address of an authority. The value may omit https://, as in `azure.identity`."""
        value = self.text(name)
        return self._address(name, value if value is None or "://" in value else f"https://{value}")

    def path(self, name: str) -> str:
        """A path without slashes at its ends. Its segments have only letters, digits, `.`, `-` and `_`."""
        value = self._environ.get(name, "").strip("/")
        if value and not _PATH.fullmatch(value):
            self._problem(name, f"{name} must be a path such as /search: letters, digits, ., - and _ between slashes.")
        return value

    def store(self, name: str) -> str | None:
        """A file path, `memory`, or the address of a table endpoint."""
        value = self._environ.get(name)
        return self._address(name, value) if value is not None and "://" in value else value

    def origins(self, name: str) -> tuple[str, ...]:
        """Origins in the form that browsers send, or only `*`."""
        origins = self.names(name)
        if origins == ("*",):
            return origins
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                self._problem(
                    name,
                    f"{name}: {origin[:200]!r} is not an origin such as https://app.example.com or "
                    "http://localhost:3000: lower case, without a path, a slash at the end or the usual port; "
                    "or * alone, for every page.",
                )
        return origins

    def models(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A JSON object: a list of deployments for each endpoint."""
        deployments = self.by_member(name, _in_shape("DEPLOYMENTS"))
        return {self._address(name, address): names for address, names in deployments.items()}

    def lists(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A JSON object: a list of texts for each agent or knowledge base."""
        lists: dict[str, tuple[str, ...]] = self.by_member(name, _in_shape("DEPLOYMENTS"))
        for base in lists:
            if not is_name(base):
                self._problem(name, f"{name}: {base!r} is not the name of an agent.")
        return lists

    def secret(self, name: str) -> str | None:
        """A key that is valid in a header."""
        value = self._environ.get(name)
        if value is not None and (fault := secret_fault(value)):
            self._problem(name, f"{name} {fault}")
        return value

    def _address(self, name: str, value: Address, *, place: str = "", plain: bool = False) -> Address:
        if value is None:
            return value
        if fault := address_fault(value, plain=plain):
            self._problem(name, f"{name}{place} {fault}")
        return value.rstrip("/")

    def tenant(self, name: str) -> str | None:
        """A GUID, in lower case. Issuers of tokens also use lower case."""
        value = self._environ.get(name)
        if value is not None and not _GUID.fullmatch(value):
            self._problem(name, f"{name} must be the tenant's id, a GUID.")
        return None if value is None else value.lower()

    def by_member(self, name: str, read: Callable[[str, object], T]) -> dict[str, T]:
        """The result of `read` for each member of a JSON object. Errors are added to the problems."""
        values: dict[str, T] = {}
        if name not in self._environ:
            return values
        from retrieval.settings import shapes

        try:
            members = shapes.members(self._environ[name])
        except ValueError as error:
            self._problem(name, f"{name} must be a JSON object: {error}.")
            return values
        for member, value in members.items():
            try:
                values[member] = read(member, value)
            except ValueError as error:
                for sentence in shapes.sentences(error):
                    self._problem(name, f"{name}: {member!r}: {sentence}.")
        return values


@overload
def setting(read: Callable[[Reader, str], T], *, hidden: bool = False, protects: bool = False) -> T: ...
@overload
def setting(
    read: Callable[[Reader, str], T | None], default: T, *, hidden: bool = False, protects: bool = False
) -> T: ...
def setting(
    read: Callable[[Reader, str], Any], default: object = None, *, hidden: bool = False, protects: bool = False
) -> Any:
    """The field of a setting, whose variable has the same name in upper case. `read` reads the variable. If it returns
    nothing, the value is `default`. A `hidden` setting is not in `repr`. A setting `protects` if more people would get
    in without it."""

    def value(reader: Reader, name: str) -> Any:
        return read(reader, name) or default if default is not None else read(reader, name)

    return field(
        default_factory=partial(value, Reader({}), ""), repr=not hidden, metadata={"read": value, "protects": protects}
    )


def by_member(shape: str) -> Callable[[Reader, str], dict[str, Any]]:
    """Reads a JSON object whose members have a shape of `shapes`, such as `ROLES`."""
    return lambda reader, name: reader.by_member(name, _in_shape(shape))


def _in_shape(shape: str) -> Callable[[str, object], Any]:
    """Reads the value of a member. The shapes are imported for the first value."""

    def read(_: str, value: object) -> Any:
        from retrieval.settings import shapes

        return getattr(shapes, shape).validate_python(value)

    return read


_PATH: Final = re.compile(r"[A-Za-z0-9._-]{1,100}(?:/[A-Za-z0-9._-]{1,100}){0,9}")
_ORIGIN: Final = re.compile(
    r"(?!http://.*:80\Z|https://.*:443\Z)[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
)
_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
