"""Fields of the semantic configuration that are within complex fields: searched, read and shown by their paths."""

import json
from typing import Any, Final

import pytest

from retrieval.sources.search_index.definition import read_index_fields
from tests.scenarios.indexes.conftest import TEXT, Deployment, index, text

DETAILS: Final = {
    "name": "details",
    "type": "Edm.ComplexType",
    "fields": [{"name": name, **TEXT} for name in ("heading", "body", "note")],
}
ROOMS: Final = {
    "name": "rooms",
    "type": "Collection(Edm.ComplexType)",
    "fields": [
        {"name": "desc", **TEXT},
        {"name": "tags", "type": "Collection(Edm.String)"},
        {"name": "beds", "type": "Collection(Edm.ComplexType)", "fields": [{"name": "kind", **TEXT}]},
    ],
}
DOCUMENT: Final[dict[str, Any]] = {
    "id": "1",
    "title": "Lodge",
    "details": {"heading": "Heron lodge", "body": "A heron stands by the door.", "note": "private"},
    "rooms": [
        {"desc": "A heron room.", "tags": ["blue", "heron"], "beds": [{"kind": "box"}, {"kind": "bunk"}]},
        {"desc": None, "tags": [], "beds": []},
        {"desc": "A small room.", "tags": ["red"], "beds": [{"kind": "cot"}]},
    ],
}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("details/body", "A heron stands by the door."),
        ("rooms/desc", "A heron room.\nA small room."),
        ("rooms/beds/kind", "box\nbunk\ncot"),
    ],
)
async def test_content_within_a_complex_field_is_read_by_its_path(
    content: str, expected: str, deployment: Deployment
) -> None:
    await deployment.make(index("inns", "title", DETAILS, ROOMS, title="details/heading", content=content), DOCUMENT)
    await deployment.base("inns", "inns")
    answer = await deployment.retrieve("inns", rerankerThreshold=0)
    assert text(answer) == [{"ref_id": 0, "title": "Heron lodge", "content": expected}]
    assert deployment.searches[-1]["select"] == f"id,details/heading,{content}"


async def test_the_source_data_has_the_selected_parts_of_a_complex_field_at_their_places(
    deployment: Deployment,
) -> None:
    await deployment.make(index("inns", "title", DETAILS, ROOMS, content="rooms/desc"), DOCUMENT)
    await deployment.base("inns", "inns")
    await deployment.base("named", "inns", sourceDataFields=[{"name": "details/body"}, {"name": "rooms/beds/kind"}])
    await deployment.base("whole", "inns", sourceDataFields=[{"name": "details"}, {"name": "details/body"}])
    rooms: list[dict[str, object]] = [{"desc": "A heron room."}, {"desc": None}, {"desc": "A small room."}]
    beds: list[dict[str, object]] = [
        {"beds": [{"kind": "box"}, {"kind": "bunk"}]},
        {"beds": []},
        {"beds": [{"kind": "cot"}]},
    ]
    both = [{**room, **bed} for room, bed in zip(rooms, beds, strict=True)]
    expected = {
        "inns": {"id": "1", "title": "Lodge", "rooms": rooms},
        "named": {"title": "Lodge", "rooms": both, "details": {"body": "A heron stands by the door."}},
        "whole": {"title": "Lodge", "rooms": rooms, "details": DOCUMENT["details"]},
    }
    for name, source in expected.items():
        (reference,) = (await deployment.retrieve(name, rerankerThreshold=0)).json["references"]
        assert reference["sourceData"] == source


async def test_keywords_of_a_collection_are_joined_and_configured_fields_have_paths_too(deployment: Deployment) -> None:
    roles = '{"key": "id", "title": "title", "terms": ["rooms/tags"], "content": ["details/body", "rooms/desc"]}'
    deployment.settings["INDEX_FIELDS"] = f'{{"inns": {roles}}}'
    await deployment.make(index("inns", "title", DETAILS, ROOMS, content="rooms/desc"), DOCUMENT)
    await deployment.base("inns", "inns")
    (chunk,) = text(await deployment.retrieve("inns", rerankerThreshold=0))
    assert chunk == {
        "ref_id": 0,
        "title": "Lodge",
        "terms": "blue, heron, red",
        "content": "A heron stands by the door.\nA heron room.\nA small room.",
    }


@pytest.mark.room("doctor")
async def test_the_doctor_knows_configured_paths_and_reads_a_text_at_them(deployment: Deployment) -> None:
    roles = {"inns": {"key": "id", "content": ["details/body", "rooms/beds/size"]}}
    deployment.settings["INDEX_FIELDS"] = json.dumps(roles)
    await deployment.make(index("inns", "title", DETAILS, ROOMS, content="details/body"), DOCUMENT)
    await deployment.base("inns", "inns")
    assert "It has no field rooms/beds/size." in await deployment.findings("inns")


@pytest.mark.room("doctor")
async def test_the_doctor_finds_a_configuration_of_paths_sound(deployment: Deployment) -> None:
    await deployment.make(index("inns", "title", DETAILS, ROOMS, content="details/body"), DOCUMENT)
    await deployment.base("inns", "inns")
    assert await deployment.findings("inns") == ["It holds 1 document, and is searched and ranked."]


async def test_a_document_without_the_complex_field_has_its_other_fields(deployment: Deployment) -> None:
    bare: dict[str, Any] = {"id": "1", "title": "A heron", "details": None, "rooms": []}
    await deployment.make(index("inns", "title", DETAILS, ROOMS, content="details/body"), bare)
    await deployment.base("inns", "inns")
    assert text(await deployment.retrieve("inns", rerankerThreshold=0)) == [{"ref_id": 0, "title": "A heron"}]


def test_the_languages_are_also_those_of_fields_within_complex_fields() -> None:
    body = {"name": "body", **TEXT, "analyzer": "fr.lucene"}
    inns = index("inns", "title", {**DETAILS, "fields": [body]}, content="details/body")
    assert read_index_fields("inns", json.dumps(inns).encode()).languages == ("fr",)
