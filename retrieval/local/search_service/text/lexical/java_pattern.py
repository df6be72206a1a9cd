"""Java's regular expressions, as the parts of analyzers take them, in the dialect of RE2.

RE2 reads a text in time linear in it, whatever the expression. What it lacks is refused by name.
https://docs.oracle.com/javase/8/docs/api/java/util/regex/Pattern.html
https://github.com/google/re2/wiki/Syntax
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

import re2

from retrieval.local.search_service.errors import InvalidArgument, Unsupported

FLAGS: Final = {
    "CASE_INSENSITIVE": "i",
    "DOTALL": "s",
    "LITERAL": "",
    "MULTILINE": "m",
    "UNICODE_CASE": "",
    "UNIX_LINES": "",
    "COMMENTS": None,
    "CANON_EQ": None,
}
"""Each with RE2's letter; "" for what RE2 always does, or `compiled` itself; None for what it lacks."""

MAX_LENGTH: Final = 1000
"""Characters of an expression."""

MAX_STEPS: Final = 2_500
"""Steps of RE2's program, repetitions written out."""

MAX_READ: Final = 2_000_000_000
"""Characters to the end of the text, added up over the matches in it: each may have read so far, at about 2 ns each."""

Spans: TypeAlias = Sequence[int]
"""Start and end of the match, then of every group; -1 for a group that is not part of it."""

_POSIX: Final = {"s": "[:space:]", "S": "[:^space:]"} | {
    f"{sign}{{{name}}}": f"[:{'^' if sign == 'P' else ''}{name.lower()}:]"
    for sign in "pP"
    for name in "Lower Upper ASCII Alpha Digit Alnum Punct Graph Print Blank Cntrl XDigit Space".split()
}
"""Java's `\\s` has the vertical tab, RE2's has not."""

_LACKING: Final = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
    "(?>": "an atomic group",
    "&&": "&& within brackets",
    "[": "a bracket within brackets",
}
_ESCAPE: Final = r"""
    \\(?: Q(?P<quoted>.*?)(?:\\E|\Z)
        | u(?P<code>[0-9a-fA-F]{4})
        | 0(?P<octal>[0-3]?[0-7]{1,2})
        | (?P<class>[sS]|[pP](?:\{[A-Za-z_=]*\}|[A-Z]))
        | (?P<kept>[dDwWbAzatnrf]|x[0-9a-fA-F]{2}|x\{[0-9a-fA-F]{1,6}\})
        | (?P<sign>.?) )"""
