"""Five hotels and the fields that a filter may name: one of every type, with nulls, NaN and empty collections."""

from collections.abc import Callable, Mapping

from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import IsMatch

FIELDS = (
    Field(name="id", type="Edm.String"),
    Field(name="name", type="Edm.String"),
    Field(name="category", type="Edm.String"),
    Field(name="notes", type="Edm.String", filterable=False),
    Field(name="rating", type="Edm.Int32"),
    Field(name="stock", type="Edm.Int64"),
    Field(name="price", type="Edm.Double"),
    Field(name="open", type="Edm.Boolean"),
    Field(name="renovated", type="Edm.DateTimeOffset"),
    Field(name="location", type="Edm.GeographyPoint"),
    Field(name="tags", type="Edm.String", collection=True),
    Field(name="hidden", type="Edm.String", collection=True, filterable=False),
    Field(name="scores", type="Edm.Int32", collection=True),
    Field(name="margins", type="Edm.Double", collection=True),
    Field(name="flags", type="Edm.Boolean", collection=True),
    Field(name="visits", type="Edm.DateTimeOffset", collection=True),
    Field(name="places", type="Edm.GeographyPoint", collection=True),
    Field(
        name="address",
        type="Edm.ComplexType",
        fields=(
            Field(name="city", type="Edm.String"),
            Field(name="zip", type="Edm.String", filterable=False),
        ),
    ),
    Field(
        name="rooms",
        type="Edm.ComplexType",
        collection=True,
        fields=(
            Field(name="type", type="Edm.String"),
            Field(name="rate", type="Edm.Double"),
            Field(name="beds", type="Edm.Int32"),
            Field(name="smoking", type="Edm.Boolean"),
            Field(name="tags", type="Edm.String", collection=True),
            Field(
                name="extras",
                type="Edm.ComplexType",
                collection=True,
                fields=(Field(name="name", type="Edm.String"),),
            ),
        ),
    ),
    Field(name="allowed", type="Edm.Boolean"),
    Field(name="nullable", type="Edm.String"),
    Field(name="trueCost", type="Edm.Double"),
    Field(name="eq", type="Edm.Int32"),
)

SCHEMA: Schema = {field.name: field for field in FIELDS}


def _point(longitude: float, latitude: float) -> dict[str, object]:
    return {"type": "Point", "coordinates": [longitude, latitude]}


HOTELS: tuple[dict[str, object], ...] = (
    {
        "id": "a",
        "name": "Sea View",
        "category": "Luxury",
        "rating": 5,
        "stock": 9007199254740993,
        "price": 199.5,
        "open": True,
        "renovated": "2015-06-01T00:00:00Z",
        "location": _point(-122.13, 47.67),
        "tags": ["wifi", "pool"],
        "scores": [1, 5, 9],
        "flags": [True, False],
        "visits": ["2020-01-01T00:00:00Z", "2021-06-01T00:00:00Z"],
        "places": [_point(-122.13, 47.67), _point(-122.05, 47.5)],
        "address": {"city": "Seattle"},
        "rooms": [
            {"type": "Deluxe", "rate": 120.0, "beds": 2, "smoking": False, "tags": ["wifi", "tub"]}
            | {"extras": [{"name": "view"}]},
            {"type": "Standard", "rate": 80.0, "beds": 1, "smoking": True, "tags": []},
        ],
        "allowed": True,
        "eq": 1,
    },
    {
        "id": "b",
        "name": "O'Hare Inn",
        "category": "Budget",
        "rating": 3,
        "price": 60.0,
        "open": False,
        "renovated": "2009-12-31T23:30:00-08:00",
        "location": _point(2.35, 48.86),
        "tags": ["wifi"],
        "scores": [4],
        "flags": [True],
        "visits": ["2019-05-05T00:00:00Z"],
        "places": [_point(2.35, 48.86)],
        "address": {"city": "Paris"},
        "rooms": [{"type": "Standard", "rate": 55.0, "beds": 1, "smoking": False, "tags": ["wifi"]}],
        "nullable": "x",
    },
    {"id": "c"},
    {
        "id": "d",
        "name": None,
        "category": "luxury",
        "rating": 0,
        "price": "NaN",
        "open": None,
        "location": None,
        "tags": [],
        "scores": [],
        "flags": [],
        "address": None,
        "rooms": [],
    },
    {
        "id": "e",
        "name": "東京 ホテル",
        "category": "Budget",
        "rating": -2,
        "stock": 9007199254740992,
        "price": "INF",
        "open": True,
        "renovated": "2020-02-29T12:00:00.1234567Z",
        "location": _point(179.5, 65.5),
        "tags": ["pool", "a b", "x,y"],
        "scores": [5, 5],
        "flags": [False, False],
        "address": {"city": "Tokyo"},
        "rooms": [
            {"type": "Deluxe", "rate": 300.0, "beds": 2, "smoking": False, "tags": ["tub"]},
            {"type": None, "beds": 3},
        ],
        "trueCost": 1.5,
    },
)


def matches(test: IsMatch) -> Callable[[Mapping[str, object]], bool]:
    """A text index in one line: it searches the word in the name."""
    return lambda hotel: test.search.lower() in str(hotel.get("name")).lower().split()
