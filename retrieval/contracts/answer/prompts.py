"""The prompts that were sent to models for an answer. Only callers who may read the definitions see them, because a
prompt contains the instructions of the definitions."""

from collections.abc import Sequence
from typing import Final

from retrieval.contracts.answer.shapes import Out
from retrieval.model.activity import AnswerActivity, StepActivity

LONGEST_DATA: Final = 16_000
"""The maximum number of characters of a prompt's data that are shown."""


class PromptShown(Out):
    """The prompt of a step. `activity` is the id of the step's record. `data` is the beginning of the data that the
    model got, and `left_out` is the number of characters that are not shown."""

    activity: int
    instructions: str
    data: str
    left_out: int


def shown(activity: Sequence[AnswerActivity]) -> list[PromptShown]:
    """The prompt of each step that called a model, including steps that failed."""
    return [
        PromptShown(
            activity=id,
            instructions=record.question.instructions,
            data=record.question.data[:LONGEST_DATA],
            left_out=max(len(record.question.data) - LONGEST_DATA, 0),
        )
        for id, record in enumerate(activity)
        if isinstance(record, StepActivity) and record.question is not None
    ]
