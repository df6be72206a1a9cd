"""Checks that the definition of an index has the fields that retrieval needs, and agrees with INDEX_FIELDS."""

from collections.abc import Collection, Iterator
from typing import Any

from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Reply, member, quoted, read
from retrieval.errors import BackendError
from retrieval.model.definitions import IndexFields
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import HttpAnswer
from retrieval.sources.search_index import definition


def read_roles(
    about: About, reply: Reply, *, configured_fields: IndexFields | None, configurations: Collection[str]
) -> tuple[IndexFields | None, list[Finding]]:
    """The roles of the fields, and the findings about the index definition. The roles are None if they are not known.

    `configured_fields` are the roles in INDEX_FIELDS. `configurations`: see `ExaminedIndex`.
    """
    if not isinstance(reply, HttpAnswer) or reply.status != 200:
        if configured_fields is not None:
            return configured_fields, []
        status, why = (reply.status, quoted(reply)) if isinstance(reply, HttpAnswer) else ("", "no answer came.")
        return None, [finding_of(about, "definition-unread", when=status, why=why, name=about.name)]
    document = read(reply.content)
    findings: list[Finding] = []
    fields = configured_fields
    for configuration in (None, *sorted(configurations)):
        try:
            definition_fields = definition.read_index_fields(about.name, reply.content, configuration=configuration)
        except BackendError as error:
            findings.append(finding_of(about, "unrankable", reason=error.reason))
        else:
            fields = fields or definition_fields
    if configured_fields is not None:
        findings += _compare(about, configured_fields, document)
    return fields, findings


def _compare(about: About, fields: IndexFields, document: Any) -> Iterator[Finding]:
    """The findings about fields of INDEX_FIELDS that do not fit the index definition."""
    schema = _fields(document)
    origins = filter(None, (fields.address, fields.file_name))
    shown = dict.fromkeys((fields.key, *fields.semantic, *fields.labels, *origins))
    vectorized, every = _vectorized_fields(document), (*shown, *fields.vectors, *fields.facets, *fields.dates)
    misfits = {
        "fields-absent": [name for name in dict.fromkeys(every) if name not in schema],
        "fields-hidden": [name for name in shown if member(schema, name, "retrievable") is False],
        "fields-not-facetable": [name for name in fields.facets if member(schema, name, "facetable") is False],
        "fields-without-date": [
            name for name in fields.dates if name in schema and schema[name].get("type") != "Edm.DateTimeOffset"
        ],
        "key-of-index": [name for name, field in schema.items() if field.get("key") is True],
        "fields-without-vectorizer": [name for name in fields.vectors if name in schema and name not in vectorized],
    }
    if fields.key not in schema or fields.key in misfits["key-of-index"]:
        del misfits["key-of-index"]
    for fault, names in misfits.items():
        if names:
            yield finding_of(about, fault, names=", ".join(names), key=names[0], named=fields.key)


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
