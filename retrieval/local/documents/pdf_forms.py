"""The fields of forms in PDF, by pypdf's objects: what is filled in, beside the name of its field."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

_HIDDEN: Final = 0b10_0010
"""A field that is hidden, or not shown on a screen."""

_RADIO: Final = 1 << 15
_WITHOUT_VALUE: Final = {"/Tx": 1 << 13, "/Btn": 1 << 16}
"""A password, a button to press."""

_DEEPEST: Final = 20
"""Fields within fields."""

_LONGEST_NAME: Final = 200
_LONGEST_ITEM: Final = 1_000
_MOST_ITEMS: Final = 1_000
"""Of a list of values, and of the list of those that a field offers."""


def object_of(value: Any) -> Any:
    """What a reference refers to, or the value; empty for None."""
    return {} if value is None else value.get_object()


class Forms:
    """The fields of one document. A text field or a choice that stands in several places is read once."""

    def __init__(self) -> None:
        self._read: dict[int, object] = {}
        self._offered: dict[int, tuple[object, Mapping[str, str]]] = {}

    def line(self, widget: Mapping[str, Any]) -> str | None:
        """The line of a field that is shown there; empty where nothing is filled in; None for what is no text."""
        fields = list(_lineage(widget))
        flags, kind = _number(_inherited(fields, "/Ff")), _inherited(fields, "/FT")
        if _number(widget.get("/F")) & _HIDDEN or flags & _WITHOUT_VALUE.get(str(kind), 0):
            return ""
        name = _name(fields)
        if kind == "/Btn":
            return _button(widget, fields, name, self._options(fields) if flags & _RADIO else None)
        if kind not in ("/Tx", "/Ch"):
            return None
        owner = next((one for one in fields if "/V" in one), widget)
        if id(owner) in self._read:
            return ""
        self._read[id(owner)] = owner
        return _labelled(name, ", ".join(_values(_inherited(fields, "/V"), self._options(fields))))

    def _options(self, fields: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
        """What is shown of each value that a field offers."""
        options = _inherited(fields, "/Opt")
        if id(options) not in self._offered:
            self._offered[id(options)] = options, _shown(options)
        return self._offered[id(options)][1]


def _lineage(widget: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The field and those that it is a part of."""
    field = widget
    for _ in range(_DEEPEST):
        yield field
        field = object_of(field.get("/Parent"))
        if not isinstance(field, Mapping) or not field:
            return


def _inherited(fields: Sequence[Mapping[str, Any]], name: str) -> Any:
    return next((object_of(one[name]) for one in fields if name in one), None)


def _name(fields: Sequence[Mapping[str, Any]]) -> str:
    """What a reader is shown as the name, else the full name."""
    shown = _text(_inherited(fields, "/TU"))
    parts = [name for one in reversed(fields) if (name := _text(object_of(one.get("/T"))))]
    return (shown or ".".join(parts))[:_LONGEST_NAME]


def _button(
    widget: Mapping[str, Any], fields: Sequence[Mapping[str, Any]], name: str, options: Mapping[str, str] | None
) -> str:
    """A box with its state; of radio buttons, which have `options`, the one that is on."""
    state = object_of(widget.get("/AS", _inherited(fields, "/V")))
    is_on = isinstance(state, str) and state != "/Off"
    if options is None:
        return f"{'☒' if is_on else '☐'} {name}"
    chosen = str(state).removeprefix("/")
    place = int(chosen) if chosen.isdecimal() and len(chosen) < 5 else len(options)
    return _labelled(name, next(islice(options.values(), place, None), chosen)) if is_on else ""


def _shown(options: Any) -> dict[str, str]:
    """What is shown of each value of a list."""
    pairs = [object_of(one) for one in options[:_MOST_ITEMS]] if isinstance(options, list) else []
    both = [one if isinstance(one, list) and len(one) == 2 else [one, one] for one in pairs]
    return {_text(object_of(value)): _text(object_of(shown)) for value, shown in both}


def _values(value: Any, options: Mapping[str, str]) -> Iterator[str]:
    is_list = isinstance(value, list)
    for one in value[:_MOST_ITEMS] if is_list else [value]:
        text = _text(object_of(one), _LONGEST_ITEM if is_list else None)
        if text:
            yield options.get(text, text)


def _labelled(name: str, value: str) -> str:
    return f"{name}: {value}" if name and value else value


def _text(value: Any, longest: int | None = _LONGEST_ITEM) -> str:
    """The text on one line; empty for what is none."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return " ".join(value[:longest].split()) if isinstance(value, str) else ""


def _number(value: Any) -> int:
    number = object_of(value)
    return number if isinstance(number, int) else 0
