"""What models were asked for an answer, for callers who may read the definitions: a prompt has their instructions."""

from collections.abc import Sequence
from typing import Final

from retrieval.contracts.answer.shapes import Out
from retrieval.model.activity import AnswerActivity, StepActivity

LONGEST_DATA: Final = 16_000
"""Characters of a prompt's data that are shown."""


class PromptShown(Out):
    """The prompt of the record with the id `activity`. `left_out` counts the characters that `data` has in the call
    after these."""

    activity: int
    instructions: str
    data: str
    left_out: int


def shown(activity: Sequence[AnswerActivity]) -> list[PromptShown]:
    """The prompt of each step of a model, also of one that failed."""
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
