"""The grammar of `$filter`, and the errors for a text that does not follow it. Many errors name the text to write
instead. Only `odata.read` and `odata.load` import this module, because the import loads lark.

The rules follow https://learn.microsoft.com/azure/search/search-query-odata-syntax-reference. The rules also contain
forms that Azure AI Search refuses, such as a comparison of two fields or `not a eq 1`. The errors for these forms then
have a specific reason. A constant argument of a function may be in parentheses, because LangChain4j writes constants in
parentheses. The position of a word decides whether it is an operator or a name, so `eq` is a valid field. The parser
builds the tree while it reads the text. A chain of `and` or of `or` becomes one node. Nesting is counted on the tokens,
before nodes are built.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args
from lark.lark import PostLex

from retrieval.errors import BadFilter
from retrieval.filters.odata.operands import (
    DEEPEST,
    FUNCTIONS,
    GUID,
    LONGEST_NAME,
    MOST_CLAUSES,
    MOST_NAMES,
    MOST_TOKENS,
    RESERVED,
    Measure,
    PlacedValue,
    Test,
    Value,
    call,
    digits,
    geography,
)
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Constant,
    Distance,
    Filter,
    Flag,
    Float,
    In,
    Integer,
    Intersects,
    IsMatch,
    Lambda,
    Not,
    NotEmpty,
    Null,
    Operator,
    Path,
    Point,
    Polygon,
    RangeOperator,
    String,
    all_of,
    any_of,
)

_RULES = r"""
?start: disjunction
disjunction: conjunction (_OR conjunction)*
conjunction: clause (_AND clause)*
?clause: value OPERATOR value -> comparison
    | negation OPERATOR value -> negated_comparison
    | (group | quantified) OPERATOR value -> compared_condition
    | operand
?operand: negation | group | quantified
    | path -> flag
    | function -> condition
    | BOOLEAN -> truth
negation: NOT operand
?group: "(" disjunction ")"
quantified: path LAMBDA NAME ":" disjunction ")" -> quantified
    | path LAMBDA ")" -> bare_lambda
?value: path | function | constant
function: FUNCTION (argument ("," argument)*)? ")"
?argument: path | constant | "(" constant ")"
path: NAME ("/" NAME)*
constant: BOOLEAN | NULL | SPECIAL | DIGITS | STRING | GEOGRAPHY

NOT.3: /not(?![A-Za-z0-9_])/
BOOLEAN.3: /(?:true|false)(?![A-Za-z0-9_])/
NULL.3: /null(?![A-Za-z0-9_])/
SPECIAL.3: /(?:NaN|-?INF)(?![A-Za-z0-9_])/
_AND.3: /and(?![A-Za-z0-9_])/
_OR.3: /or(?![A-Za-z0-9_])/
OPERATOR.3: /(?:eq|ne|gt|ge|lt|le)(?![A-Za-z0-9_])/
LAMBDA.3: /\/[ \t\r\n]*+(?:any|all)[ \t\r\n]*+\(/
GEOGRAPHY.3: /geography'[^']*'/
FUNCTION.2: /[A-Za-z_][A-Za-z0-9_]{0,127}+(?:\.[A-Za-z_][A-Za-z0-9_]{0,127}+){0,3}+[ \t\r\n]*+\(/
NAME.1: /[A-Za-z_][A-Za-z0-9_]*/
DIGITS.1: /[+-]?[0-9.][0-9A-Za-z_.:+-]*/
STRING.1: /'(?:[^']|'')*+'/
%ignore /[ \t\r\n]+/
"""

_OPERATORS: dict[str, Operator] = {"eq": "eq", "ne": "ne", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
_MIRRORED: dict[str, Operator] = {"eq": "eq", "ne": "ne", "gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
_RANGES: dict[str, RangeOperator] = {"gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}

_EXACT = {word.lower(): word for word in "eq ne gt ge lt le and or not true false null NaN INF".split()}
_SYMBOLS = {"=": "eq", "==": "eq", "!=": "ne", "<>": "ne", ">": "gt", ">=": "ge", "<": "lt", "<=": "le"}
_SYMBOLS |= {"&&": "and", "&": "and", "||": "or", "|": "or", "!": "not"}
_FUNCTIONS = {
    **dict.fromkeys(("contains", "substringof", "endswith"), "search.ismatch finds words in a searchable field"),
    "startswith": "search.ismatch('abc*', 'field') finds words by their beginning",
    "in": "write search.in(field, 'a,b')",
    "any": "write field/any(x: …)",
    "all": "write field/all(x: …)",
    **{name: f"write {name}" for name in ("search.in", "geo.distance", "geo.intersects")},
}
_UNEXPECTED = {
    **{symbol: f"{symbol!r} is not an operator here; write {word!r}" for symbol, word in _SYMBOLS.items()},
    **{name: f"{name!r} is not supported; {advice}" for name, advice in _FUNCTIONS.items()},
    **{
        word: f"{word!r} is not supported; a field can only be compared with a constant"
        for word in (*"+-*%", "add", "sub", "mul", "div", "divby", "mod", "has")
    },
    "in": "the operator 'in' is not supported; write search.in(field, 'a,b')",
    '"': "put text in single quotes",
}
"""The reasons for words and signs where the grammar has none."""

_QUOTE = "'"
_AFTER_QUOTE = " after the text; a quote within text is written as two"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[=!<>&|]+")
_LAST_WORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t\r\n]*\Z")
_NEAR = 200
"""The number of characters before the error that are searched for the previous word."""


def parse(text: str) -> Filter:
    """The tree of a filter. Raises BadFilter if the text is not valid. The function never recurses."""
    try:
        tree: object = parser().parse(text)
    except UnexpectedToken as error:
        position = error.token.start_pos or 0
        raise _syntax_error(text, len(text) if error.token.type == "$END" else position) from error
    except UnexpectedCharacters as error:
        raise _syntax_error(text, error.pos_in_stream or 0) from error
    assert isinstance(tree, Filter)
    return tree


@cache
def parser() -> Lark:
    """The parser. It is made once, because making it takes time."""
    return Lark(_RULES, parser="lalr", lexer="contextual", transformer=_Build(), postlex=_Bounds())


class _Bounds(PostLex):
    """Checks the limits on tokens, nesting and clauses, and the names of functions, while a text is read. Each call of
    `process` has its own counters."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depths: list[int] = []
        depth = nots = joins = 0
        for count, token in enumerate(stream):
            if count >= MOST_TOKENS:
                raise BadFilter(f"it has more than {MOST_TOKENS} words", position=token.start_pos)
            nots = nots + 1 if token.type == "NOT" else nots
            if token.type in ("LPAR", "FUNCTION", "LAMBDA"):
                depths.append(nots + 1)
                depth, nots = depth + nots + 1, 0
            elif token.type == "RPAR" and depths:
                depth -= depths.pop()
            elif token.type in ("_AND", "_OR"):
                joins += 1
            if token.type != "NOT":
                nots = 0
            _check(token, depth + nots, joins)
            yield token


