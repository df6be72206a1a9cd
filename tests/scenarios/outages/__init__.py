"""What callers, the log, `GET ready` and the alerts say in each of eleven outages."""
