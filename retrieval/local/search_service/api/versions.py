"""The api-versions that are served. They all mean the same here: what a request may say is the sum of them.

https://learn.microsoft.com/rest/api/searchservice/search-service-api-versions. The previews before 2023-10-01 and the
versions before 2020-06-30, which it lists too, are not served: some have other shapes of vectors and semantic searches.
"""

from typing import Final

from retrieval.contracts.served_versions import served_as
from retrieval.local.search_service.errors import InvalidArgument

API_VERSIONS: Final = (
    "2020-06-30",
    "2023-11-01",
    "2024-07-01",
    "2025-09-01",
    "2026-04-01",
    "2023-10-01-preview",
    "2024-03-01-preview",
    "2024-05-01-preview",
    "2024-09-01-preview",
    "2024-11-01-preview",
    "2025-03-01-preview",
    "2025-05-01-preview",
    "2025-08-01-preview",
    "2025-11-01-preview",
    "2026-05-01-preview",
    "2026-08-01-preview",
    "2026-10-01",
    "2026-11-01-preview",
)


def served(version: str | None, *, strict: bool) -> str:
    """The version itself, or the newest of its sort for one that is later than all (unless `strict`).

    Compares without case: clients write `-preview` and `-Preview`. Raises InvalidArgument.
    """
    known = f"this service knows {', '.join(API_VERSIONS)}."
    if version is None:
        raise InvalidArgument(f"The query parameter api-version is missing; {known}")
    if version.lower() in API_VERSIONS:
        return version
    found = None if strict else served_as(version, API_VERSIONS)
    if found is None:
        raise InvalidArgument(f"The api-version {version[:64]!r} is not supported; {known}")
    return found
