"""What an examination of a deployment finds: one sentence about one thing, and what to do about it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "warning", "fault", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A role that an identity lacks, as far as the service that refused it says.

    `principal` is an object id, empty where it is not known, `kind` what Azure calls it; `scope` is a command that
    prints the id of the resource.
    """

    role: str
    scope: str
    principal: str = ""
    kind: str = "ServicePrincipal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`said` is a sentence without secrets; `do` is what to do, line by line, empty where nothing is to be done.

    `name` is what of the `subject` it is about, empty for all of it.
    """

    subject: str
    name: str
    state: State
    said: str
    do: str = ""
    lacking: Lacking | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What is examined; it makes the findings about it."""

    subject: str
    name: str = ""

    def ok(self, said: str) -> Finding:
        """Nothing is to be done."""
        return Finding(subject=self.subject, name=self.name, state="ok", said=said)

    def warning(self, said: str, do: str) -> Finding:
        """It works, or will without anybody's doing; somebody should look at it all the same."""
        return Finding(subject=self.subject, name=self.name, state="warning", said=said, do=do)

    def fault(self, said: str, do: str, *, lacking: Lacking | None = None) -> Finding:
        """Calls fail, or those get in who should not."""
        return Finding(subject=self.subject, name=self.name, state="fault", said=said, do=do, lacking=lacking)

    def skipped(self, said: str) -> Finding:
        """It was not examined, and why."""
        return Finding(subject=self.subject, name=self.name, state="skipped", said=said)
