"""The hotels that Microsoft's tests look for: an index definition and two sets of documents, of our own writing.

The tests fix some facts of the small set: ten hotels with the keys 1 to 10; seven are found by "hotel" and two by
"motel" (2 and 9, whose suggested texts the tests spell out); "WiFi" finds four of the category Budget and one of
Luxury. The large set has sixty.
"""

from typing import Any

JsonObject = dict[str, Any]

_PLACES = ("harbour", "old town", "market", "river", "station", "upper park")
_KINDS = ("inn", "guest house", "lodge", "pension", "hostel")


def schema() -> JsonObject:
    """An index with every kind of field, a suggester and a scoring profile."""
    return {
        "name": "hotels-of-our-own",
        "fields": [
            {"name": "hotelId", "type": "Edm.String", "key": True, "searchable": False},
            {"name": "hotelName", "type": "Edm.String", "facetable": False},
            _text("description", "en.lucene"),
            _text("descriptionFr", "fr.lucene"),
            {"name": "category", "type": "Edm.String"},
            {"name": "tags", "type": "Collection(Edm.String)"},
            {"name": "parkingIncluded", "type": "Edm.Boolean"},
            {"name": "smokingAllowed", "type": "Edm.Boolean"},
            {"name": "lastRenovationDate", "type": "Edm.DateTimeOffset"},
            {"name": "rating", "type": "Edm.Int32"},
            {"name": "location", "type": "Edm.GeographyPoint"},
            {"name": "address", "type": "Edm.ComplexType", "fields": _address_fields()},
            {"name": "rooms", "type": "Collection(Edm.ComplexType)", "fields": _room_fields()},
        ],
        "scoringProfiles": [
            {
                "name": "near",
                "functionAggregation": "sum",
                "functions": [
                    {
                        "type": "distance",
                        "fieldName": "location",
                        "boost": 2.0,
                        "distance": {"referencePointParameter": "here", "boostingDistance": 100.0},
                    }
                ],
            }
        ],
        "suggesters": [
            {"name": "sg", "searchMode": "analyzingInfixMatching", "sourceFields": ["description", "hotelName"]}
        ],
    }


def small() -> list[JsonObject]:
    return [
        _hotel("1", "The Gilded Oar", "A hotel of marble and mirrors with a rowing pool.", "Luxury", ["pool", "wifi"]),
        _hotel("2", "Roadside Motel", "Cheapest hotel in town. Infact, a motel.", "Budget", ["parking"]),
        _hotel("3", "Three Chimneys", "Small hotel above a bakery; it smells of bread.", "Budget", ["wifi", "bakery"]),
        _hotel("4", "Canal House", "The hotel where barges stop for the night.", "Budget", ["wifi", "boats"]),
        _hotel("5", "Ladder Inn", "Hotels like this one have no lift and fine stairs.", "Budget", ["wifi"]),
        {
            "hotelId": "6",
            "description": "A model of thrift: one lamp a room.",
            "descriptionFr": "Une lampe par chambre.",
        },
        {"hotelId": "7", "hotelName": "Plain View", "description": "Clean, quiet, cheap, and far from the moderns."},
        {"hotelId": "8", "description": "The cook picks morels in the wood behind the house."},
        {
            **_hotel("9", "Secret Point Motel", "The hotel lies at the end of the long pier.", "Boutique", ["pier"]),
            "smokingAllowed": True,
            "address": _address("1 Pier Road", "Tidewick"),
            "rooms": [_room("Cabin", "A cabin with two bunks over the water", 61.5, 2)],
        },
        {
            **_hotel("10", "Orchard Farm", "A hotel among apple trees. Free WiFi in the barn.", "Budget", ["farm"]),
            "address": _address("Cider Lane", "Pipbury"),
            "rooms": [
                _room("Loft", "The hay loft, with a wide bed", 44.0, 2),
                _room("Stable", "Four beds where four horses stood", 72.25, 4),
            ],
        },
    ]


def large() -> list[JsonObject]:
    return [_numbered(number) for number in range(1, 61)]


def _numbered(number: int) -> JsonObject:
    place, kind = _PLACES[number % len(_PLACES)], _KINDS[number % len(_KINDS)]
    description = f"A {kind} by the {place}, with {number} rooms and breakfast until ten."
    category = ("Budget", "Luxury", "Boutique")[number % 3]
    hotel = _hotel(str(number), f"Number {number} by the {place}", description, category, [kind, place])
    return {**hotel, "rating": number % 5 + 1, "parkingIncluded": number % 2 == 0}


def _hotel(key: str, name: str, description: str, category: str, tags: list[str]) -> JsonObject:
    return {
        "hotelId": key,
        "hotelName": name,
        "description": description,
        "descriptionFr": f"Maison numéro {key}, ouverte toute l'année.",
        "category": category,
        "tags": tags,
        "parkingIncluded": "parking" in tags,
        "smokingAllowed": False,
        "lastRenovationDate": f"20{int(key) % 24:02}-05-02T00:00:00Z",
        "rating": int(key) % 5 + 1,
        "location": {"type": "Point", "coordinates": [round(-3 + int(key) / 100, 2), 51.5]},
        "address": None,
        "rooms": [],
    }


def _address(street: str, city: str) -> JsonObject:
    return {"streetAddress": street, "city": city, "stateProvince": None, "country": "Northmark", "postalCode": "N1"}


def _room(kind: str, description: str, rate: float, sleeps: int) -> JsonObject:
    return {
        "type": kind,
        "description": description,
        "descriptionFr": None,
        "baseRate": rate,
        "bedOptions": f"{sleeps} beds",
        "sleepsCount": sleeps,
        "smokingAllowed": False,
        "tags": ["view"],
    }


def _text(name: str, analyzer: str) -> JsonObject:
    plain = {"filterable": False, "sortable": False, "facetable": False}
    return {"name": name, "type": "Edm.String", "searchable": True, "analyzer": analyzer, **plain}


def _address_fields() -> list[JsonObject]:
    names = ("streetAddress", "city", "stateProvince", "country", "postalCode")
    return [{"name": name, "type": "Edm.String", "searchable": True} for name in names]


def _room_fields() -> list[JsonObject]:
    return [
        {"name": "type", "type": "Edm.String", "searchable": True},
        _text("description", "en.lucene"),
        _text("descriptionFr", "fr.lucene"),
        {"name": "baseRate", "type": "Edm.Double"},
        {"name": "bedOptions", "type": "Edm.String", "searchable": True},
        {"name": "sleepsCount", "type": "Edm.Int32"},
        {"name": "smokingAllowed", "type": "Edm.Boolean"},
        {"name": "tags", "type": "Collection(Edm.String)", "searchable": True},
    ]
