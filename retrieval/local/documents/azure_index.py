"""An index of Azure AI Search that is kept in step with documents.

Each document carries the digest of itself, so what an index holds is compared with what there is: a run that was ended
half way is continued by the next, what is unchanged is not sent, what is gone is deleted.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from urllib.parse import quote

from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient

from retrieval.errors import BackendRefused, BackendUnavailable, NotConfigured
from retrieval.model.json_value import JsonValue
from retrieval.outgoing.access_tokens import decisive_message
from retrieval.text.counted_noun import how_many

API_VERSION: Final = "2026-04-01"
SERVICE: Final = "Azure AI Search"
DIGEST: Final = "digest"
PAGE: Final = 1_000
MOST_ACTIONS: Final = 500
MOST_BYTES: Final = 4 * 1024 * 1024
"""Of a batch; Azure takes 16 MB and 1,000 actions."""

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the index says of a document; `source` is the file that it came from."""

    digest: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What was done to an index, in documents. `kept` are those of files that were skipped this time.

    `lacking` are fields that the index has not.
    """

    uploaded: int
    unchanged: int
    deleted: int
    kept: int
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureIndex:
    """The index `name` of the service at `endpoint`; raises BackendError."""

    client: SearchClient
    endpoint: str
    name: str

    def define(
        self, definition: JsonObject, *, needed: Set[str] = frozenset(), recreate: bool = False
    ) -> tuple[str, ...]:
        """Make the index; gives the fields that it lacks where it was there, and is not made anew.

        Those that are `needed` are added to it. Raises NotConfigured where it is another program's.
        """
        there = self._call("GET", "", missing=True)
        if there is not None and DIGEST not in {field.get("name") for field in there.get("fields", ())}:
            raise NotConfigured([f"The index {self.name!r} was not made by this command; choose another --name."])
        if there is not None and recreate:
            self._call("DELETE", "")
            there = None
        fields, lacking = definition["fields"], tuple[str, ...]()
        if there is not None:
            fields, lacking = _agreed(definition["fields"], there["fields"], needed)
        self._call("PUT", "", {**definition, "fields": fields})
        return lacking

    def held(self) -> dict[str, Held]:
        """Every document's digest by its key, read in the order of the keys."""
        found: dict[str, Held] = {}
        last = ""
        while True:
            asked: JsonObject = {"search": "*", "select": f"id,{DIGEST},source", "orderby": "id asc", "top": PAGE}
            page = self._call("POST", "/docs/search.post.search", {**asked, "filter": _after(last)})
            rows = [] if page is None else page["value"]
            found |= {row["id"]: Held(digest=row.get(DIGEST), source=row.get("source")) for row in rows}
            if len(rows) < PAGE:
                return found
            last = rows[-1]["id"]

    def types(self) -> dict[str, str]:
        """The types of its fields by their names; empty where there is no such index."""
        there = self._call("GET", "", missing=True) or {}
        return {field["name"]: field["type"] for field in there.get("fields", ())}

    def keys_of(self, path: str) -> frozenset[str]:
        """The keys of the documents of a file, and of an archive those of the files in it."""
        text = path.replace("'", "''")
        of_file = f"(path eq '{text}' or (path ge '{text}/' and path lt '{text}0'))"
        keys: list[str] = []
        while True:
            after = f"{_after(keys[-1])} and {of_file}" if keys else of_file
            asked: JsonObject = {"search": "*", "select": "id", "orderby": "id asc", "top": PAGE, "filter": after}
            page = self._call("POST", "/docs/search.post.search", asked)
            rows = [] if page is None else page["value"]
            keys.extend(str(row["id"]) for row in rows)
            if len(rows) < PAGE:
                return frozenset(keys)

    def write(self, actions: Iterable[JsonObject]) -> Iterator[int]:
        """Send them in batches; the number of actions of each batch. Raises BackendRefused where one is not taken."""
        for batch in _batches(actions):
            answer = self._call("POST", "/docs/search.index", {"value": list(batch)})
            refused = [row for row in (answer or {}).get("value", ()) if not row.get("status")]
            if refused:
                first, count = refused[0], how_many(len(refused), "document")
                said = f"{count}, first {first.get('key')!r}: {first.get('errorMessage')}"
                raise BackendRefused(SERVICE, status=int(first.get("statusCode") or 0), message=said)
            yield len(batch)

    def _call(self, method: str, path: str, body: JsonObject | None = None, *, missing: bool = False) -> Any:
        """The answer's JSON; None for an empty answer, or with `missing` for a 404."""
        url = f"{self.endpoint}/indexes('{quote(self.name, safe='')}'){path}?api-version={API_VERSION}"
        try:
            response = self.client.send_request(HttpRequest(method, url, json=body))
        except ClientAuthenticationError as error:
            raise BackendUnavailable(SERVICE, unsigned(error, "AZURE_SEARCH_API_KEY")) from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached: {str(error)[:300]}") from None
        if response.status_code == 404 and missing:
            return None
        if response.status_code >= 400:
            raise BackendRefused(SERVICE, status=response.status_code, message=_message(response.text()))
        return response.json() if response.content else None


