"""The configurations that are compared: what `--run` says, `NAME=KIND,OPTION=VALUE,…`."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["minimal", "low", "medium", "auto", "answer"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

HELP: Final = """\
configurations (--run, several times; the others are compared with the first):
  [NAME=]KIND[,OPTION=VALUE]...

  KIND     minimal    the last turn is searched as it is, no model is asked
           low, medium, auto
                      retrieve with that effort, with all turns
           answer     the answer workflow: it alone has a confidence and quotes
  OPTION   threshold  the reranker threshold, 0 to 4 (that of the base)
           model      none: without the model that the environment names; not with --against
           documents  usual: as many documents as a call gets that states no number
                      (retrieve is asked for enough to measure)
           followups  0: an answer without its follow-up (1)
           base       the agent or knowledge base that is asked; only with --against (--base)

  --run single=minimal --run auto --run "strict=medium,threshold=2.2" --run "rules=answer,model=none"
"""

DEFAULT: Final = ("single=minimal", "auto", "client=auto,documents=usual", "answer")

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A way to ask. None is what the base, or the contract, has. With `usual` a retrieve states neither a number nor a
    size of the documents, as most clients do."""

    name: str
    kind: Kind
    threshold: float | None = None
    model: bool = True
    follow_ups: int | None = None
    base: str | None = None
    usual: bool = False

    @property
    def is_answer(self) -> bool:
        return self.kind == "answer"

    @property
    def told(self) -> str:
        """The configuration as `--run` has it, without its name."""
        said = {"threshold": self.threshold, "followups": self.follow_ups, "base": self.base}
        options = [f"{name}={value}" for name, value in said.items() if value is not None]
        flags = {"model=none": not self.model, "documents=usual": self.usual}
        return ",".join([self.kind, *options, *(flag for flag, holds in flags.items() if holds)])


def parse(text: str) -> Configuration:
    """Raises ValueError with a sentence."""
    head, *options = text.split(",")
    name, equals, kind = head.partition("=")
    if not equals:
        name, kind = text.replace("=", " ").replace(",", " "), head
    name, kind = name.strip()[:40], kind.strip()
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a run: letters, digits, spaces, '_', '.', '-'")
    configuration = Configuration(name=name, kind=_kind(kind))
    for option in options:
        key, _, value = (part.strip() for part in option.partition("="))
        configuration = _with(configuration, key, value)
    return configuration


def _kind(text: str) -> Kind:
    for kind in KINDS:
        if kind == text:
            return kind
    raise ValueError(f"{text!r} is none of {', '.join(KINDS)}")


def _with(configuration: Configuration, key: str, value: str) -> Configuration:
    match key:
        case "threshold":
            return replace(configuration, threshold=_threshold(value))
        case "model" if value == "none":
            return replace(configuration, model=False)
        case "documents" if value == "usual" and not configuration.is_answer:
            return replace(configuration, usual=True)
        case "followups" if configuration.is_answer and value in {"0", "1"}:
            return replace(configuration, follow_ups=int(value))
        case "base" if value:
            return replace(configuration, base=value)
    had = "threshold=, model=none, base=, of retrieve documents=usual, and of an answer followups="
    raise ValueError(f"{key}={value} is no option of {configuration.kind}: {had}")


def _threshold(value: str) -> float:
    try:
        threshold = float(value)
    except ValueError:
        threshold = -1.0
    if not 0 <= threshold <= 4:
        raise ValueError(f"threshold={value}: a reranker threshold is 0 to 4")
    return threshold
