"""A moment as answers have it."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as the published examples of Azure AI Search have it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
