"""The spans of each call as a tree on the terminal, once the call has ended: `make run TRACE=1`.

trace 0af7651916cd43dd8448eb211c80319c
retrieve 61 ms  agent=earth-at-night status=200
├─ plan 0 ms  by=rules
├─ search earth_at_night 27 ms  documents.found=50
└─ ground 0 ms
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

SHOWN: Final = "retrieval."
"""Attributes of this service's own are shown, without their prefix; those of the conventions say the same again."""

UNSHOWN: Final = frozenset({"request_id", "operation", "system", "index"})
MOST: Final = 1_000
"""Traces that are kept while their first span has not ended. A host's span that never ends keeps none for ever."""


def show(say: Callable[[str], None]) -> None:
    """From now on every call of this process is said as a tree."""
    provider = TracerProvider()
    provider.add_span_processor(Trees(say))
    trace.set_tracer_provider(provider)


class Trees(SpanProcessor):
    """Keeps the spans of each trace until that ends which has no parent here."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._ended: dict[int, list[ReadableSpan]] = {}

    def on_end(self, span: ReadableSpan) -> None:
        """Say the trace if this was the last span of it."""
        id = span.context.trace_id
        self._ended.setdefault(id, []).append(span)
        if span.parent is None or span.parent.is_remote:
            self._say("\n".join(["", f"trace {id:032x}", *lines(span, _children(self._ended.pop(id)))]))
        elif len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]


def lines(span: ReadableSpan, children: Mapping[int, Sequence[ReadableSpan]]) -> Iterator[str]:
    """A line for a span, and those of its children beneath it, in the order in which they began."""
    yield _line(span)
    found = sorted(children.get(span.context.span_id, ()), key=lambda child: child.start_time or 0)
    for place, child in enumerate(found, 1):
        first, rest = ("└─ ", "   ") if place == len(found) else ("├─ ", "│  ")
        for number, line in enumerate(lines(child, children)):
            yield (rest if number else first) + line


def _children(spans: Sequence[ReadableSpan]) -> Mapping[int, Sequence[ReadableSpan]]:
    found: dict[int, list[ReadableSpan]] = {}
    for span in spans:
        if span.parent is not None:
            found.setdefault(span.parent.span_id, []).append(span)
    return found


def _line(span: ReadableSpan) -> str:
    elapsed = ((span.end_time or 0) - (span.start_time or 0)) / 1e6
    own = {name.removeprefix(SHOWN): value for name, value in (span.attributes or {}).items() if name.startswith(SHOWN)}
    said = " ".join(f"{name}={value!s}" for name, value in own.items() if name not in UNSHOWN and value not in ("", 0))
    return f"{span.name} {elapsed:.0f} ms  {said}".rstrip()
