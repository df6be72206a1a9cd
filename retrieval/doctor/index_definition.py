"""The definition of an index: whether it has what retrieval needs, and what INDEX_FIELDS says of it."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from retrieval.backends.azure_search import definition
from retrieval.backends.plain_http import Answer
from retrieval.doctor.services import Reply, member, quoted, read
from retrieval.errors import BackendError
from retrieval.model.definitions import IndexFields
from retrieval.model.finding import About, Finding

SEMANTIC: Final = (
    "Give the index a semantic configuration with a content field: "
    "https://learn.microsoft.com/azure/search/semantic-how-to-configure"
)

VECTORIZER: Final = (
    "Give the profile of these fields a vectorizer (https://learn.microsoft.com/azure/search/vector-search-how-to-"
    "configure-vectorizer), or take them out of vectors in INDEX_FIELDS."
)


def read_roles(
    about: About, reply: Reply, *, named: IndexFields | None, configurations: Collection[str]
) -> tuple[IndexFields | None, list[Finding]]:
    """The roles of the fields, None where they are not known; and what the definition says of them.

    `named` are those of INDEX_FIELDS, `configurations` what knowledge sources name beside the usual one.
    """
    if not isinstance(reply, Answer) or reply.status != 200:
        if named is not None:
            return named, []
        if not isinstance(reply, Answer) or reply.status not in {401, 403}:
            why = quoted(reply) if isinstance(reply, Answer) else "no answer came."
            return None, [
                about.fault(f"Its definition cannot be read: {why}", "Try again, or name its fields in INDEX_FIELDS.")
            ]
        return None, [
            about.fault(
                "Its definition cannot be read with these rights, and INDEX_FIELDS does not name its fields.",
                f'Set INDEX_FIELDS={{"{about.name}": {{"key": "<field>", "content": ["<field>"]}}}}',
            )
        ]
    document = read(reply)
    found: list[Finding] = []
    fields = named
    for configuration in (None, *sorted(configurations)):
        try:
            told = definition.read_index_fields(about.name, reply.content, configuration=configuration)
        except BackendError as error:
            found.append(about.fault(f"It cannot be ranked: {error.reason}", SEMANTIC))
        else:
            fields = fields or told
    if named is not None:
        found += _named(about, named, document)
    return fields, found


def _named(about: About, fields: IndexFields, document: Any) -> list[Finding]:
    """What INDEX_FIELDS says of an index against its definition."""
    known = _fields(document)
    named = dict.fromkeys(
        (fields.key, *fields.semantic, *fields.vectors, *fields.facets, *fields.dates, *fields.labels)
    )
    missing = [name for name in named if name not in known]
    hidden = [
        name
        for name in dict.fromkeys((fields.key, *fields.semantic, *fields.labels))
        if name in known and member(known[name], "retrievable") is False
    ]
    found = []
    if missing:
        found.append(about.fault(f"It has no field {', '.join(missing)}.", "Correct INDEX_FIELDS."))
    if hidden:
        found.append(
            about.fault(f"Not retrievable: {', '.join(hidden)}.", "Make these fields retrievable in the index.")
        )
    found += _unnamed(about, fields, known)
    keys = [name for name, one in known.items() if member(one, "key") is True]
    if fields.key in known and keys and fields.key not in keys:
        found.append(about.fault(f"Its key is {keys[0]}, not {fields.key}.", "Correct key in INDEX_FIELDS."))
    vectorized = _vectorized(document)
    without = [name for name in fields.vectors if name in known and name not in vectorized]
    if without:
        found.append(about.fault(f"No vectorizer makes vectors of a query for {', '.join(without)}.", VECTORIZER))
    return found


def _unnamed(about: About, fields: IndexFields, known: dict[str, Any]) -> Iterator[Finding]:
    """What a question cannot name, though INDEX_FIELDS says that it may."""
    if unfaceted := [name for name in fields.facets if name in known and member(known[name], "facetable") is False]:
        yield about.fault(
            f"Not facetable: {', '.join(unfaceted)}.", "Make these fields facetable, or take them out of facets."
        )
    types = {name: member(known[name], "type") for name in fields.dates if name in known}
    if undated := [name for name, type in types.items() if type != "Edm.DateTimeOffset"]:
        yield about.fault(f"No date with time and zone: {', '.join(undated)}.", "Take these fields out of dates.")


def _fields(document: Any) -> dict[str, Any]:
    listed = member(document, "fields")
    return {
        str(one["name"]): one
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    }


def _vectorized(document: Any) -> Collection[str]:
    """The vector fields whose profile has a vectorizer."""
    listed = member(document, "vectorSearch", "profiles")
    profiles = {
        one.get("name")
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and one.get("vectorizer")
    }
    return {name for name, one in _fields(document).items() if one.get("vectorSearchProfile") in profiles}
