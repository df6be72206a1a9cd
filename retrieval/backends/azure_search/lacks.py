"""The answers of Azure AI Search that are about the deployment, whatever the caller asked for.

An answer is told by its status and its code, that of a detail before that of the error; by the beginning of its message
only where the service sends no code. Sources: https://learn.microsoft.com/rest/api/searchservice/http-status-codes
(402), and answers of the service as its users have quoted them.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from retrieval.backends.azure_search.body import SERVICE
from retrieval.errors import BackendMisconfigured, Lack


class Answered(NamedTuple):
    """A refusal: its status, its codes, the most exact one first, and its message."""

    status: int
    codes: Sequence[str]
    message: str


class SearchRefusal(NamedTuple):
    """An answer that is known. Without a `code` and a `begins`, the status alone is enough."""

    status: int
    lacks: Lack
    hint: str
    code: str = ""
    begins: str = ""

    def fits(self, answered: Answered) -> bool:
        if answered.status != self.status:
            return False
        if self.code:
            return self.code in answered.codes
        return not self.begins or (not answered.codes and answered.message.startswith(self.begins))


RANKER: Final = "Switch the semantic ranker on: SEMANTIC_RANKER=standard, or az search service update."
CONFIGURATION: Final = "Add it to the index, or correct the one that the agent or INDEX_FIELDS names."
VECTORIZER: Final = "Look at the vectorizer of the index, and let the search service's identity use the model."

LACKING: Final = (
    SearchRefusal(400, "ranker", RANKER, code="SemanticQueriesNotAvailable"),
    SearchRefusal(400, "ranker", RANKER, code="FeatureNotSupportedInService"),
    SearchRefusal(400, "configuration", CONFIGURATION, code="UnknownSemanticConfiguration"),
    SearchRefusal(400, "vectorizer", VECTORIZER, code="InvalidVectorQuery"),
    SearchRefusal(400, "vectorizer", VECTORIZER, begins="Could not complete vectorization action."),
    SearchRefusal(400, "vectorizer", VECTORIZER, begins="Could not vectorize the query"),
    SearchRefusal(402, "quota", "The month's free semantic queries are used up: SEMANTIC_RANKER=standard."),
)


def lacking(answered: Answered) -> BackendMisconfigured | None:
    """What the deployment lacks by this answer; None where it is about the request."""
    known = next((row for row in LACKING if row.fits(answered)), None)
    return known and BackendMisconfigured(SERVICE, status=known.status, lacks=known.lacks, hint=known.hint)
