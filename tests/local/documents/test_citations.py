"""What cites a chunk of a file: the file and the heading, of a folder here and of an index in Azure."""

import json
from pathlib import Path
from typing import Any

import pytest

from retrieval.local.corpora import load
from retrieval.local.documents.embeddings import Vectorizer
from retrieval.local.evaluation.services import in_process
from retrieval.sources.search_index.definition import OF_CHUNKS, read_index_fields
from tests.local.documents.folder import mixed


async def asked(folder: Path, *turns: str, **members: object) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": [{"type": "text", "text": text}]} for at, text in enumerate(turns)]
    async with in_process({"handbook": str(folder)}, {}, model=False) as service:
        reply = await service.ask("answer", "handbook", {"messages": messages, **members})  # type: ignore[dict-item]
    assert reply.status == 200, reply.content
    return json.loads(reply.content)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("How many days of holiday does everybody have?", "hr/leave.md, Leave > Holidays"),
        ("When does the canteen close?", "canteen.pdf, page 2"),
        ("Where do bicycles park?", "parking.docx, Parking"),
        ("What does the budget say of euros?", "plan.pptx, Budget, page 2"),
        ("At which desk is Carl?", "people.csv, row 5"),
        ("Where is the password of the wifi?", "Wifi - faq-1"),
        ("Which note names locker 3?", "note-3.txt"),
    ],
)
async def test_a_citation_names_the_file_and_the_heading_or_the_page(question: str, label: str, tmp_path: Path) -> None:
    answer = await asked(mixed(tmp_path), question)
    assert answer["sources"][0] == label
    assert f"\n- [1] {label}" in answer["answer_markdown"] and answer["answer_markdown"].count(label) == 1
    assert answer["selected"][0]["doc_key"] not in answer["answer_markdown"] or "faq-1" in label


async def test_a_label_is_not_searched_as_words_of_a_follow_up(tmp_path: Path) -> None:
    folder, question = mixed(tmp_path), "How many days of holiday does everybody have?"
    first = await asked(folder, question)
    second = await asked(folder, question, first["answer_markdown"], "And how is that counted?")
    words = set(second["plan"]["queries"][0]["query"].replace("/", " ").replace(".", " ").split())
    assert "thirty-two" in words and not words & {"hr", "leave", "md", "Leave", "Holidays"}


def test_an_index_of_this_command_in_azure_has_the_fields_that_citations_name(tmp_path: Path) -> None:
    definition = load("handbook", mixed(tmp_path)).definition
    vectorizer = Vectorizer(endpoint="https://o.openai.azure.com", deployment="e", model="text-embedding-3-small")
    for one in (definition, vectorizer.in_definition(definition)):
        assert read_index_fields("handbook", json.dumps(one).encode()).labels == OF_CHUNKS
