"""Compares the API key of a call with the configured keys. The key comes in `api-key`, in `x-acs-bearer-token` or as a
bearer token."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Final

from retrieval.access.rights import GRANTED, Credential
from retrieval.errors import NotAuthorized
from retrieval.model.caller import Caller, Right

HEADER: Final = "api-key"
ACS_HEADER: Final = "x-acs-bearer-token"
"""The header in which Alibaba's SDKs send the API key of Model Studio calls."""


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    digest: bytes
    rights: frozenset[Right]
    base: str | None = None


class ApiKeys:
    """The keys of a deployment. If there are no keys, no API key is accepted. `bound` maps a knowledge base to the
    query keys that give access to this base only.

    The duration of the comparison reveals nothing about a key. All digests have the same length, and all of them are
    compared, each in constant time.
    """

    def __init__(
        self,
        *,
        query: Sequence[str] = (),
        admin: Sequence[str] = (),
        bound: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        of_bases = (_keys_of("query key", keys, base=base) for base, keys in bound.items())
        self._keys = (*chain.from_iterable(of_bases), *_keys_of("query key", query), *_keys_of("admin key", admin))

    def caller(self, key: str) -> Caller:
        """The caller with this key. The caller's id contains the position of the key in the setting. Raises
        NotAuthorized for an unknown key."""
        if caller := self.find(key):
            return caller
        raise NotAuthorized()

    def find(self, key: str) -> Caller | None:
        """The caller with this key; None for an unknown key."""
        digest = _digest(key)
        matches = [hmac.compare_digest(digest, key.digest) for key in self._keys]
        equal_keys = [key for key, match in zip(self._keys, matches, strict=True) if match]
        if not equal_keys:
            return None
        rights = frozenset[Right]().union(*(key.rights for key in equal_keys))
        bases = frozenset(key.base for key in equal_keys if key.base)
        is_bound = all(key.base for key in equal_keys)
        return Caller(kind="key", id=equal_keys[-1].name, rights=rights, bases=bases if is_bound else None)


def _keys_of(credential: Credential, keys: Sequence[str], *, base: str | None = None) -> tuple[_Key, ...]:
    of_base = f" of {base}" if base else ""
    return tuple(
        _Key(f"{credential} {number}{of_base}", _digest(key), GRANTED[credential], base)
        for number, key in enumerate(keys, 1)
    )


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()
