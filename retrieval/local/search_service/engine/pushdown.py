"""A `$filter` as a query of the text engine, as far as `columns` can answer it.

`split` gives what the engine takes, and what is left to be tested document by document: geography, full-text search,
order of strings, lambdas over complex objects, and lambdas that ask more of one element than a look-up.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import tantivy

from retrieval.filters.tree import (
    And,
    Boolean,
    Compare,
    Constant,
    DateTimeOffset,
    Filter,
    Flag,
    Float,
    In,
    Integer,
    Lambda,
    Not,
    NotEmpty,
    Null,
    Or,
    Path,
    RangeOperator,
    String,
    all_of,
)
from retrieval.local.search_service.engine.columns import NULL, Column, Columns, Number, spelt

Pushed: TypeAlias = tantivy.Query

_FEW = 24  # terms that are looked up one by one; more of them in one pass over the dictionary

_LEAST, _MOST = -(2**63), 2**63 - 1


class Pushdown:
    """For the columns and the schema of one text index."""

    def __init__(self, columns: Columns, schema: tantivy.Schema) -> None:
        self._columns = columns
        self._schema = schema

    def split(self, filter: Filter) -> tuple[Pushed | None, Filter | None]:
        """A query and a filter that together pass what `filter`, which is bound to the index, passes."""
        operands = _merged(filter.operands, widest=False) if isinstance(filter, And) else [filter]
        pushed: list[Pushed] = []
        left: list[Filter] = []
        for operand in operands:
            query = self._push(operand)
            if query is None:
                left.append(operand)
            else:
                pushed.append(query)
        return (_all(pushed) if pushed else None), all_of(left)

    def _push(self, filter: Filter) -> Pushed | None:
        """None where the engine cannot answer exactly."""
        match filter:
            case And(operands):
                parts = self._each(_merged(operands, widest=False))
                return None if parts is None else _all(parts)
            case Or(operands):
                parts = self._each(_merged(operands, widest=True))
                return None if parts is None else _any(parts)
            case Not(operand):
                return _not(self._push(operand))
            case Boolean(value):
                return tantivy.Query.all_query() if value else tantivy.Query.empty_query()
            case Lambda():
                return self._lambda(filter)
            case Compare() | Flag() | In() | NotEmpty():
                column = self._column(filter.path)
                return None if column is None else self._leaf(filter, column)
            case _:
                return None

    def _each(self, operands: Iterable[Filter]) -> list[Pushed] | None:
        parts: list[Pushed] = []
        for operand in operands:
            part = self._push(operand)
            if part is None:
                return None
            parts.append(part)
        return parts

    def _column(self, path: Path) -> Column | None:
        return self._columns.get(str(path))

    def _leaf(self, leaf: Compare | Flag | In | NotEmpty, column: Column) -> Pushed | None:
        match leaf:
            case Flag():
                return self._among(column, ["vTrue"])
            case In(_, values):
                return self._among(column, [f"v{value}" for value in values])
            case NotEmpty():
                return _not(self._among(column, [NULL]))
            case Compare(_, "eq", constant):
                return self._among(column, _terms(constant))
            case Compare(_, "ne", constant):
                return _not(self._among(column, _terms(constant)))
            case Compare(_, ("gt" | "ge" | "lt" | "le") as operator, constant):
                return self._range(column, operator, constant)
            case _:
                return None

    def _lambda(self, node: Lambda) -> Pushed | None:
        column = self._column(node.path)
        if column is None:
            return None
        if node.quantifier == "any":
            return self._some(node.body, column, negated=False)
        return _not(self._some(node.body, column, negated=True))

    def _some(self, body: Filter, column: Column, *, negated: bool) -> Pushed | None:
        """Documents with an element that `body` passes (or, negated, does not pass)."""
        match body:
            case Not(operand):
                return self._some(operand, column, negated=not negated)
            case And(operands) | Or(operands) if isinstance(body, And) == negated:
                parts = [self._some(operand, column, negated=negated) for operand in operands]
                found = [part for part in parts if part is not None]
                return _any(found) if len(found) == len(parts) else None
            case Compare(path, "ne", constant) if negated:
                return self._element(Compare(path, "eq", constant), column)
            case Compare() | In() | Flag() if not negated and not (isinstance(body, Compare) and body.operator == "ne"):
                return self._element(body, column)
            case _:
                return None

    def _element(self, test: Compare | In | Flag, column: Column) -> Pushed | None:
        if isinstance(test, Compare) and isinstance(test.constant, Null):
            return None
        return self._leaf(test, column)

    def _among(self, column: Column, terms: Sequence[str]) -> Pushed:
        if len(terms) > _FEW:
            return tantivy.Query.term_set_query(self._schema, column.terms, list(terms))
        return _any([tantivy.Query.term_query(self._schema, column.terms, term, "basic") for term in terms])

    def _range(self, column: Column, operator: RangeOperator, constant: Constant) -> Pushed | None:
        if column.numbers is None:
            return None
        match constant:
            case Integer(value) | Float(value) | DateTimeOffset(value):
                pass
            case _:
                return None
        bound: Number = _whole(value, operator) if column.whole else value
        if bound != bound:
            return tantivy.Query.empty_query()
        upward = operator in ("gt", "ge")
        if column.whole and not _LEAST <= bound <= _MOST:
            return tantivy.Query.empty_query() if upward == (bound > 0) else _not(self._among(column, [NULL]))
        return tantivy.Query.range_query(
            self._schema,
            column.numbers,
            tantivy.FieldType.Integer if column.whole else tantivy.FieldType.Float,
            lower_bound=bound if upward else None,
            upper_bound=None if upward else bound,
            include_lower=operator != "gt",
            include_upper=operator != "lt",
        )


def _merged(operands: Iterable[Filter], *, widest: bool) -> list[Filter]:
    """One range for all that bound the same field on the same side: the widest under `or`, the narrowest under `and`.

    A range costs a pass over a column, so thousands of them would take seconds.
    """
    ranges: dict[tuple[Path, str], tuple[Number, Compare]] = {}
    others: list[Filter] = []
    for one in operands:
        match one:
            case Compare(
                path, ("gt" | "ge" | "lt" | "le") as side, Integer(value) | Float(value) | DateTimeOffset(value)
            ):
                known = ranges.get((path, side))
                lower = (side in ("gt", "ge")) == widest
                if value != value:
                    others.append(one)
                elif known is None or (value < known[0] if lower else value > known[0]):
                    ranges[path, side] = value, one
            case _:
                others.append(one)
    return [*others, *(one for _, one in ranges.values())]


def _whole(value: Number, operator: RangeOperator) -> int:
    """The whole number that bounds whole numbers as `value` does."""
    return math.floor(value) if operator in ("gt", "le") else math.ceil(value)


def _terms(constant: Constant) -> list[str]:
    match constant:
        case Null():
            return [NULL]
        case String(value):
            return [f"v{value}"]
        case Boolean(truth):
            return [f"v{truth}"]
        case Integer(number) | Float(number) | DateTimeOffset(number):
            term = spelt(number)
            return [] if term is None else [term]


def _all(parts: Sequence[Pushed]) -> Pushed:
    if len(parts) == 1:
        return parts[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, part) for part in parts])


def _any(parts: Sequence[Pushed]) -> Pushed:
    if not parts:
        return tantivy.Query.empty_query()
    if len(parts) == 1:
        return parts[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])


def _not(part: Pushed | None) -> Pushed | None:
    if part is None:
        return None
    everything = tantivy.Query.all_query()
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, everything), (tantivy.Occur.MustNot, part)])
