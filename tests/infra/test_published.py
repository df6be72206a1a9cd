"""The api-versions of infra/, compared with those that are published, where the Bicep compiler is at hand."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.infra import outside
from tests.infra.published import compiler, later, told, used
from tests.infra.shapes import TYPES

SAID: Final = """\
/infra/main.bicep(9,16) : Warning use-recent-api-versions: Use more recent API version for 'Microsoft.Web/sites'. \
'2022-03-01' is 1700 days old, should be no more than 730 days old, or the most recent. \
Acceptable versions: 2025-03-01, 2024-11-01 [https://aka.ms/bicep/linter-diagnostics#use-recent-api-versions]
/infra/main.bicep(10,1) : Warning no-unused-params: Parameter "x" is declared but never used. [https://aka.ms/x]
/infra/m/a.bicep(4,16) : Warning use-recent-api-versions: Use more recent API version for 'Microsoft.Insights/a/b'. \
'2021-05-01-preview' is 2000 days old, should be no more than 1998 days old, or the most recent. \
Acceptable versions: 2016-09-01 [https://aka.ms/bicep/linter-diagnostics#use-recent-api-versions]
/infra/m/b.bicep(4,16) : Info use-recent-api-versions: Use more recent API version for 'Microsoft.Insights/c'. \
'2021-07-01-preview' is a preview version and there is a more recent non-preview version available. \
Acceptable versions: 2023-06-01-preview, 2021-07-01 [https://aka.ms/bicep/linter-diagnostics#use-recent-api-versions]
"""
"""Our example of what the compiler prints, after the texts of its rule."""


def sources() -> dict[str, str]:
    return {path: text for path, text in outside.sources().items() if path != "bicepconfig.json"}


def test_what_the_compiler_says_of_later_versions_is_read() -> None:
    assert list(told(SAID)) == [
        ("2022-03-01", "Microsoft.Web/sites@2022-03-01 has later versions: 2025-03-01, 2024-11-01"),
        (
            "2021-07-01-preview",
            "Microsoft.Insights/c@2021-07-01-preview has later versions: 2023-06-01-preview, 2021-07-01",
        ),
    ]


def test_every_version_of_the_infrastructure_is_compared() -> None:
    assert used(sources()) == {version for version, _, _ in TYPES.values()}


@pytest.mark.slow
@pytest.mark.parametrize("planted", [None, "Microsoft.Storage/storageAccounts", "Microsoft.Insights/privateLinkScopes"])
def test_no_later_version_is_published_than_those_that_are_used(planted: str | None, tmp_path: Path) -> None:
    """With an old version planted in one type, that one is found."""
    bicep = compiler()
    if bicep is None:
        pytest.skip("The Bicep compiler is not installed here")
    old = {
        "Microsoft.Storage/storageAccounts": "2021-09-01",
        "Microsoft.Insights/privateLinkScopes": "2019-10-17-preview",
    }
    given = {
        path: text
        if planted is None
        else text.replace(f"'{planted}@{TYPES[planted][0]}'", f"'{planted}@{old[planted]}'")
        for path, text in sources().items()
    }
    found = later(bicep, given, tmp_path, today=datetime.now(UTC).date())
    assert {one.partition("@")[0] for one in found} == (set() if planted is None else {planted}), found