def unsigned(error: ClientAuthenticationError, key: str) -> str:
    """Why a service was not asked where nobody is signed in; `key` is the setting that does without."""
    return (
        f"was not asked, since there is no token: {decisive_message(str(error))[:300]}. "
        f"Sign in with az login, or set {key}."
    )


def _agreed(wanted: Any, there: Any, needed: Set[str]) -> tuple[JsonValue, tuple[str, ...]]:
    """The fields of an index that is there, with those that are needed; and the names of those that it lacks.

    One of another type is lacking, since a type cannot be changed. A field of vectors is not kept unless it is wanted.
    """
    types = {field["name"]: field["type"] for field in there}
    lacking = [
        field["name"]
        for field in wanted
        if types.get(field["name"], None if field["name"] not in needed else field["type"]) != field["type"]
    ]
    names = {field["name"] for field in wanted}
    kept = [field for field in there if field["name"] in lacking or field["name"] not in names]
    fields = [field for field in wanted if field["name"] not in lacking]
    return [*fields, *(field for field in kept if not field.get("dimensions"))], tuple(sorted(lacking))


def bring_up_to_date(
    index: AzureIndex,
    documents: Sequence[JsonObject],
    *,
    skipped: Set[str],
    tell: Callable[[int], None],
    fill: Callable[[Sequence[JsonObject]], Iterable[JsonObject]] = iter,
) -> Changes:
    """Upload what is new or changed, delete what is gone, but for the documents of files in `skipped`.

    Each document has its digest. `tell` is told how many are done; `fill` adds what is made of them on the
    way.
    """
    held = index.held()
    wanted = {str(one["id"]): one for one in documents}
    changed = [one for key, one in wanted.items() if key not in held or held[key].digest != one[DIGEST]]
    absent = {key: one for key, one in held.items() if key not in wanted}
    gone = [key for key, one in absent.items() if skipped.isdisjoint(_with_archives(one.source))]
    uploads: Iterator[JsonObject] = ({"@search.action": "upload", **one} for one in fill(changed))
    deletions: list[JsonObject] = [{"@search.action": "delete", "id": key} for key in gone]
    done = len(wanted) - len(changed)
    for number in index.write(chain(uploads, deletions)):
        done += number
        tell(done)
    return Changes(
        uploaded=len(changed),
        unchanged=len(wanted) - len(changed),
        deleted=len(gone),
        kept=len(absent) - len(gone),
    )


def with_digest(document: Mapping[str, JsonValue], *, more: str = "") -> JsonObject:
    """The document with its digest, in which `more` is what else makes it what it is.

    When its file was written makes it no other document.
    """
    own = {name: value for name, value in document.items() if name != "modified" or _by_document(document)}
    said = json.dumps(own, sort_keys=True, ensure_ascii=True) + more
    return {**document, DIGEST: hashlib.sha256(said.encode()).hexdigest()[:32]}


def _by_document(document: Mapping[str, JsonValue]) -> bool:
    """Whether it says itself when it was modified."""
    return document.get("modified_by") == "document"


def _with_archives(source: str | None) -> Iterator[str]:
    """The path of a file, and those that may be the archive in which it is."""
    while source:
        yield source
        source = source.rpartition("/")[0]


def _after(key: str) -> str:
    return f"id gt '{key.replace(chr(39), chr(39) * 2)}'"


def _batches(actions: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    batch: list[JsonObject] = []
    size = 0
    for action in actions:
        length = len(json.dumps(action))
        if batch and (len(batch) == MOST_ACTIONS or size + length > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(action)
        size += length
    if batch:
        yield batch


def _message(text: str) -> str:
    """The sentence of an error of Azure's, or the beginning of what came."""
    try:
        return str(json.loads(text)["error"]["message"])[:1_000]
    except (ValueError, KeyError, TypeError):
        return text[:300] or "no reason given"
