"""Every peer of `make bench-peers` does the whole work, and what it came to is shown as it was."""

from typing import Final
from xml.etree import ElementTree

import pytest

from tests.benchmarks.peers.__main__ import NAMES, OURS, asked
from tests.benchmarks.peers.figures import Came, Figures, cell, spread, table
from tests.benchmarks.peers.plot import svg
from tests.benchmarks.peers.upstream import ALL, UPSTREAM
from tests.benchmarks.upstream import upstream

FAULTS: Final = {
    "fails": Came(documents=ALL, seconds=1.14, told=True),
    "hangs": Came(documents=None, seconds=10.3, told=False),
    "junk": Came(documents=0, seconds=0.5, told=False),
}
FOUND: Final = [
    Figures(name="bare <sockets>", cpu=(1.0, 1.5, 1.25), wall={"1": (504,), "16": (518,), "64": (556,)}, faults=FAULTS),
    Figures(name=OURS, cpu=(5.0, 6.0, 5.5), wall={"1": (510,), "16": (530,), "64": (1600,)}, faults=FAULTS),
]


@pytest.mark.slow
@pytest.mark.parametrize("program", NAMES)
def test_every_peer_finds_every_document(program: str) -> None:
    with upstream("usual", module=UPSTREAM) as address:
        assert asked(program, address, "fault")["documents"] == ALL


def test_the_table_has_the_median_of_the_processes() -> None:
    *_, ours = table(FOUND, ALL).splitlines()
    assert ours == (
        "this service | 5.5 | 510 / 530 / 1,600 | all documents, 1.1 s, failure named | error, 10.3 s | nothing, 0.5 s"
    )


def test_some_of_the_documents_are_counted() -> None:
    assert cell(Came(documents=50, seconds=0.5, told=False), 71) == "50 of 71, 0.5 s"


def test_the_noise_is_the_widest_difference() -> None:
    assert spread(FOUND) == pytest.approx(0.4)


def test_the_plot_has_a_bar_a_peer_in_both_panels() -> None:
    drawn = ElementTree.fromstring(svg(FOUND, OURS))
    bars = [one for one in drawn.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") != "ground"]
    assert [one.get("class") for one in bars] == ["peer", "ours"] * 2
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"bare <sockets>", "1.2", "5.5", "1,600"} <= set(texts)
