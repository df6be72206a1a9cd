"""A finding of an examination: a statement about one subject, and the steps to take."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "warning", "fault", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """The role that may be missing when a service refuses an identity.

    `principal` is an object id, and is empty where it is not known. `kind` is Azure's type of the principal. `scope` is
    a command that prints the id of the resource.
    """

    role: str
    scope: str
    principal: str = ""
    kind: str = "ServicePrincipal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding. `said` is the statement. `do` has the steps to take, line by line; it is empty where no action is
    needed. `subject` is an area, such as `index`. `name` is the thing of this area that the finding is about, such as
    the name of an index; empty if the finding is about the whole area.
    """

    subject: str
    name: str
    state: State
    said: str
    do: str = ""
    lacking: Lacking | None = None


@dataclass(frozen=True, slots=True)
class About:
    """A subject of an examination, with methods that make findings about the subject."""

    subject: str
    name: str = ""

    def ok(self, sentence: str) -> Finding:
        """A finding about a thing that is in order."""
        return Finding(subject=self.subject, name=self.name, state="ok", said=sentence)

    def warning(self, sentence: str, do: str) -> Finding:
        """A finding about a thing that is less serious than a fault. Somebody should still look at it."""
        return Finding(subject=self.subject, name=self.name, state="warning", said=sentence, do=do)

    def fault(self, sentence: str, do: str, *, lacking: Lacking | None = None) -> Finding:
        """A finding about a thing that somebody must correct."""
        return Finding(subject=self.subject, name=self.name, state="fault", said=sentence, do=do, lacking=lacking)

    def skipped(self, sentence: str) -> Finding:
        """A finding that a subject was not examined, with the reason."""
        return Finding(subject=self.subject, name=self.name, state="skipped", said=sentence)
