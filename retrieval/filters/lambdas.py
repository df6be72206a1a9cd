"""The tests that a lambda may have over a collection of plain values.

Azure AI Search answers such filters from inverted indexes. Therefore, for texts and points, `any` allows only tests
that a look-up answers, and `all` allows only the opposite tests. Source of the rules:
https://learn.microsoft.com/azure/search/search-query-troubleshoot-collection-filters. Before the check, the negations
of a body are moved down to the single tests.
"""

from typing import Literal, NamedTuple, TypeAlias

from retrieval.errors import BadFilter
from retrieval.filters.schema import FieldType
from retrieval.filters.tree import And, Compare, Distance, Filter, Flag, In, Intersects, Not, Or, Quantifier

Sense: TypeAlias = Literal["equal", "unequal", "range", "near", "far", "inside", "outside"]
Word: TypeAlias = Literal["and", "or"]


class Junction(NamedTuple):
    """Two or more parts, joined by AND or by OR. If a part is a Junction too, it has the other operator."""

    word: Word
    parts: tuple["Shape", ...]


Shape: TypeAlias = Sense | Junction

_OPPOSITES: dict[Sense, Sense] = {
    "equal": "unequal",
    "unequal": "equal",
    "range": "range",
    "near": "far",
    "far": "near",
    "inside": "outside",
    "outside": "inside",
}
_OTHER: dict[Word, Word] = {"and": "or", "or": "and"}
_OUTER: dict[Quantifier, Word] = {"any": "or", "all": "and"}
_ALLOWED: dict[tuple[FieldType, Quantifier], tuple[set[Sense], str]] = {
    ("Edm.String", "any"): ({"equal"}, "'x eq …' or search.in(x, …)"),
    ("Edm.String", "all"): ({"unequal"}, "'x ne …', 'not (x eq …)' or 'not search.in(x, …)'"),
    ("Edm.GeographyPoint", "any"): ({"near", "inside"}, "geo.distance with 'lt' or 'le', or geo.intersects"),
    ("Edm.GeographyPoint", "all"): ({"far", "outside"}, "geo.distance with 'gt' or 'ge', or 'not geo.intersects'"),
}


def check(body: Filter, quantifier: Quantifier, type: FieldType) -> None:
    """Raises BadFilter if a lambda with this quantifier may not have this `body`. `type` is the type of the elements,
    which is never Edm.ComplexType."""
    shape = _shape(body, False)
    if type == "Edm.Boolean":
        _single(shape)
    elif (type, quantifier) in _ALLOWED:
        _uniform(shape, quantifier, type)
    else:
        _normal_form(shape, quantifier, type)


def _single(shape: Shape) -> None:
    if isinstance(shape, Junction):
        raise BadFilter("a lambda over Collection(Edm.Boolean) holds one test, without 'and' and 'or'")


def _uniform(shape: Shape, quantifier: Quantifier, type: FieldType) -> None:
    senses, advice = _ALLOWED[type, quantifier]
    word = _OUTER[quantifier]
    parts = shape.parts if isinstance(shape, Junction) else (shape,)
    if isinstance(shape, Junction) and (shape.word != word or any(isinstance(part, Junction) for part in parts)):
        raise BadFilter(f"within {quantifier}() over Collection({type}), tests can only be joined by {word!r}")
    if not all(part in senses for part in parts):
        raise BadFilter(f"within {quantifier}() over Collection({type}), a test must have the form {advice}")


def _normal_form(shape: Shape, quantifier: Quantifier, type: FieldType) -> None:
    """Checks that the body of `any` has ORs outside and ANDs inside, and that the body of `all` has the reverse. An
    inner group of `any` may not have `ne`, and an inner group of `all` may not have `eq`. The search service cannot
    answer such a group with one look-up. Raises BadFilter."""
    outer = _OUTER[quantifier]
    too_wide: Sense = "unequal" if quantifier == "any" else "equal"
    parts = shape.parts if isinstance(shape, Junction) and shape.word == outer else (shape,)
    for part in parts:
        if isinstance(part, Junction) and any(isinstance(inner, Junction) or inner == too_wide for inner in part.parts):
            form = f"{outer.upper()}s of {_OTHER[outer].upper()}s"
            operator = "ne" if quantifier == "any" else "eq"
            reason = f"conditions must be {form}, and {operator!r} cannot be joined by {_OTHER[outer]!r}"
            raise BadFilter(f"within {quantifier}() over Collection({type}), {reason}")


def _shape(filter: Filter, negated: bool) -> Shape:
    match filter:
        case Not(operand):
            return _shape(operand, not negated)
        case And(operands) | Or(operands):
            written_word: Word = "and" if isinstance(filter, And) else "or"
            word = _OTHER[written_word] if negated else written_word
            shapes = [_shape(operand, negated) for operand in operands]
            parts = [
                inner.parts if isinstance(inner, Junction) and inner.word == word else (inner,) for inner in shapes
            ]
            return Junction(word, tuple([part for group in parts for part in group]))
        case _:
            sense = _sense(filter)
            return _OPPOSITES[sense] if negated else sense


def _sense(test: Filter) -> Sense:
    match test:
        case Compare(operator="eq") | In() | Flag():
            return "equal"
        case Compare(operator="ne"):
            return "unequal"
        case Compare():
            return "range"
        case Distance(operator="lt" | "le"):
            return "near"
        case Distance():
            return "far"
        case Intersects():
            return "inside"
        case _:
            raise BadFilter("within any() and all() over plain values, each test must be about the range variable")
