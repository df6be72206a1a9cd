"""Numbers, codes and names: what exact words find, the vector of a question does not lose.

Every document has neighbours that say the same of another number, code or name, and the questions are in words that
other documents have too.
"""

import json
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.models import VectorizableTextQuery

from retrieval.local import corpora
from retrieval.local.filled import fill
from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.local.transport import connect
from tests.minilm import needs_minilm

pytestmark = pytest.mark.slow

CODES: Final = ("E4711", "E4712", "E4171", "E7411", "F4711", "E-1011", "E-1101", "X9-20", "X9-02", "ORA-00942")
NUMBERS: Final = ("4471", "4417", "7144", "1447", "31.5", "3.15", "315", "2019", "2018", "2091")
NAMES: Final = ("Kwiatkowska", "Nkemelu", "Thorvaldsen", "Oyelaran", "Brzęczyk", "Haugland", "Ilieva", "Szabados")
BESIDE: Final = (
    "What an error means and how it is put right: the display shows a code, look it up, then restart the machine.",
    "Who is responsible for the maintenance of a machine: ask the head of the department for the name.",
    "How much a project may cost is decided once a year; its number is on the sheet.",
    "Errors of the pump and the valve: what they mean, who repairs them, and what it costs.",
)
ABOUT: Final = {
    **{f"code {one}": (f"{one}: the pressure of the pump has fallen. Open the valve.", one) for one in CODES},
    **{f"number {one}": (f"Project {one} has a budget for two years. It ends in spring.", one) for one in NUMBERS},
    **{f"name {one}": (f"{one} looks after the machines of hall three since last year.", one) for one in NAMES},
}
ASKED: Final = {
    "code": ("What does the error {} mean, and how is it put right?", "machine shows {}, what now"),
    "number": ("How much money does project {} have?", "When does {} end?"),
    "name": ("Who is {} and what is she responsible for?", "Which department does {} work in?"),
}
QUESTIONS: Final = [
    (key, text.format(word)) for (key, (_, word)) in ABOUT.items() for text in ASKED[key.partition(" ")[0]]
]


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchClient, SearchClient]:
    """The handbook with the model, and without it."""
    model, folder = needs_minilm(), tmp_path_factory.mktemp("handbook")
    lines = [{"_id": key, "title": "", "text": text} for key, (text, _) in ABOUT.items()]
    lines += [{"_id": f"beside {n}", "title": "", "text": text} for n, text in enumerate(BESIDE)]
    file: Path = folder / "handbook.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    catalogs = Catalog(models=open_models(Wanted(model=str(model)), folder)), Catalog()
    for catalog in catalogs:
        fill(catalog, corpora.load("handbook", file))
    one, other = (SearchClient(index_name="handbook", **connect(SearchService(catalog=one))) for one in catalogs)
    return one, other


@pytest.fixture
def handbook(clients: tuple[SearchClient, SearchClient]) -> SearchClient:
    return clients[0]


def found(client: SearchClient, text: str) -> list[str]:
    query = VectorizableTextQuery(text=text, k_nearest_neighbors=50, fields=corpora.VECTOR)
    return [one["id"] for one in client.search(text, query_type="semantic", vector_queries=[query])]


def by_words(client: SearchClient, text: str) -> list[str]:
    return [one["id"] for one in client.search(text, query_type="semantic")]


def test_no_document_with_the_exact_word_falls_behind_its_place_by_words(
    clients: tuple[SearchClient, SearchClient],
) -> None:
    for key, text in QUESTIONS:
        place, before = found(clients[0], text).index(key), by_words(clients[1], text).index(key)
        assert place <= min(before, 1), (text, place, before)


def test_of_two_exact_words_both_documents_are_found(handbook: SearchClient) -> None:
    for (one, other), kind in product([("E4711", "E7411"), ("E-1011", "X9-02")], ["code"]):
        keys = found(handbook, f"What is the difference between {one} and {other}?")
        assert {f"{kind} {one}", f"{kind} {other}"} <= set(keys[:3])


def test_words_of_no_document_are_found_by_their_meaning(handbook: SearchClient) -> None:
    assert found(handbook, "Malfunction: interpretation and remedy?")[0].startswith("beside")
