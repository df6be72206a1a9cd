"""When an answer says that the call may be sent again. Clients repeat whatever says so, so only a 429 does."""

from retrieval import errors
from retrieval.errors import RetrievalError


def retry_after(error: RetrievalError) -> float | None:
    """Seconds after which the call may be sent again; None where nobody said. Of several failures the longest wait."""
    if isinstance(error, errors.RetrievalFailed):
        return max((wait for one in error.errors if (wait := retry_after(one)) is not None), default=None)
    return error.retry_after if isinstance(error, errors.Overloaded | errors.BackendThrottled) else None
