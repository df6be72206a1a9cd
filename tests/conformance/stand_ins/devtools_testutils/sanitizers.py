"""Nothing is recorded, so nothing is sanitized."""


def add_remove_header_sanitizer(**options: object) -> None:
    """Nothing to do."""


def add_general_regex_sanitizer(**options: object) -> None:
    """Nothing to do."""
