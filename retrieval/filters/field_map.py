"""What filters over an index of Model Studio may name: any name, e.g. `姓名`, and the field that it stands for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrieval.filters.schema import FieldType, Schema
from retrieval.filters.tree import Path

PLAIN_TYPES: frozenset[FieldType] = frozenset(
    {"Edm.String", "Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Single", "Edm.Boolean", "Edm.DateTimeOffset"}
)
"""The types that SearchFilters can be about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedField:
    """Where a name leads, and what may be asked there. `type` is that of one element when `collection` is true.

    `whole_token` says that the field is searchable and indexes each value as one lower-case token (keyword tokenizer,
    lowercase filter), so that the index answers `like` itself. `ignore_case` lets `like` compare without case.
    `bare_like` is what a `like` without wildcards asks for: the published page calls its operand a prefix, SQL means
    the whole value. `epoch` lets numbers stand for dates: seconds or milliseconds since 1970. A field that is not
    `retrievable` cannot be looked at again after the search.
    """

    path: Path
    type: FieldType
    collection: bool = False
    whole_token: bool = False
    ignore_case: bool = False
    bare_like: Literal["prefix", "exact"] = "prefix"
    epoch: Literal["s", "ms"] | None = None
    retrievable: bool = True


FieldMap: TypeAlias = Mapping[str, MappedField]
"""No name begins with an underscore: those are the words of the filter language."""


_CHOICES: Mapping[str, tuple[object, ...]] = {
    "wholeToken": (True, False),
    "ignoreCase": (True, False),
    "retrievable": (True, False),
    "bareLike": ("prefix", "exact"),
    "epoch": ("s", "ms"),
}
_PATH = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}(?:/[A-Za-z][A-Za-z0-9_]{0,127}){0,15}")


def read(value: object) -> dict[str, MappedField]:
    """The field map of a setting: `{"姓名": {"path": "name", "type": "Edm.String"}, …}`, options in camel case.

    Raises ValueError with the reason.
    """
    if not isinstance(value, dict):
        raise ValueError("a field map is a JSON object")
    return {name: _field(name, field) for name, field in value.items()}


def _field(name: str, value: object) -> MappedField:
    if not name or name.startswith("_"):
        raise ValueError(f"the field name {name!r} is empty or begins with an underscore")
    if not isinstance(value, dict) or not {"path", "type"} <= set(value):
        raise ValueError(f'the field {name!r} must be an object with "path" and "type"')
    for option, said in value.items():
        choices = _CHOICES.get(option, ())
        if option not in ("path", "type") and not any(type(said) is type(one) and said == one for one in choices):
            raise ValueError(f"the field {name!r} has {option!r}: {said!r}, which is not an option")
    element, collection = _type(name, value["type"])
    return MappedField(
        path=_path(name, value["path"]),
        type=element,
        collection=collection,
        whole_token=value.get("wholeToken") is True,
        ignore_case=value.get("ignoreCase") is True,
        bare_like="exact" if value.get("bareLike") == "exact" else "prefix",
        epoch=_EPOCHS.get(value.get("epoch")),
        retrievable=value.get("retrievable") is not False,
    )


_EPOCHS: Mapping[object, Literal["s", "ms"]] = {"s": "s", "ms": "ms"}


def _type(name: str, written: object) -> tuple[FieldType, bool]:
    for known in PLAIN_TYPES:
        if written in (known, f"Collection({known})"):
            return known, written != known
    raise ValueError(f"the field {name!r} has the type {written!r}, which filters cannot be about")


def _path(name: str, path: object) -> Path:
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise ValueError(f"the field {name!r} has the path {path!r}, which is none of an index")
    return Path(tuple(path.split("/")))


def of_schema(schema: Schema) -> dict[str, MappedField]:
    """Every filterable plain field of an index, under its own name."""
    return {
        name: MappedField(path=Path((name,)), type=field.type, collection=field.collection)
        for name, field in schema.items()
        if field.filterable and field.type in PLAIN_TYPES and not name.startswith("_")
    }
