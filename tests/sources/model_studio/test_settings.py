"""Knowledge bases of Model Studio in the settings, and what their scores are worth."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.compose import compose_service
from retrieval.errors import NotConfigured
from retrieval.filters.tree import Path as FieldPath
from retrieval.settings import settings
from retrieval.settings.settings import Settings
from retrieval.sources.model_studio.base import ModelStudioBase, ScoreCalibration
from retrieval.sources.model_studio.settings import ModelStudioSettings

BASE: Final[dict[str, Any]] = {"workspace": "llm-1", "index": "5pwe0m2g6t", "region": "cn-beijing"}
KEYS: Final = {"MODEL_STUDIO_ACCESS_KEY_ID": "SECRET-ID", "MODEL_STUDIO_ACCESS_KEY_SECRET": "SECRET-KEY"}
USUAL: Final = {"API_KEYS": "k", "AGENTS_FILE": "agents.json", **KEYS}


def environ(**base: object) -> dict[str, str]:
    return {**USUAL, "MODEL_STUDIO_BASES": json.dumps({"handbook-cn": {**BASE, **base}})}


def read_settings(environ: dict[str, str]) -> ModelStudioSettings:
    return settings.read(environ, ModelStudioSettings).of(ModelStudioSettings)


def problems(environ: dict[str, str]) -> str:
    with pytest.raises(NotConfigured) as caught:
        settings.read(environ, ModelStudioSettings)
    return " ".join(caught.value.sentences)


def test_a_base_is_read_with_the_endpoint_of_its_region() -> None:
    read = read_settings(environ()).model_studio_bases
    assert read == {
        "handbook-cn": ModelStudioBase(
            workspace="llm-1", index="5pwe0m2g6t", endpoint="https://bailian.cn-beijing.aliyuncs.com"
        )
    }


def test_fields_and_calibration_are_read() -> None:
    fields = {
        "姓名": {"path": "person/name", "type": "Edm.String"},
        "tags": {"path": "t", "type": "Collection(Edm.String)"},
    }
    base = read_settings(environ(fields=fields, calibration=[[0.25, 1], [0.5, 3]])).model_studio_bases["handbook-cn"]
    assert base.fields["姓名"].path == FieldPath(("person", "name"))
    assert [(name, field.type, field.collection) for name, field in base.fields.items()] == [
        ("姓名", "Edm.String", False),
        ("tags", "Edm.String", True),
    ]
    assert base.calibration == ScoreCalibration(((0.25, 1.0), (0.5, 3.0)))


def test_bases_need_no_azure_but_keys_and_an_agent() -> None:
    assert settings.read(environ(), ModelStudioSettings).azure_search_endpoint is None
    assert "AGENTS_FILE" in problems({**environ(), "AGENTS_FILE": ""})
    assert "MODEL_STUDIO_ACCESS_KEY_SECRET" in problems({**environ(), "MODEL_STUDIO_ACCESS_KEY_SECRET": ""})


def test_keys_stay_out_of_the_representation() -> None:
    assert "SECRET" not in repr(settings.read(environ(), ModelStudioSettings))


@pytest.mark.parametrize(
    "wrong",
    [
        {"workspace": ""},
        {"index": 5},
        {"region": "cn beijing"},
        {"region": "evil.example/"},
        {"endpoint": "https://bailian.cn-beijing.aliyuncs.com"},
        {"regions": "cn-beijing"},
        {"fields": []},
        {"fields": {"x": "Edm.String"}},
        {"fields": {"x": {"path": "x", "type": "Edm.Guid"}}},
        {"fields": {"x": {"path": "x", "type": "Collection(Edm.String"}}},
        {"fields": {"x": {"path": "", "type": "Edm.String"}}},
        {"fields": {"_x": {"path": "x", "type": "Edm.String"}}},
        {"calibration": "off"},
        {"calibration": []},
        {"calibration": [0.5]},
        {"calibration": [[0.5, True]]},
        {"calibration": [[0.5, 3], [0.4, 2]]},
        {"calibration": [[0.5, 4]]},
        {"calibration": [[0, 1]]},
        {"calibration": [[0.5, float("nan")]]},
    ],
    ids=str,
)
def test_a_malformed_base_is_named(wrong: dict[str, object]) -> None:
    assert "MODEL_STUDIO_BASES: 'handbook-cn'" in problems(environ(**wrong))


@pytest.mark.parametrize(
    "endpoint", ["http://bailian.example", "bailian.example", "https://", "https://bailian.example/prefix", ""]
)
def test_an_endpoint_is_https_and_has_no_path(endpoint: str) -> None:
    base = {"workspace": "llm-1", "index": "i", "endpoint": endpoint}
    assert "MODEL_STUDIO_BASES" in problems({**USUAL, "MODEL_STUDIO_BASES": json.dumps({"handbook-cn": base})})


@pytest.mark.parametrize("value", ["[]", "{", '{"x": 1}', '{"x": []}'])
def test_a_malformed_setting_is_named(value: str) -> None:
    assert "MODEL_STUDIO_BASES" in problems({**USUAL, "MODEL_STUDIO_BASES": value})


def composed(tmp_path: Path, *targets: str, **changed: object) -> None:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([{"name": "a", "targetIndexes": [{"indexName": name} for name in targets]}]))
    studio = read_settings(environ())
    usual: dict[str, Any] = {
        "azure_search_endpoint": "https://s.search.windows.net",
        "azure_search_api_key": "k",
        "api_keys": ("k",),
        "agents_file": str(file),
        "rooms": {ModelStudioSettings: studio},
    }
    compose_service(Settings(**{**usual, **changed}))


def test_an_agent_has_one_azure_index_and_any_bases(tmp_path: Path) -> None:
    composed(tmp_path, "atlas", "handbook-cn")
    composed(tmp_path, "handbook-cn")
    with pytest.raises(NotConfigured, match="several Azure indexes: atlas, other"):
        composed(tmp_path, "atlas", "other", "handbook-cn")


def test_without_azure_every_target_is_a_base(tmp_path: Path) -> None:
    composed(tmp_path, "handbook-cn", azure_search_endpoint=None)
    with pytest.raises(NotConfigured, match="'atlas' in MODEL_STUDIO_BASES"):
        composed(tmp_path, "atlas", "handbook-cn", azure_search_endpoint=None)


def test_no_target_is_named_twice(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="named twice"):
        composed(tmp_path, "handbook-cn", "handbook-cn")


ascending = st.lists(st.floats(0.01, 0.99), unique=True, max_size=5).map(sorted)


@given(ascending, ascending, st.floats(0, 1), st.floats(0, 1))
def test_a_calibration_keeps_the_order_and_the_ends(
    left: list[float], right: list[float], one: float, other: float
) -> None:
    calibration = ScoreCalibration(tuple((score, 4 * worth) for score, worth in zip(left, right, strict=False)))
    assert (calibration.reranker_score(0), calibration.reranker_score(1)) == (0, 4)
    low, high = sorted((one, other))
    assert 0 <= calibration.reranker_score(low) <= calibration.reranker_score(high) <= 4
    for score, worth in calibration.anchors:
        assert calibration.reranker_score(score) == pytest.approx(worth)


def test_without_anchors_a_score_counts_four_times() -> None:
    assert [ScoreCalibration().reranker_score(score) for score in (0, 0.25, 0.5, 1)] == [0, 1, 2, 4]
