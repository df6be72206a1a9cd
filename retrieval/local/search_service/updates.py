"""What may change of an index that has documents.

Fields may be added; of a field there may change whether it is retrievable, its search analyzer and its synonym map.
Only new fields may be added to a suggester: https://learn.microsoft.com/rest/api/searchservice/update-index
"""

from dataclasses import replace

from retrieval.local.search_service.definition import IndexDefinition
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.fields import IndexField


def check(old: IndexDefinition, new: IndexDefinition) -> None:
    """Raises InvalidArgument naming the first field that would change or go."""
    for path, field in old.paths.items():
        other = new.paths.get(path)
        if other is None or _fixed(other) != _fixed(field):
            raise InvalidArgument(
                f"The field {path!r} cannot be changed or removed; create the index anew. New fields may be added."
            )
    for suggester in new.suggesters.values():
        before = old.suggesters.get(suggester.name)
        for path in suggester.fields:
            if path in old.paths and (before is None or path not in before.fields):
                raise InvalidArgument(
                    f"The existing field {path!r} cannot be added to the suggester {suggester.name!r}; new fields may."
                )


def _fixed(field: IndexField) -> IndexField:
    """The field without what may change, and without its sub-fields, which are compared by themselves."""
    return replace(field, retrievable=True, search_analyzer=field.analyzer, synonym_map=None, fields={})
