"""Drives azure-search-documents 12.1.0b2, unmodified, with query hints, and prints what it saw as one JSON object.

Runs in an environment of its own; an https address and the path of the certificate to trust are its arguments. It makes
a source with hints and a base over it, asks, asks with hints of its own, and with none.
"""

import json
import sys
from typing import Any

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes import models as wire
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient
from azure.search.documents.knowledgebases import models as words

NAME = "hinted"
made: Any = wire
asking: Any = words


def hints() -> Any:
    by_page = made.SearchIndexKnowledgeSourceFilterHint(
        field="page_number", field_values=["105"], filter_instructions="The page that the user names."
    )
    return made.SearchIndexKnowledgeSourceQueryHints(filters=[by_page], boosts=[boost()])


def boost() -> Any:
    return made.SearchIndexKnowledgeSourceFieldValueBoost(field="terms", field_values=["Phoenix"], boost=2.0)


def request(**said: Any) -> Any:
    text = asking.KnowledgeBaseMessageTextContent(text="What does page 105 tell of street grids?")
    source = asking.SearchIndexKnowledgeSourceParams(
        knowledge_source_name=NAME, filter_add_on="page_number ne '104'", reranker_threshold=0.0, **said
    )
    return asking.KnowledgeBaseRetrievalRequest(
        messages=[asking.KnowledgeBaseMessage(role="user", content=[text])],
        knowledge_source_params=[source],
        retrieval_reasoning_effort=asking.KnowledgeRetrievalLowReasoningEffort(),
        include_activity=True,
    )


def seen(found: Any) -> dict[str, Any]:
    (search,) = (one for one in found.activity if isinstance(one, asking.KnowledgeBaseSearchIndexActivityRecord))
    processing, arguments = search.query_hint_processing, search.search_index_arguments
    return {
        "filter": None if processing is None else processing.generated_filter,
        "boost": None if processing is None else processing.generated_boost,
        "arguments": [arguments.search, arguments.filter, arguments.query_type],
        "keys": [one.doc_key for one in found.references],
    }


def kept(found: Any) -> list[Any]:
    (by_page,), (higher,) = found.filters, found.boosts
    return [
        [by_page.field, by_page.field_values, by_page.filter_instructions],
        [type(higher).__name__, higher.field, higher.field_values, higher.boost],
    ]


def main(address: str, certificate: str) -> dict[str, Any]:
    trusted: dict[str, Any] = {"connection_verify": certificate}
    managing = SearchIndexClient(address, AzureKeyCredential("local-admin-key"), **trusted)
    parameters = made.SearchIndexKnowledgeSourceParameters(search_index_name="earth_at_night", query_hints=hints())
    source = made.SearchIndexKnowledgeSource(name=NAME, search_index_parameters=parameters)
    stored: Any = managing.create_or_update_knowledge_source(source)
    reference = made.KnowledgeSourceReference(name=NAME)
    managing.create_or_update_knowledge_base(made.KnowledgeBase(name=NAME, knowledge_sources=[reference]))
    client = KnowledgeBaseRetrievalClient(
        address, AzureKeyCredential("local-dev-key"), knowledge_base_name=NAME, **trusted
    )
    own = made.SearchIndexKnowledgeSourceQueryHints(boosts=[boost()])
    none = made.SearchIndexKnowledgeSourceQueryHints(filters=[], boosts=[])
    return {
        "kept": kept(stored.search_index_parameters.query_hints),
        "stored": seen(client.retrieve(request())),
        "own": seen(client.retrieve(request(query_hint_overrides=own))),
        "none": seen(client.retrieve(request(query_hint_overrides=none))),
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
