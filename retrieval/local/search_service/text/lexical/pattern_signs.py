"""The single signs of Java's regular expressions: escapes, and what stands between brackets."""

import re
from typing import Final

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.lexical import character_classes as classes
from retrieval.local.search_service.text.lexical.pattern_tree import Test

MAX_NESTING: Final = 20

_CODE = re.compile(r"x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})")
_OCTAL = re.compile(r"0([0-3]?[0-7]{1,2})")
_PROPERTY = re.compile(r"[pP](?:\{(?P<long>[A-Za-z_=]{1,40})\}|(?P<short>[CLMNPSZ]))")
QUOTED = re.compile(r"Q(.*?)(?:\\E|\Z)", re.DOTALL)
_SIGNS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}


class Signs:
    """A regular expression read sign by sign; `at` is the place of the next one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._depth = 0

    def broken(self, what: str) -> InvalidArgument:
        return InvalidArgument(f"The regular expression {self.text[:80]!r} has {what} (place {self.at}).")

    def takes(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def match(self, form: re.Pattern[str]) -> re.Match[str] | None:
        match = form.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def enter(self) -> None:
        """One level deeper, until `leave`. Raises InvalidArgument beyond MAX_NESTING."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise InvalidArgument(f"A regular expression of an analyzer nests at most {MAX_NESTING} deep.")

    def leave(self) -> None:
        self._depth -= 1

    def escape(self) -> Test:
        """The class that an escape stands for, within brackets or without."""
        sign = self.text[self.at : self.at + 1]
        if match := self.match(_PROPERTY):
            test = classes.named(match["long"] or match["short"])
            return classes.outside(test) if sign == "P" else test
        if sign in classes.ESCAPED:
            self.at += 1
            return classes.ESCAPED[sign]
        return classes.among(self._escaped_sign())

    def _escaped_sign(self) -> str:
        if match := self.match(_CODE) or self.match(_OCTAL):
            code = int(match[1], 8) if match.re is _OCTAL else int(next(filter(None, match.groups())), 16)
            if code > 0x10FFFF:
                raise self.broken("a code that is no character")
            return chr(code)
        sign = self.text[self.at : self.at + 1]
        if sign in _SIGNS:
            self.at += 1
            return _SIGNS[sign]
        if sign.isdigit() or sign == "k":
            raise Unsupported("a back reference in a regular expression of an analyzer")
        if not sign or (sign.isascii() and sign.isalpha()):
            raise Unsupported(f"the escape \\{sign} in a regular expression of an analyzer")
        self.at += 1
        return sign

    def bracketed(self) -> Test:
        """What stands between brackets; it may hold further brackets, and && for what both sides have."""
        self.enter()
        negated = self.takes("^")
        sides: list[Test] = []
        members: list[Test] = []
        first = True
        while first or not self.takes("]"):
            if self.takes("&&"):
                sides.append(classes.any_of(members) if members else classes.outside(classes.among("")))
                members = []
            else:
                members.append(self._member())
            first = False
        self.leave()
        sides.append(classes.any_of(members) if members else classes.outside(classes.among("")))
        test = classes.all_of(sides)
        return classes.outside(test) if negated else test

    def _member(self) -> Test:
        sign = self.text[self.at : self.at + 1]
        if not sign:
            raise self.broken("a bracket that is not closed")
        if self.takes("["):
            return self.bracketed()
        if sign == "\\":
            self.at += 1
            if quoted := self.match(QUOTED):
                return classes.among(quoted[1])
            first = self._bound(escaped=True)
            if not isinstance(first, str):
                return first
        else:
            self.at += 1
            first = sign
        return self._range(first)

    def _bound(self, *, escaped: bool) -> str | Test:
        """One character, or the class that an escape stands for."""
        sign = self.text[self.at : self.at + 1]
        if escaped and (sign in classes.ESCAPED or _PROPERTY.match(self.text, self.at)):
            return self.escape()
        return self._escaped_sign()

    def _range(self, first: str) -> Test:
        after = self.text[self.at + 1 : self.at + 2]
        if not self.text.startswith("-", self.at) or after in ("]", "[", ""):
            return classes.among(first)
        self.at += 2
        last = self._bound(escaped=True) if after == "\\" else after
        if not isinstance(last, str) or last < first:
            raise self.broken("a range within brackets that goes backwards or to a class")
        return classes.between(first, last)
