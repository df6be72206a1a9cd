"""What the deployed app installs is what the project declares."""

from tests import requirements
from tests.environments import ROOT


def test_requirements_are_written_from_the_dependencies_of_the_project() -> None:
    """`make written` writes them anew."""
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8") == requirements.text()
