"""checkov agrees, or there is a written reason why not; and the wrapper fails where checkov alone would not."""

from pathlib import Path

import pytest

from tests.infra import second_opinion
from tests.infra.outside import INFRA

pytestmark = pytest.mark.slow


def test_checkov_finds_nothing_without_a_reason() -> None:
    assert list(second_opinion.problems(INFRA)) == []


def test_a_file_that_checkov_cannot_read_fails(tmp_path: Path) -> None:
    (tmp_path / "broken.bicep").write_text("resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {\n")
    assert any("cannot read" in problem for problem in second_opinion.problems(tmp_path))


def test_a_folder_in_which_checkov_sees_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "main.bicep").write_text("module all 'br/public:avm/res/web/site:0.19.0' = {\n  name: 'all'\n}\n")
    assert any("sees 0 resources" in problem for problem in second_opinion.problems(tmp_path))
