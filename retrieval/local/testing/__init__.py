"""The local services for the tests of another project: in a `with` block, or as pytest's fixtures.

    with retrieval_service(Options(load={"handbook": "docs"})) as service:
        print(service.retrieve("How many days of holiday?")[0].content)

- `services`: opens them, with what `Options` say. `running`: what a test holds, `RunningSearch` or `RunningRetrieval`
- `composed`: the whole service in this process. `plugin`: the fixtures
"""

from retrieval.local.testing.running import Passage, Refused, RunningRetrieval, RunningSearch
from retrieval.local.testing.services import CannotStart, Options, retrieval_service, search_service

__all__ = [
    "CannotStart",
    "Options",
    "Passage",
    "Refused",
    "RunningRetrieval",
    "RunningSearch",
    "retrieval_service",
    "search_service",
]
