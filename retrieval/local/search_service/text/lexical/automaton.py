"""Every match of a regular expression, in time linear in the text: nothing is ever tried twice.

Backwards through the text first: for every place, the steps of the program from which a match can still be reached.
Then forwards: with that known, the first choice that leads to a match is taken at once. The matches are those of a
matcher that tries and goes back (leftmost, the first choice before the second), as Java's. What was computed for one
set of steps and one kind of character is kept; only a hostile expression needs ever new sets, and that work is bounded.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.lexical.places import places
from retrieval.local.search_service.text.lexical.program import Check, Done, Fork, Program, Save, Take

MAX_WORK: Final = 200_000
"""Steps looked at for sets that are not yet known, in one text: about 50 ms."""

_MAX_KEPT: Final = 20_000

_Path: TypeAlias = tuple[int, tuple[int, ...]]

Spans: TypeAlias = Sequence[int]
"""Start and end of the match, then of every group; -1 for a group that is not part of it."""


class _Live:
    """The steps, as bits, from which a match can be reached at a place; and the same for the place before it."""

    __slots__ = ("before", "steps")

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.before: dict[tuple[int, int], _Live] = {}


class Automaton:
    """`groups` counts those that are remembered."""

    def __init__(self, program: Program, groups: int) -> None:
        self.groups = groups
        self._program = program
        self._takes = [(number, step) for number, step in enumerate(program.steps) if isinstance(step, Take)]
        self._done = next(number for number, step in enumerate(program.steps) if isinstance(step, Done))
        self._work = 0
        self._forget()

    def _forget(self) -> None:
        self._kinds: dict[str, int] = {}
        self._lives: dict[int, _Live] = {}
        self._leading: dict[int, list[int]] = {}
        self._paths: dict[tuple[int, int, int, int], _Path] = {}
        self._kept = 0

    def matches(self, text: str) -> list[Spans]:
        """From left to right, none within another.

        Raises InvalidArgument where the expression would take too much work on this text.
        """
        self._work = 0
        kinds = [self._kind(sign) for sign in text]
        held = places(self._program.checks, text)
        lives = self._backwards(kinds, held)
        found: list[Spans] = []
        start = self._program.start
        at = 0
        while at <= len(text):
            if lives[at].steps >> start & 1:
                spans = self._forwards(at, kinds, held, lives)
                found.append(spans)
                at = spans[1] + (spans[1] == at)
            else:
                at += 1
        return found

    def _kind(self, sign: str) -> int:
        """Which tests a character passes, as bits."""
        kind = self._kinds.get(sign)
        if kind is None:
            kind = sum(1 << number for number, test in enumerate(self._program.tests) if test(sign))
            self._kinds[sign] = kind
            self._charge(len(self._program.tests) // 2)
        return kind

    def _charge(self, steps: int) -> None:
        self._work += steps
        self._kept += 1
        if self._work > MAX_WORK:
            self._forget()
            raise InvalidArgument("A regular expression of an analyzer takes too many steps on this text.")
        if self._kept > _MAX_KEPT:
            self._forget()

    def _backwards(self, kinds: Sequence[int], held: Sequence[int]) -> list[_Live]:
        live = self._live(self._leads(held[-1])[self._done])
        lives = [live] * len(held)
        for at in range(len(kinds) - 1, -1, -1):
            key = (kinds[at], held[at])
            before = live.before.get(key)
            if before is None:
                before = live.before[key] = self._before(live, *key)
            lives[at] = live = before
        return lives

    def _before(self, live: _Live, kind: int, place: int) -> _Live:
        leads = self._leads(place)
        steps = leads[self._done]
        for number, take in self._takes:
            if kind >> take.test & 1 and live.steps >> take.then & 1:
                steps |= leads[number]
        self._charge(len(self._takes))
        return self._live(steps)

    def _live(self, steps: int) -> _Live:
        known = self._lives.get(steps)
        if known is None:
            known = self._lives[steps] = _Live(steps)
        return known

    def _leads(self, place: int) -> list[int]:
        """For every step, as bits, those that lead to it where these checks hold, without a character between."""
        known = self._leading.get(place)
        if known is None:
            known = self._leading[place] = self._closure(place)
            self._charge(len(known) ** 2 // 4)
        return known

    def _closure(self, place: int) -> list[int]:
        steps = self._program.steps
        back: list[list[int]] = [[] for _ in steps]
        for number in range(len(steps)):
            for then in self._onward(number, place):
                back[then].append(number)
        leads = [0] * len(steps)
        for number, step in enumerate(steps):
            if isinstance(step, Take | Done):
                leads[number] = _reached(number, back)
        return leads

    def _onward(self, number: int, place: int) -> tuple[int, ...]:
        """The steps that may follow without a character, the first choice first."""
        match self._program.steps[number]:
            case Fork(first, second):
                return first, second
            case Check(at, then):
                return (then,) if place >> self._program.checks.index(at) & 1 else ()
            case Save(_, then):
                return (then,)
            case _:
                return ()

    def _forwards(self, at: int, kinds: Sequence[int], held: Sequence[int], lives: Sequence[_Live]) -> Spans:
        spans = [at, at, *[-1] * (2 * self.groups)]
        number = self._program.start
        while True:
            kind = kinds[at] if at < len(kinds) else 0
            after = lives[at + 1].steps if at < len(kinds) else 0
            number, saved = self._path(number, kind, held[at], after)
            for slot in saved:
                spans[slot] = at
            step = self._program.steps[number]
            if not isinstance(step, Take):
                spans[1] = at
                return spans
            number = step.then
            at += 1

    def _path(self, number: int, kind: int, place: int, after: int) -> _Path:
        """The first step that takes a character, or ends, and leads to a match; and what is saved on the way."""
        key = (number, kind, place, after)
        path = self._paths.get(key)
        if path is None:
            path = self._paths[key] = self._search(number, kind, place, after)
        return path

    def _search(self, number: int, kind: int, place: int, after: int) -> _Path:
        waiting: list[_Path] = [(number, ())]
        seen: set[int] = set()
        while True:
            number, saved = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            step = self._program.steps[number]
            if isinstance(step, Done):
                break
            if isinstance(step, Take) and kind >> step.test & 1 and after >> step.then & 1:
                break
            if isinstance(step, Save):
                saved = (*saved, step.slot)
            waiting += [(then, saved) for then in reversed(self._onward(number, place))]
        self._charge(len(seen))
        return number, saved


def _reached(number: int, back: Sequence[Sequence[int]]) -> int:
    reached = 1 << number
    waiting = [number]
    while waiting:
        for before in back[waiting.pop()]:
            if not reached >> before & 1:
                reached |= 1 << before
                waiting.append(before)
    return reached
