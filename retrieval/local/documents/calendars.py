"""Calendars, iCalendar (RFC 5545): a part an event or a task, as an invitation shows it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from retrieval.local.documents.parts import Part
from retrieval.local.documents.texts import text_of

_FOLD: Final = re.compile(r"\n[ \t]")
_LINE: Final = re.compile(r"([A-Za-z-]{1,60})((?:;[A-Za-z-]{1,60}=(?:\"[^\"\n]{0,500}\"|[^;:\"\n]{0,500}))*+):(.*)")
_PARAMETER: Final = re.compile(r";(CN|TZID)=(?:\"([^\"]*)\"|([^;:\"]*))", re.IGNORECASE)
_MOMENT: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ESCAPE: Final = re.compile(r"\\([nN,;\\])")
_EVENTS: Final = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_TIMES: Final = {"DTSTART": "Start", "DTEND": "End", "DUE": "Due"}
_SHOWN: Final = {
    **_TIMES,
    "DURATION": "Duration",
    "RRULE": "Repeats",
    "STATUS": "Status",
    "LOCATION": "Location",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
}
"""In their order, with the words for people."""

MOST_PEOPLE: Final = 100


def read_calendar(path: Path) -> Iterator[Part]:
    """The title of an event is its summary. Raises Unreadable."""
    within: list[str] = []
    event: dict[str, list[str]] = {}
    for line in _FOLD.sub("", text_of(path)).split("\n"):
        found = _LINE.match(line)
        if found is None:
            continue
        name, parameters, value = found[1].upper(), found[2], found[3]
        if name == "BEGIN":
            within.append(value.strip().upper())
            event = {} if within[-1] in _EVENTS else event
        elif name == "END" and within:
            if within.pop() in _EVENTS:
                yield _part(event)
        elif within and within[-1] in _EVENTS:
            event.setdefault(name, []).append(_said(name, dict(_parameters(parameters)), value))


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    for name, quoted, plain in _PARAMETER.findall(text):
        yield name.upper(), quoted or plain


def _said(name: str, parameters: Mapping[str, str], value: str) -> str:
    if name in _TIMES and (found := _MOMENT.match(value)):
        year, month, day, hour, minute, utc = found.groups()
        zone = " UTC" if utc else f" {parameters['TZID']}" if "TZID" in parameters else ""
        return f"{year}-{month}-{day}" + (f" {hour}:{minute}{zone}" if hour else "")
    if name in ("ORGANIZER", "ATTENDEE"):
        return parameters.get("CN") or re.sub("^mailto:", "", value, flags=re.IGNORECASE)
    return _ESCAPE.sub(lambda escape: "\n" if escape[1] in "nN" else escape[1], value).strip()


def _part(event: Mapping[str, Sequence[str]]) -> Part:
    summary = " ".join(" ".join(event.get("SUMMARY", ())).split())
    lines = [
        f"{label}: {', '.join(event[name][:MOST_PEOPLE])}" for name, label in _SHOWN.items() if any(event.get(name, ()))
    ]
    description = "\n".join(event.get("DESCRIPTION", ()))
    blocks = [block for block in ("\n".join(filter(None, (summary, *lines))), description) if block]
    return Part(blocks=blocks, title=summary, heading_path=(summary,) if summary else ())
