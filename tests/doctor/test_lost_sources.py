"""What the doctor tells of a source that the store has lost."""

from pathlib import Path

import pytest

from retrieval.doctor.room import Doctor
from retrieval.http.service import Service
from tests.definitions.instances import Place, base, send, source
from tests.definitions.test_lost_sources import clock, instances

__all__ = ["clock", "instances"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(address=str(tmp_path / "agents.json"))


async def test_a_source_that_the_store_has_lost_is_a_fault(instances: tuple[Service, Service], place: Place) -> None:
    one, _ = instances
    assert (await send(one, "PUT", "knowledgesources/s", source("s", "104"))).status == 201
    for name in ("x", "y"):
        assert (await send(one, "PUT", f"knowledgebases/{name}", base(name, "s"))).status == 201
    await place.lose("source", "s")
    told: list[str] = []
    for finding in await one.room(Doctor).examine(lambda finding: None):
        told += [finding.said] if finding.state == "fault" and finding.subject == "definitions" else []
    assert told == [
        "These knowledge sources are gone: 's'. Calls of 'x', 'y' fail, since the filters of the sources are gone "
        "with them."
    ]
