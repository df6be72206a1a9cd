"""Drives Microsoft's unmodified SearchIndexClient and SearchClient over an index and prints what they saw, as JSON.

Runs in an environment of its own that has a version of azure-search-documents, with an https address as its argument
and the certificate to trust in the environment, as programs that hide the client from their users need it. With `paged`
as a second argument it asks for lists as version 12.1.0b2 can.
"""

import json
import sys
from typing import Any

from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    SearchableField,
    SearchIndex,
    SemanticConfiguration,
    SemanticField,
    SemanticPrioritizedFields,
    SemanticSearch,
    SimpleField,
)

KEY = AzureKeyCredential("local-admin-key")
BOATS = [
    {"id": "1", "story": "A ketch has two masts.", "page": "ketch.html"},
    {"id": "2", "story": "A punt has no mast at all.", "page": "punt.html"},
]


def index(name: str) -> SearchIndex:
    """With a semantic field that is retrievable and not searchable."""
    title, content = SemanticField(field_name="page"), SemanticField(field_name="story")
    fields = SemanticPrioritizedFields(title_field=title, content_fields=[content])
    return SearchIndex(
        name=name,
        fields=[
            SimpleField(name="id", type="Edm.String", key=True),
            SearchableField(name="story", analyzer_name="en.lucene"),
            SimpleField(name="page", type="Edm.String", filterable=True),
        ],
        semantic_search=SemanticSearch(
            configurations=[SemanticConfiguration(name="default", prioritized_fields=fields)]
        ),
    )


def documents(client: SearchClient) -> dict[str, Any]:
    client.upload_documents(BOATS)
    found = client.search(
        "masts of a ketch",
        query_type="semantic",
        semantic_configuration_name="default",
        query_caption="extractive",
        query_caption_highlight_enabled=True,
    )
    first = next(iter(found))
    captions = first.pop("@search.captions")  # The old client cannot send what it reads them into.
    written = client.merge_or_upload_documents([{**first, "page": "new.html"}])
    return {
        "captions": [one.highlights for one in captions],
        "members": sorted(name for name in first if name.startswith("@search.")),
        "written back": [one.status_code for one in written],
        "stored": dict(client.get_document("1")),
    }


def refusal(address: str) -> str | None:
    """What the client says of an address without TLS."""
    try:
        SearchIndexClient(address.replace("https:", "http:"), KEY)
    except ValueError as error:
        return str(error)
    return None


def lists(client: Any) -> dict[str, Any]:
    return {
        "pages": [list(page) for page in client.list_index_names(search="b", page_size=1).by_page()],
        "indexers ran": client.get_service_statistics().indexers_runtime.used_seconds,
        "selected": [(one.name, one.semantic_search) for one in client.list_indexes(select=["name"], search="boats")],
    }


def main(address: str, *more: str) -> dict[str, Any]:
    client = SearchIndexClient(address, KEY)
    for name in ("boats", "barges", "crews"):
        client.create_index(index(name))
    seen = {"http": refusal(address), "names": list(client.list_index_names())}
    seen |= documents(SearchClient(address, "boats", KEY))
    return seen | lists(client) if more else seen


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
