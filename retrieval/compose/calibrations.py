"""The calibrations that `eval --save` made for indexes. They are read from a file beside the definitions when the
service is composed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.model.retrieval import Calibration
from retrieval.settings.settings import APP_ROOT, LOCAL_STORE, Settings

SUFFIX: Final = ".calibration.json"


def calibrations(settings: Settings) -> Mapping[str, Calibration]:
    """The calibrations by index; empty if there is no file. Raises NotConfigured for a file that cannot be read."""
    place = settings.agents_file or settings.agents_store or (LOCAL_STORE if settings.local else None)
    if place is None or place == "memory" or "://" in place:
        return {}
    path = beside(APP_ROOT / place)
    if not path.exists():
        return {}
    from retrieval.settings.shapes import rankings, sentences

    try:
        return rankings(path.read_bytes())
    except (OSError, ValueError) as error:
        raise NotConfigured([f"{path.name} is no file of `eval --save`: {'; '.join(sentences(error))}."]) from None


def beside(definitions: Path) -> Path:
    """The file of calibrations that belongs to a file of definitions."""
    return definitions.with_suffix(SUFFIX)
