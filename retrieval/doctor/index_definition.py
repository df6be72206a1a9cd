"""Checks that the definition of an index has the fields that retrieval needs, and agrees with INDEX_FIELDS."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from retrieval.doctor.services import Reply, member, quoted, read
from retrieval.errors import BackendError
from retrieval.model.definitions import IndexFields
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import HttpAnswer
from retrieval.sources.search_index import definition

SEMANTIC: Final = (
    "Give the index a semantic configuration with a content field: "
    "https://learn.microsoft.com/azure/search/semantic-how-to-configure"
)

VECTORIZER: Final = (
    "Give the profile of these fields a vectorizer (https://learn.microsoft.com/azure/search/vector-search-how-to-"
    "configure-vectorizer), or take them out of vectors in INDEX_FIELDS."
)


def read_roles(
    about: About, reply: Reply, *, configured_fields: IndexFields | None, configurations: Collection[str]
) -> tuple[IndexFields | None, list[Finding]]:
    """The roles of the fields, and the findings about the index definition. The roles are None if they are not known.

    `configured_fields` are the roles in INDEX_FIELDS. `configurations`: see `ExaminedIndex`.
    """
    if not isinstance(reply, HttpAnswer) or reply.status != 200:
        if configured_fields is not None:
            return configured_fields, []
        if not isinstance(reply, HttpAnswer) or reply.status not in {401, 403}:
            why = quoted(reply) if isinstance(reply, HttpAnswer) else "no answer came."
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
    findings: list[Finding] = []
    fields = configured_fields
    for configuration in (None, *sorted(configurations)):
        try:
            definition_fields = definition.read_index_fields(about.name, reply.content, configuration=configuration)
        except BackendError as error:
            findings.append(about.fault(f"It cannot be ranked: {error.reason}", SEMANTIC))
        else:
            fields = fields or definition_fields
    if configured_fields is not None:
        findings += _compare(about, configured_fields, document)
    return fields, findings


def _compare(about: About, fields: IndexFields, document: Any) -> list[Finding]:
    """The findings about fields of INDEX_FIELDS that do not fit the index definition."""
    schema = _fields(document)
    names = dict.fromkeys((*_shown(fields), *fields.vectors, *fields.facets, *fields.dates))
    absent = [name for name in names if name not in schema]
    hidden = [
        name
        for name in dict.fromkeys(_shown(fields))
        if name in schema and member(schema[name], "retrievable") is False
    ]
    findings = []
    if absent:
        findings.append(about.fault(f"It has no field {', '.join(absent)}.", "Correct INDEX_FIELDS."))
    if hidden:
        findings.append(
            about.fault(f"Not retrievable: {', '.join(hidden)}.", "Make these fields retrievable in the index.")
        )
    findings += _unnamed(about, fields, schema)
    keys = [name for name, field in schema.items() if member(field, "key") is True]
    if fields.key in schema and keys and fields.key not in keys:
        findings.append(about.fault(f"Its key is {keys[0]}, not {fields.key}.", "Correct key in INDEX_FIELDS."))
    vectorized_fields = _vectorized_fields(document)
    without_vectorizer = [name for name in fields.vectors if name in schema and name not in vectorized_fields]
    if without_vectorizer:
        findings.append(
            about.fault(f"No vectorizer makes vectors of a query for {', '.join(without_vectorizer)}.", VECTORIZER)
        )
    return findings


def _shown(fields: IndexFields) -> tuple[str, ...]:
    """The fields that must be retrievable."""
    origins = filter(None, (fields.address, fields.file_name))
    return (fields.key, *fields.semantic, *fields.labels, *origins)


def _unnamed(about: About, fields: IndexFields, schema: dict[str, Any]) -> Iterator[Finding]:
    """The findings about facets and dates in INDEX_FIELDS that are not facetable fields or date fields in the index."""
    if names_without_facets := [
        name for name in fields.facets if name in schema and member(schema[name], "facetable") is False
    ]:
        yield about.fault(
            f"Not facetable: {', '.join(names_without_facets)}.",
            "Make these fields facetable, or take them out of facets.",
        )
    types = {name: member(schema[name], "type") for name in fields.dates if name in schema}
    if names_without_dates := [name for name, type in types.items() if type != "Edm.DateTimeOffset"]:
        yield about.fault(
            f"No date with time and zone: {', '.join(names_without_dates)}.", "Take these fields out of dates."
        )


def _fields(document: Any) -> dict[str, Any]:
    """All fields by path. A field within a complex field has a path like `details/body`."""
    fields, waiting = dict[str, Any](), [("", document)]
    while waiting:
        within, parent = waiting.pop()
        field_list = member(parent, "fields")
        for field in field_list if isinstance(field_list, list) else []:
            if isinstance(field, dict) and isinstance(field.get("name"), str):
                path = f"{within}{field['name']}"
                fields[path] = field
                waiting.append((f"{path}/", field))
    return fields


def _vectorized_fields(document: Any) -> Collection[str]:
    """The vector fields that have a profile with a vectorizer."""
    profile_list = member(document, "vectorSearch", "profiles")
    profiles = {
        profile.get("name")
        for profile in (profile_list if isinstance(profile_list, list) else [])
        if isinstance(profile, dict) and profile.get("vectorizer")
    }
    return {name for name, field in _fields(document).items() if field.get("vectorSearchProfile") in profiles}
