"""What pydantic found wrong with a body, in one sentence that never repeats a hostile value at length."""

from pydantic import ValidationError


def sentence(error: ValidationError) -> str:
    """The first problem: where it is and what is wrong."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])[:200]
    what = "unknown property" if problem["type"] == "extra_forbidden" else problem["msg"]
    return f"{where}: {what}" if where else what
