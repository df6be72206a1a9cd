"""The files that name every setting are as `make written` writes them."""

import json

import pytest

from retrieval.compose.rooms import SETTINGS
from retrieval.settings.settings import variables
from tests.environments import ROOT
from tools.settings_files import DEPLOYED, SAMPLE, files


@pytest.mark.parametrize("path", [SAMPLE, DEPLOYED])
def test_a_file_of_settings_is_as_it_is_written(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == files()[path]


def test_the_settings_of_rooms_are_among_them() -> None:
    sample, deployed = json.loads(files()[SAMPLE])["Values"], json.loads(files()[DEPLOYED])
    assert variables(*SETTINGS).keys() <= sample.keys() & deployed.keys()
    assert "CHAT_URL" in sample and "CHAT_URL" not in deployed
