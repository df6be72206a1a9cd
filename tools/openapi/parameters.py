"""The parameters of routes: in the path, the headers and the query. `document` adds the members of bodies that may be
sent in the query instead."""

from collections.abc import Iterable
from typing import Final

from retrieval.contracts.described import JsonObject, header, in_path
from retrieval.contracts.served_versions import PROVISIONAL


def api_version(versions: Iterable[str]) -> JsonObject:
    names = sorted(versions)
    provisional = "".join(
        f" {name} is provisional: its specification is not public." for name in names if name in PROVISIONAL
    )
    return {
        "name": "api-version",
        "in": "query",
        "required": True,
        "description": f"The version of the contract, compared without case.{provisional}",
        "schema": {"type": "string", "enum": names},
    }


FILE: Final = in_path("name", "Name of the file.")
SOURCE_NAME: Final = in_path("name", "Name of the knowledge source.")
IF_MATCH: Final = header("If-Match", "Write only if the stored etag is one of these; `*` is any.")
IF_NONE_MATCH: Final = header("If-None-Match", "Write only if the stored etag is none of these; `*` only creates.")
PREFER: Final = header("Prefer", "`return=representation` asks for the definition, `return=minimal` for no body.")
SELECT: Final[JsonObject] = {
    "name": "$select",
    "in": "query",
    "description": "The members of each definition, with commas between. Its etag comes too, and no other member.",
    "schema": {"type": "string"},
}
PAGES: Final = tuple(
    {"name": name, "in": "query", "description": description, "schema": {"type": kind}}
    for name, kind, description in (
        ("search", "string", "The beginning of the listed names. Lists have it, and pages, since 2026-08-01-preview."),
        ("searchType", "string", "`prefix`, which is all there is."),
        ("pageSize", "integer", "The most definitions of a page."),
        ("$skiptoken", "string", "Where a page begins, as `@odata.nextLink` has it."),
    )
)
