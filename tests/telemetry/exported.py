"""The rows that Azure Monitor's own exporters make of what was recorded, sent to an ingestion endpoint on loopback."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from azure.monitor.opentelemetry.exporter import AzureMonitorLogExporter, AzureMonitorTraceExporter
from opentelemetry.instrumentation.logging.handler import LoggingHandler
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

from tests.telemetry.recording import Recording


@contextmanager
def logged() -> Iterator[InMemoryLogRecordExporter]:
    """The log of this service from INFO on, as `configure_azure_monitor` takes it from the root logger."""
    kept, provider = InMemoryLogRecordExporter(), LoggerProvider()  # type: ignore[no-untyped-call]
    provider.add_log_record_processor(SimpleLogRecordProcessor(kept))
    root, handler = logging.getLogger(), LoggingHandler(level=logging.INFO, logger_provider=provider)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield kept
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def export(told: Recording, lines: InMemoryLogRecordExporter | None = None) -> None:
    """Send the spans, and the lines of the log."""
    traces = AzureMonitorTraceExporter(disable_offline_storage=True)
    traces.export(told.spans)
    traces.shutdown()
    if lines is not None:
        logs = AzureMonitorLogExporter(disable_offline_storage=True)
        logs.export(lines.get_finished_logs())
        logs.shutdown()


def bodies(lines: InMemoryLogRecordExporter) -> Sequence[str]:
    """The sentences of the log."""
    return [str(one.log_record.body) for one in lines.get_finished_logs()]
