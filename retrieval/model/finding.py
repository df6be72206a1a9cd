"""A finding of an examination: one sentence about one thing, and what to do about it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "warning", "fault", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A role that an identity lacks, as far as the service that refused it says.

    `principal` is an object id, empty where it is not known; `kind` is Azure's word for the principal; `scope` is a
    command that prints the id of the resource.
    """

    role: str
    scope: str
    principal: str = ""
    kind: str = "ServicePrincipal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding. `said` is a sentence without secrets; `do` is what to do, line by line; it is empty where nothing is
    to be done.

    `name` is the part of the `subject` that it is about, empty for all of it.
    """

    subject: str
    name: str
    state: State
    said: str
    do: str = ""
    lacking: Lacking | None = None


@dataclass(frozen=True, slots=True)
class About:
    """A subject of an examination, which makes the findings about it."""

    subject: str
    name: str = ""

    def ok(self, sentence: str) -> Finding:
        """A finding about a thing that is in order."""
        return Finding(subject=self.subject, name=self.name, state="ok", said=sentence)

    def warning(self, sentence: str, do: str) -> Finding:
        """A finding about a thing that works, or soon will by itself, but that somebody should look at."""
        return Finding(subject=self.subject, name=self.name, state="warning", said=sentence, do=do)

    def fault(self, sentence: str, do: str, *, lacking: Lacking | None = None) -> Finding:
        """A finding about a thing that makes calls fail, or lets callers in who should not get in."""
        return Finding(subject=self.subject, name=self.name, state="fault", said=sentence, do=do, lacking=lacking)

    def skipped(self, sentence: str) -> Finding:
        """A finding that a subject was not examined, with the reason."""
        return Finding(subject=self.subject, name=self.name, state="skipped", said=sentence)
