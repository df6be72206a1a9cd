"""The wait before a call may be sent again. Clients repeat every answer that states one, so only a 429 does."""

from retrieval import errors
from retrieval.errors import RetrievalError


def retry_after(error: RetrievalError) -> float | None:
    """Seconds after which the call may be sent again; None where no service stated it. Of several failures the longest
    wait."""
    if isinstance(error, errors.RetrievalFailed):
        return max((wait for failure in error.errors if (wait := retry_after(failure)) is not None), default=None)
    return error.retry_after if isinstance(error, errors.Overloaded | errors.BackendThrottled) else None
