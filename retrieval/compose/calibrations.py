"""What `eval --save` found on indexes: read at start from the file beside the definitions, never on the wire."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from retrieval.compose.agents import APP_ROOT
from retrieval.errors import NotConfigured
from retrieval.model.calibration import Calibration
from retrieval.settings.settings import Settings

SUFFIX: Final = ".calibration.json"


def calibrations(settings: Settings) -> Mapping[str, Calibration]:
    """By index; none where there is no file. Raises NotConfigured for one that cannot be read."""
    place = settings.agents_file or settings.store
    if place is None or place == "memory" or "://" in place:
        return {}
    path = beside(APP_ROOT / place)
    if not path.exists():
        return {}
    from pydantic import TypeAdapter

    try:
        saved = TypeAdapter(dict[str, dict[str, Any]]).validate_json(path.read_bytes())
        ranks, threshold = TypeAdapter(dict[str, tuple[float, ...]]), TypeAdapter(float | None)
        return {
            index: Calibration(
                index=index,
                signals=ranks.validate_python(one.get("ranks", {})),
                evidence_threshold=threshold.validate_python(one.get("evidenceThreshold")),
            )
            for index, one in saved.items()
        }
    except (OSError, ValueError) as error:
        raise NotConfigured([f"{path.name} is no file of `eval --save`: {error}."]) from None


def beside(definitions: Path) -> Path:
    """The file of calibrations that belongs to a file of definitions."""
    return definitions.with_suffix(SUFFIX)
