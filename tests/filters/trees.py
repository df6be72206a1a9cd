"""Trees and hotels for Hypothesis: any tree at all, and trees that fit the hotels' index."""

import math

from hypothesis import strategies as st

from retrieval.filters import moment, tree
from retrieval.filters.tree import (
    Boolean,
    Compare,
    DateTimeOffset,
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
    Quantifier,
    RangeOperator,
    String,
)

EQUALITIES: list[Operator] = ["eq", "ne"]
RANGES: list[RangeOperator] = ["gt", "ge", "lt", "le"]
OPERATORS: list[Operator] = [*EQUALITIES, *RANGES]
QUANTIFIERS: list[Quantifier] = ["any", "all"]


def joined(leaves: st.SearchStrategy[Filter], *, most: int) -> st.SearchStrategy[Filter]:
    """Leaves under `not`, `and` and `or`, in the one canonical form."""
    return st.recursive(leaves, _more, max_leaves=most)


def _more(children: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    some = st.lists(children, min_size=2, max_size=4)
    return children.map(Not) | some.map(_all_of) | some.map(_any_of)


def _all_of(filters: list[Filter]) -> Filter:
    return tree.all_of(filters) or Boolean(True)


def _any_of(filters: list[Filter]) -> Filter:
    return tree.any_of(filters) or Boolean(False)


_hostile = st.text() | st.sampled_from(
    [
        "'",
        "''",
        "' or true or a eq '",
        "%27",
        "a' b",
        "(",
        ")",
        "\\'",
        "\x00",
        "\n",
        "\u2028",
        "名前",
        "\U0001f600",
        "|",
        ", ",
    ]
)
_words = ["any", "all", "and", "or", "eq", "in", "geography", "search", "truex", "nullable", "NaNs", "a", "_", "x9"]
_names = st.sampled_from(_words) | st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True).filter(
    lambda name: name not in {"not", "true", "false", "null", "NaN", "INF"}
)
_paths = st.lists(_names, min_size=1, max_size=4).map(lambda names: Path(tuple(names)))
_longitudes = st.floats(-180, 180)
_points = st.builds(Point, _longitudes, st.floats(-90, 90))
_polygons = st.lists(_points, min_size=3, max_size=6).map(lambda points: Polygon((*points, points[0])))
_constants = (
    st.builds(String, _hostile)
    | st.builds(Integer, st.integers(-(2**63), 2**63 - 1))
    | st.builds(Float, st.floats())
    | st.builds(Boolean, st.booleans())
    | st.just(Null())
    | st.builds(DateTimeOffset, st.integers(0, moment.LAST))
)
_plain_name = st.text(min_size=1).filter(lambda name: "," not in name and name == name.strip(" "))
_leaves = (
    st.builds(Compare, _paths, st.sampled_from(OPERATORS), _constants)
    | st.builds(Flag, _paths)
    | st.builds(Boolean, st.booleans())
    | st.builds(In, _paths, st.lists(_hostile.filter(bool), max_size=5).map(tuple))
    | st.builds(
        IsMatch,
        search=_hostile,
        fields=st.lists(_plain_name, max_size=3).map(tuple),
        query_type=st.sampled_from(["simple", "full"]),
        mode=st.sampled_from(["any", "all"]),
        scoring=st.booleans(),
    )
    | st.builds(Distance, _paths, _points, st.sampled_from(RANGES), st.builds(Float, st.floats()))
    | st.builds(Intersects, _paths, _polygons)
    | st.builds(NotEmpty, _paths)
)
any_tree: st.SearchStrategy[Filter] = st.recursive(
    _leaves,
    lambda children: _more(children) | st.builds(Lambda, _paths, st.sampled_from(QUANTIFIERS), _names, children),
    max_leaves=12,
)
"""Whatever the dialect can say, fitting or not."""


def _compare(
    path: str, constants: st.SearchStrategy[tree.Constant], operators: list[Operator]
) -> st.SearchStrategy[Filter]:
    names = Path(tuple(path.split("/")))
    valued = st.builds(Compare, st.just(names), st.sampled_from(operators), constants)
    return valued | st.builds(Compare, st.just(names), st.sampled_from(EQUALITIES), st.just(Null()))