def _check(token: Token, depth: int, joins: int) -> None:
    if depth > DEEPEST:
        raise BadFilter(f"it nests deeper than {DEEPEST}", position=token.start_pos)
    if joins >= MOST_CLAUSES:
        reason = f"it has more than {MOST_CLAUSES} clauses; search.in(field, 'a,b') takes any number of values in one"
        raise BadFilter(reason, position=token.start_pos)
    if token.type == "FUNCTION" and _name(token) not in FUNCTIONS:
        name = _name(token)
        advice = f"; {_FUNCTIONS[name.lower()]}" if name.lower() in _FUNCTIONS else ""
        raise BadFilter(f"the function {name[:60]!r} is not supported{advice}", position=_start(token))


@v_args(inline=True)
class _Build(Transformer[Token, object]):
    """Builds the tree. A method has the name of a rule or an alias of the grammar, and receives the values of the
    rule's parts."""

    def disjunction(self, *filters: Filter) -> Filter | None:
        return any_of(filters)

    def conjunction(self, *filters: Filter) -> Filter | None:
        return all_of(filters)

    def negation(self, _: Token, operand: Filter) -> Filter:
        return Not(operand)

    def flag(self, path: PlacedValue[Path]) -> Filter:
        return Flag(path.value)

    def truth(self, token: Token) -> Filter:
        return Boolean(token == "true")

    def condition(self, call: PlacedValue[Measure | Test]) -> Filter:
        if isinstance(call.value, Test):
            return call.value
        raise BadFilter("geo.distance gives a number; compare it: geo.distance(…) le 10", position=call.position)

    def quantified(self, path: PlacedValue[Path], quantifier: Token, variable: Token, body: Filter) -> Filter:
        return Lambda(path.value, "any" if "any" in quantifier else "all", _variable(variable), body)

    def bare_lambda(self, path: PlacedValue[Path], quantifier: Token) -> Filter:
        if "any" in quantifier:
            return NotEmpty(path.value)
        raise BadFilter("all() needs a condition: all(x: …)", position=_start(quantifier))

    def comparison(self, left: PlacedValue[Value], operator: Token, right: PlacedValue[Value]) -> Filter:
        if isinstance(right.value, Constant):
            return _compare(left, _OPERATORS[operator], right.value)
        if isinstance(left.value, Constant):
            return _compare(right, _MIRRORED[operator], left.value)
        if isinstance(left.value, Path) and isinstance(right.value, Path):
            reason = "comparing two fields is not allowed; if the right side is meant as text, put it in quotes"
            word = str(right.value)
            if word.lower() in _EXACT:
                raise BadFilter(_misspelt(word), position=right.position)
            raise BadFilter(f"{reason}: {str(left.value)[:60]} {operator} '{word[:60]}'", position=right.position)
        if isinstance(left.value, Point | Polygon) or isinstance(right.value, Point | Polygon):
            raise BadFilter("a place cannot be compared; use geo.distance or geo.intersects", position=right.position)
        raise BadFilter("one side of a comparison must be a constant", position=right.position)

    def negated_comparison(self, _: Filter, operator: Token, right: PlacedValue[Value]) -> Filter:
        word = str(operator)
        reason = f"'not' binds tighter than {word!r}, so it would negate a value; put the comparison in parentheses"
        raise BadFilter(f"{reason}: not (… {word} …)", position=_start(operator))

    def compared_condition(self, _: Filter, operator: Token, right: PlacedValue[Value]) -> Filter:
        reason = "a condition in parentheses, any() or all() cannot be compared; use it, or 'not' before it"
        raise BadFilter(reason, position=_start(operator))

    def function(self, name: Token, *arguments: PlacedValue[Value]) -> PlacedValue[Measure | Test]:
        values = [argument.value for argument in arguments]
        return PlacedValue(call(_name(name), values, _start(name)), _start(name))

    def path(self, *names: Token) -> PlacedValue[Path]:
        if len(names) > MOST_NAMES:
            raise BadFilter(f"a path has at most {MOST_NAMES} names", position=_start(names[0]))
        return PlacedValue(Path((_variable(names[0]), *map(_checked_name, names[1:]))), _start(names[0]))

    def constant(self, token: Token) -> PlacedValue[Value]:
        position = _start(token)
        return PlacedValue(_CONSTANTS[token.type](token, position), position)


