"""The command that brings an extra is one that can be run where the project stands."""

import re

from retrieval.local import extras
from tests.environments import ROOT


def test_in_a_checkout_it_is_a_target_of_make() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert extras.command("documents", make="documents") == "make documents"
    assert {"documents", "evaluation"} <= set(targets)


def test_elsewhere_it_is_pip_with_the_name_of_the_extra() -> None:
    said = extras.command("documents", make="documents", checkout=False)
    assert said == 'pip install "agentic-retrieval-functions[documents] @ …"'
