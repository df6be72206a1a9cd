"""The greatest number of sub-queries, of one call and at once."""

from collections.abc import Mapping
from typing import Final

from retrieval.model.definitions import Effort

USUAL: Final = 3
MOST: Final = 5
"""The most of any call that plans; at medium effort a question may have so many parts."""

BY_EFFORT: Final[Mapping[Effort, int]] = {"low": USUAL, "medium": MOST, "auto": USUAL}
"""The most at the efforts that plan. Documented for knowledge bases since 2025-11-01-preview: the how-to of
02/12/2026."""
