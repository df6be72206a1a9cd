"""The part of a filter that an index can answer. It selects every document that the whole filter selects, and sometimes
more.

`$filter` has no `like`. If a field indexes each value as one lower-case token, a regex search replaces the `like`. For
other fields, a test that the field has a value replaces the `like`. A `not` or a lambda that contains a `like` may be
left out. If the part is not exact, the whole filter must be evaluated again on the results.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from retrieval.errors import UnsupportedFilter
from retrieval.filters.patterns import fold
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.tree import (
    And,
    Boolean,
    Compare,
    Filter,
    Flag,
    In,
    IsMatch,
    Lambda,
    Like,
    Not,
    NotEmpty,
    Null,
    Or,
    Path,
    all_of,
    any_of,
    walk,
)

SIDE = "The index"

Fields: TypeAlias = Mapping[Path, MappedField]


@dataclass(frozen=True, slots=True)
class Pushdown:
    """`filter` is the part of a filter for the index; None selects every document. If `exact` is false, `filter` may
    select too many documents."""

    filter: Filter | None
    exact: bool


_LATER = Pushdown(None, False)


def push(filter: Filter, fields: FieldMap) -> Pushdown:
    """The part of `filter` for the index. Raises UnsupportedFilter if this part is not exact and a field in the filter
    is not retrievable."""
    by_path = {field.path: field for field in fields.values()}
    pushdown = _push(filter, by_path)
    if not pushdown.exact:
        _check_retrievable(filter, by_path)
    return pushdown


def _push(filter: Filter, fields: Fields) -> Pushdown:
    match filter:
        case And(operands) | Or(operands):
            parts = [_push(operand, fields) for operand in operands]
            filters = [part.filter for part in parts if part.filter is not None]
            whole = (
                all_of(filters) if isinstance(filter, And) else any_of(filters if len(filters) == len(parts) else ())
            )
            return Pushdown(whole, all(part.exact for part in parts))
        case Not(operand):
            inner = _push(operand, fields)
            return (
                Pushdown(Boolean(False) if inner.filter is None else Not(inner.filter), True) if inner.exact else _LATER
            )
        case Like(path):
            return _like(filter, fields.get(path), path)
        case Lambda(path, "any", _, Like() as like):
            return _like(like, fields.get(path), path)
        case Lambda(body=body) if any(isinstance(node, Like) for node in walk(body)):
            return _LATER
        case _:
            return Pushdown(filter, True)


def _like(like: Like, field: MappedField | None, path: Path) -> Pushdown:
    """The search for a pattern if the index can answer it, otherwise a test that the field has a value."""
    if field is not None and field.whole_token:
        return Pushdown(_search(like, str(path)), _is_exact(like))
    if field is not None and field.collection:
        return Pushdown(NotEmpty(path), False)
    return Pushdown(Compare(path, "ne", Null()), False)


def _check_retrievable(filter: Filter, fields: Fields) -> None:
    hidden = {path for path, field in fields.items() if not field.retrievable}
    for node in walk(filter):
        if isinstance(node, Compare | In | Like | Lambda | NotEmpty | Flag) and node.path in hidden:
            raise UnsupportedFilter(
                f"a pattern beside a test of {str(node.path)!r}, which it does not return", side=SIDE
            )


def _search(like: Like, field: str) -> IsMatch:
    """The full-text search for a pattern, as a Lucene regex. The field must index each value as one lower-case token.
    https://learn.microsoft.com/azure/search/query-lucene-syntax#bkmk_regex"""
    parts = [
        ".*" if character == "%" else "." if character == "_" else _literal(character)
        for character in fold(like.pattern)
    ]
    return IsMatch(search=f"/{''.join(parts)}/", fields=(field,), query_type="full")


def _is_exact(like: Like) -> bool:
    """Whether `search` finds exactly the values that fit the pattern. This needs `ignore_case`, and a pattern whose
    non-ASCII characters have no case."""
    return like.ignore_case and all(
        character.isascii() or character.lower() == character.upper() for character in like.pattern
    )


def _literal(character: str) -> str:
    return character if character.isalnum() else f"\\{character}"
