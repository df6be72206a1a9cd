"""The unknown API versions that callers ask for: a warning for each version, a count of the calls, and a list."""

import logging
from typing import Final

from retrieval.telemetry import names
from retrieval.telemetry.spans import count

MOST_NAMED: Final = 100
"""The most versions on the list. The list is limited because callers may invent any number of versions."""

logger = logging.getLogger(__name__)


class UnknownVersions:
    """The unknown API versions that callers of this process requested, each with the version that was `served`."""

    def __init__(self) -> None:
        self.served: dict[str, str] = {}

    def asked(self, version: str, served: str) -> None:
        """Record that a caller asked for `version` and is answered in the version `served`."""
        count(names.UNKNOWN_VERSIONS, {names.SERVED_AS: served})
        version = version.lower()
        if version in self.served or len(self.served) >= MOST_NAMED:
            return
        self.served[version] = served
        logger.warning(
            "A caller asks for api-version %s, which this release does not know, and is answered as %s. Update this "
            "app, or refuse such calls with STRICT_API_VERSIONS=1.",
            version,
            served,
        )