_texts = st.sampled_from(["wifi", "pool", "tub", "Deluxe", "x,y", ""])
_wholes = st.integers(-2, 6)
_reals = st.sampled_from([-1.0, 0.0, 60.0, 60.5, 199.5, math.inf, -math.inf, math.nan])
_seconds = st.integers(0, 5).map(lambda day: moment.ticks(f"2020-01-0{day + 1}T00:00:00Z"))
_globe = st.builds(Point, st.integers(-3, 3).map(float), st.integers(40, 43).map(float))
_reach = st.sampled_from([50.5, 137.5, 333.5]).map(Float)
_areas = st.sampled_from(
    [((-1.5, 39.5), (1.5, 39.5), (1.5, 42.5), (-1.5, 42.5)), ((-2.5, 40.5), (2.5, 40.5), (0.5, 43.5), (-1.5, 42.5))]
).map(lambda corners: Polygon(tuple(Point(*corner) for corner in (*corners, corners[0]))))


def _over(prefix: str) -> st.SearchStrategy[Filter]:
    """Tests of the plain fields, of a hotel or of a room (which has some of them under the same names)."""
    path = Path((*prefix.split("/"), "open") if prefix else ("open",))
    at = f"{prefix}/" if prefix else ""
    ranged = EQUALITIES if prefix else OPERATORS
    return (
        _compare(f"{at}name", st.builds(String, _texts), ranged)
        | _compare(f"{at}rating", st.builds(Integer, _wholes) | st.just(Float(2.5)), OPERATORS)
        | _compare(f"{at}price", st.builds(Float, _reals) | st.builds(Integer, _wholes), OPERATORS)
        | _compare(f"{at}open", st.builds(Boolean, st.booleans()), EQUALITIES)
        | _compare(f"{at}renovated", st.builds(DateTimeOffset, _seconds), OPERATORS)
        | st.just(Flag(path))
        | st.builds(In, st.just(Path((*path.names[:-1], "name"))), st.lists(_texts.filter(bool), max_size=3).map(tuple))
        | st.builds(Distance, st.just(Path((*path.names[:-1], "location"))), _globe, st.sampled_from(RANGES), _reach)
        | st.builds(Intersects, st.just(Path((*path.names[:-1], "location"))), _areas)
        | st.just(NotEmpty(Path((*path.names[:-1], "tags"))))
        | _tagged(Path((*path.names[:-1], "tags")))
    )


def _tagged(path: Path) -> st.SearchStrategy[Filter]:
    tag = _texts.map(lambda text: Compare(Path(("t",)), "eq", String(text)))
    some = st.lists(tag, min_size=1, max_size=3)
    any_tag = some.map(lambda tests: Lambda(path, "any", "t", _any_of([*tests])))
    return any_tag | some.map(lambda tests: Lambda(path, "all", "t", _all_of([Not(test) for test in tests])))


_in_rooms = st.builds(
    Lambda, st.just(Path(("rooms",))), st.sampled_from(QUANTIFIERS), st.just("r"), joined(_over("r"), most=3)
)
fitting_tree: st.SearchStrategy[Filter] = joined(_over("") | _in_rooms | st.builds(Boolean, st.booleans()), most=8)
"""What `bind` takes over STAYS, without full-text search."""


def _row(more: dict[str, st.SearchStrategy[object]]) -> st.SearchStrategy[dict[str, object]]:
    point = st.builds(lambda x, y: {"type": "Point", "coordinates": [x, y]}, st.integers(-3, 3), st.integers(40, 43))
    fields: dict[str, st.SearchStrategy[object]] = {
        "name": _texts,
        "rating": _wholes,
        "price": st.sampled_from([-1.0, 0, 60, 60.5, "NaN", "INF", "-INF"]),
        "open": st.booleans(),
        "renovated": _seconds.map(moment.text),
        "location": point,
        "tags": st.lists(_texts, max_size=3),
    }
    return st.fixed_dictionaries({}, optional={name: st.none() | one for name, one in (fields | more).items()})


stays: st.SearchStrategy[dict[str, object]] = _row({"rooms": st.lists(_row({}), max_size=3)})
"""Documents over which a fitting tree makes sense."""