_OUTSIDE: Final = re.compile(
    rf"""{_ESCAPE}
    | (?P<open>\[\^?\]?)
    | (?P<possessive>(?:[?*+]|\{{\d+(?:,\d*)?\}})\+)
    | (?P<structure>\((?!\?)|\(\?(?::|<[A-Za-z][A-Za-z0-9]*>|[ims]*(?:-[ims]+)?[:)])|\{{\d+(?:,\d*)?\}})
    | (?P<lacking>\(\?(?:<?[=!]|>|[a-zA-Z-]+[:)]))
    | (?P<broken>\{{|\(\?)
    | (?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)
_INSIDE: Final = re.compile(rf"{_ESCAPE} | (?P<close>\]) | (?P<lacking>\[|&&) | (?P<plain>.)", re.VERBOSE | re.DOTALL)
_PREFIX: Final = re.compile(r"\{(?:Is|gc=|general_category=)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Pattern:
    """`groups` counts those that are remembered. Raises InvalidArgument for what is no expression or too large."""

    def __init__(self, expression: str) -> None:
        try:
            self._compiled = re2.compile(expression, _options())
        except re2.error as error:
            reason = error.args[0].decode(errors="replace") if error.args else ""
            raise InvalidArgument(f"The regular expression of an analyzer cannot be read: {reason[:120]}.") from error
        if self._compiled.programsize > MAX_STEPS:
            raise InvalidArgument(
                f"A regular expression of an analyzer has at most {MAX_STEPS} steps, its repetitions written out."
            )
        self.groups: int = self._compiled.groups

    def matches(self, text: str) -> Iterator[Spans]:
        """From left to right, none within another. Raises InvalidArgument for too many in a long text."""
        read = 0
        last = None
        for match in self._compiled.finditer(_SURROGATE.sub("\ufffd", text)):
            if match.span() == last:
                continue  # finditer of google-re2 names an empty match behind the place where it began to look twice
            last = match.span()
            read += len(text) - last[0]
            if read > MAX_READ:
                raise InvalidArgument("A regular expression of an analyzer has too many matches in this text.")
            yield [place for group in range(self.groups + 1) for place in match.span(group)]


def compiled(expression: str, flags: Collection[str] = ()) -> Pattern:
    """`flags` are names of FLAGS.

    Raises InvalidArgument for what is no expression or too large, Unsupported naming what RE2 lacks.
    """
    if len(expression) > MAX_LENGTH:
        raise InvalidArgument(f"A regular expression of an analyzer has at most {MAX_LENGTH} characters.")
    if _SURROGATE.search(expression):
        raise InvalidArgument("A regular expression of an analyzer has half a character (a surrogate).")
    letters = "".join(sorted({_letter(flag) for flag in flags}))
    written = _literal(expression) if "LITERAL" in flags else "".join(_translated(expression))
    return Pattern(f"(?{letters}){written}" if letters else written)


def _letter(flag: str) -> str:
    if flag not in FLAGS:
        raise InvalidArgument(f"The flag {flag[:40]!r} of a regular expression is none of {', '.join(FLAGS)}.")
    letter = FLAGS[flag]
    if letter is None:
        raise Unsupported(f"the flag {flag} of a regular expression")
    return letter


def _translated(expression: str) -> Iterator[str]:
    at = 0
    inside = False
    while at < len(expression):
        piece = (_INSIDE if inside else _OUTSIDE).match(expression, at)
        assert piece is not None  # the last alternative takes any character
        inside = piece.lastgroup == "open" or (inside and piece.lastgroup != "close")
        at = piece.end()
        yield _written(piece, inside=inside)


def _written(piece: re.Match[str], *, inside: bool) -> str:
    kind = piece.lastgroup
    text = piece[kind] if kind else ""
    match kind:
        case "quoted":
            return _literal(text)
        case "code" | "octal":
            return f"\\x{{{int(text, 16 if kind == 'code' else 8):x}}}"
        case "class":
            return _class(text, inside=inside)
        case "sign":
            return _sign(text)
        case "possessive":
            raise _lacks("a possessive repetition")
        case "lacking":
            raise _lacks(_LACKING.get(text, f"the flags {text[:20]!r}"))
        case "broken":
            raise InvalidArgument(f"The regular expression of an analyzer has a {text!r} that cannot be read.")
        case _:
            return piece[0]


def _class(name: str, *, inside: bool) -> str:
    if name in _POSIX:
        return _POSIX[name] if inside else f"[{_POSIX[name]}]"
    written = "\\" + _PREFIX.sub("{", name)
    if not _known(written):
        raise _lacks(f"the class \\{name[:40]}")
    return written


def _known(written: str) -> bool:
    try:
        return re2.compile(written, _options()) is not None
    except re2.error:
        return False


def _sign(sign: str) -> str:
    if sign in "123456789k" and sign:
        raise _lacks("a back reference")
    if not sign or (sign.isascii() and sign.isalnum()):
        raise _lacks(f"the escape \\{sign}")
    return _literal(sign)


def _literal(text: str) -> str:
    return "".join([f"\\x{{{ord(sign):x}}}" for sign in text])


def _lacks(what: str) -> Unsupported:
    return Unsupported(f"{what} in a regular expression of an analyzer")


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    return options
