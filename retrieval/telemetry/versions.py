"""Which versions callers ask for that nobody knows yet: a warning for each, a count of all, and a list."""

import logging
from collections.abc import Mapping
from typing import Final

from retrieval.telemetry import names
from retrieval.telemetry.spans import instruments

MOST_NAMED: Final = 100
"""A caller may make up any number of them."""

logger = logging.getLogger(__name__)


class UnknownVersions:
    """Those that were served as another, once a process."""

    def __init__(self) -> None:
        self._served: dict[str, str] = {}

    @property
    def served(self) -> Mapping[str, str]:
        """Each with the version that it was served as."""
        return dict(self._served)

    def asked(self, version: str, served: str) -> None:
        """A caller asked for the version, and is answered as that other one."""
        instruments().unknown_versions.add(1, {names.SERVED_AS: served})
        version = version.lower()
        if version in self._served or len(self._served) >= MOST_NAMED:
            return
        self._served[version] = served
        logger.warning(
            "A caller asks for api-version %s, which this release does not know, and is answered as %s. Update this "
            "app, or refuse such calls with STRICT_API_VERSIONS=1.",
            version,
            served,
        )
