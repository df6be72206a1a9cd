"""A regular expression as a program: steps numbered from 0, each with the steps that may follow it."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.lexical.pattern_tree import (
    At,
    Capture,
    Character,
    Choice,
    Node,
    Repeat,
    Sequence,
    Test,
)

MAX_STEPS: Final = 250
"""Steps of one expression, its counted repetitions written out."""


@dataclass(frozen=True, slots=True)
class Take:
    """One character that passes the test of that number."""

    test: int
    then: int


@dataclass(frozen=True, slots=True)
class Fork:
    """What follows `first` if it leads to a match, otherwise what follows `second`."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Check:
    """Only at this place."""

    at: At
    then: int


@dataclass(frozen=True, slots=True)
class Save:
    """This place is remembered: the start of group g in slot 2 g, its end in the slot after."""

    slot: int
    then: int


@dataclass(frozen=True, slots=True)
class Done:
    """The match is whole."""


Step: TypeAlias = Take | Fork | Check | Save | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    steps: tuple[Step, ...]
    tests: tuple[Test, ...]
    checks: tuple[At, ...]
    start: int


def written(tree: Node) -> Program:
    """Raises InvalidArgument for an expression of more than MAX_STEPS."""
    writer = _Writer()
    start = writer.write(tree, writer.add(Done()))
    return Program(steps=tuple(writer.steps), tests=tuple(writer.tests), checks=tuple(writer.checks), start=start)


class _Writer:
    """Writes from the end to the beginning: what follows a part is known before the part."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.tests: dict[Test, int] = {}
        self.checks: dict[At, None] = {}

    def add(self, step: Step) -> int:
        if len(self.steps) >= MAX_STEPS:
            raise InvalidArgument(
                f"A regular expression of an analyzer has at most {MAX_STEPS} steps, its repetitions written out."
            )
        self.steps.append(step)
        return len(self.steps) - 1

    def write(self, node: Node, then: int) -> int:
        """The number of the first step of `node`, after which `then` follows."""
        match node:
            case Character(test):
                return self.add(Take(self.tests.setdefault(test, len(self.tests)), then))
            case At():
                self.checks[node] = None
                return self.add(Check(node, then))
            case Sequence(parts):
                for part in reversed(parts):
                    then = self.write(part, then)
                return then
            case Choice(parts):
                first, *others = [self.write(part, then) for part in reversed(parts)]
                for other in others:
                    first = self.add(Fork(other, first))
                return first
            case Capture(group, part):
                return self.add(Save(2 * group, self.write(part, self.add(Save(2 * group + 1, then)))))
            case Repeat():
                return self._repeat(node, then)

    def _repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            start = self.add(Done())
            self.steps[start] = _fork(self.write(node.part, start), then, greedy=node.greedy)
        else:
            start = then
            for _ in range(node.most - node.least):
                start = self.add(_fork(self.write(node.part, start), then, greedy=node.greedy))
        for _ in range(node.least):
            start = self.write(node.part, start)
        return start


def _fork(part: int, then: int, *, greedy: bool) -> Fork:
    return Fork(part, then) if greedy else Fork(then, part)
