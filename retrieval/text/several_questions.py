"""A message that asks several questions, each with what it may lean on. A question ends with its mark, not at "and"."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from retrieval.model.conversation import Message, question_place
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.sentences import sentences

_MARKS: Final = ("?", "？", "؟")
_CLOSING: Final = "\"'”’»)] \t\r\n"


def parts(conversation: Sequence[Message], *, most: int) -> tuple[tuple[Message, ...], ...]:
    """The questions of a last message that asks several: at most `most`, each as a conversation that ends with it.

    A question ends with its mark, never at "and". To each, what is said before it in the message is an earlier turn;
    the last has all that are too many. None where the message asks a single question, or only one may be searched.
    """
    at = question_place(conversation)
    text = ends(conversation[at].text, LONGEST_READ)
    question_ends = [span.end for span in sentences(text) if _asks(text[span.start : span.end])]
    if len(question_ends) < 2 or most < 2:
        return ()
    question_ends = question_ends if len(question_ends) <= most else [*question_ends[: most - 1], question_ends[-1]]
    texts = [text[start:end].strip() for start, end in pairwise([0, *question_ends])]
    turns = [Message(role="user", text=text) for text in texts]
    return tuple((*conversation[:at], *turns[: place + 1]) for place in range(len(turns)))


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING).endswith(_MARKS) and any(map(str.isalnum, sentence))
