"""A setting that protects, misspelt: nobody is served until it is spelt right, and nothing else is suspected."""

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.settings import settings
from retrieval.settings.misspelt_names import is_one_edit
from retrieval.settings.settings import protecting
from tests.access.conftest import Deploy, deploy
from tests.conftest import Post, ask

__all__ = ["deploy"]

PLATFORM: Final = [
    line
    for line in (Path(__file__).parent / "platform_variables.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
"""The variables that the platform sets itself; its file names its sources."""
AZURE: Final = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_FILE": "agents.json", "API_KEYS": "k"}
RULES: Final = json.dumps({"*": {"page_number": {"claim": "page", "withKey": "105"}}})


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("IMPOSED_FILTER", RULES, "IMPOSED_FILTERS"),
        ("IMPOSED_FILTRES", RULES, "IMPOSED_FILTERS"),
        ("imposed_filters", RULES, "IMPOSED_FILTERS"),
        ("USER-TOKEN_AGENTS", "*", "USER_TOKEN_AGENTS"),
        ("BASE__KEYS", "{}", "BASE_KEYS"),
        ("APIKEYS", "mine", "API_KEYS"),
    ],
)
async def test_nobody_is_served_where_a_setting_that_protects_is_misspelt(
    name: str, value: str, meant: str, post: Post, deploy: Deploy, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(**{name: value})
    answer = await post(ask("roads"), key="query-key-one-4d1b")
    assert answer.status == 503
    assert name in caplog.text and meant in caplog.text
    assert name not in answer.body.decode()


def test_what_the_platform_sets_itself_is_no_fault() -> None:
    _, problems = settings.gather({**dict.fromkeys(PLATFORM, "1"), **AZURE})
    assert problems == ()


@pytest.mark.parametrize(
    "environ", [{"IMPOSED_FILTER": " "}, {"API_KEY": "of another program"}, {"IMPOSED_FILES": "x"}, {"APP_NAME": "x"}]
)
def test_what_is_empty_or_somebody_elses_is_no_fault(environ: dict[str, str]) -> None:
    assert settings.gather({**AZURE, **environ})[1] == ()


def test_a_key_under_a_misspelt_name_is_a_fault_where_there_is_no_other() -> None:
    _, problems = settings.gather({"LOCAL": "1", "API_KEY": "mine-0123456789abcdef"})
    assert len(problems) == 1 and problems[0].setting == "API_KEYS" and "mine" not in problems[0].sentence


@given(st.sampled_from(sorted(protecting())), st.integers(0, 40), st.characters(codec="ascii", categories=["Lu"]))
def test_every_single_edit_is_one(name: str, place: int, letter: str) -> None:
    at = place % len(name)
    assert is_one_edit(name[:at] + name[at + 1 :], name)
    assert is_one_edit(name[:at] + letter + name[at:], name)
    assert is_one_edit(name[:at] + letter + name[at + 1 :], name)
    assert is_one_edit(name[:at] + name[at : at + 2][::-1] + name[at + 2 :], name)
    assert not is_one_edit(f"__{name[:at]}{name[at:]}", name)