_CONSTANTS: dict[str, Callable[[Token, int], Value]] = {
    "STRING": lambda token, _: String(token[1:-1].replace("''", "'")),
    "DIGITS": digits,
    "GEOGRAPHY": geography,
    "SPECIAL": lambda token, _: Float(float(token)),
    "BOOLEAN": lambda token, _: Boolean(token == "true"),
    "NULL": lambda token, _: Null(),
}


def _compare(subject: PlacedValue[Value], operator: Operator, constant: Constant) -> Filter:
    match subject.value:
        case Path() as path:
            return Compare(path, operator, constant)
        case Measure() as measure:
            return _distance(measure, operator, constant, subject.position)
        case In() | IsMatch() | Intersects() as test:
            if operator in _RANGES or not isinstance(constant, Boolean):
                reason = "a test can only be compared with true or false, by 'eq' or 'ne'"
                raise BadFilter(reason, position=subject.position)
            return test if constant.value == (operator == "eq") else Not(test)
        case Point() | Polygon():
            raise BadFilter("a place cannot be compared; use geo.distance or geo.intersects", position=subject.position)
        case _:
            raise BadFilter("comparing two constants is not allowed", position=subject.position)


def _distance(measure: Measure, operator: Operator, constant: Constant, position: int) -> Filter:
    if operator not in _RANGES:
        raise BadFilter("a distance is compared by 'lt', 'le', 'gt' or 'ge'", position=position)
    if not isinstance(constant, Integer | Float):
        raise BadFilter("a distance is compared with a number of kilometres", position=position)
    return Distance(measure.path, measure.point, _RANGES[operator], Float(float(constant.value)))


def _variable(token: Token) -> str:
    if token in RESERVED:
        raise BadFilter(f"{str(token)!r} cannot be the name of a field here", position=token.start_pos)
    return _checked_name(token)


def _checked_name(token: Token) -> str:
    if len(token) > LONGEST_NAME:
        raise BadFilter(f"a name has at most {LONGEST_NAME} characters", position=token.start_pos)
    return str(token)


def _name(token: Token) -> str:
    return token[:-1].rstrip(" \t\r\n")


def _start(token: Token) -> int:
    return token.start_pos or 0


def _syntax_error(text: str, position: int) -> BadFilter:
    """The error for a text with a syntax error at `position`."""
    if not text.strip(" \t\r\n"):
        return BadFilter("it is empty", position=0)
    before = _LAST_WORD.search(text, max(0, position - _NEAR), position)
    previous = before[1] if before else ""
    if previous not in _EXACT.values() and previous.lower() in _EXACT and position < len(text):
        return BadFilter(_misspelt(previous), position=position)
    if position >= len(text):
        return BadFilter("it ends too early", position=len(text))
    return BadFilter(_reason(text, position, previous), position=position)


def _misspelt(word: str) -> str:
    return f"{word!r} is not known; operators and constants are case-sensitive: write {_EXACT[word.lower()]!r}"


def _reason(text: str, position: int, previous: str) -> str:
    match = _WORD.match(text, position)
    word = match[0][:60] if match else text[position]
    if word == _QUOTE:
        return _about_quote(text, position, previous)
    if GUID.search(text, max(0, position - 8), position + 28):
        return "put a GUID in single quotes, since the index holds it as text"
    if word in _UNEXPECTED:
        return _UNEXPECTED[word]
    if word not in _EXACT.values() and word.lower() in _EXACT:
        return _misspelt(word)
    return f"unexpected {word!r}{_AFTER_QUOTE if text[position - 1 : position] == _QUOTE else ''}"


def _about_quote(text: str, position: int, previous: str) -> str:
    if previous and text[position - 1] == previous[-1]:
        return f"constants of type {previous[:60]!r} are not supported"
    if text[position - 1 : position] == _QUOTE:
        return f"unexpected quote{_AFTER_QUOTE}"
    is_closed = text.count(_QUOTE, position) % 2 == 0
    return (
        "unexpected text; an operator is missing before it" if is_closed else "text is not closed; a quote is missing"
    )
