"""What clients saw, each asked when a test first looks: the tests of one client start no other."""

from collections.abc import Callable, Mapping
from typing import Any


class Lazily(dict[str, dict[str, Any]]):
    """What each way of asking saw, by its name; asked once."""

    def __init__(self, ways: Mapping[str, Callable[[], dict[str, Any]]]) -> None:
        super().__init__()
        self.ways = ways

    def __missing__(self, way: str) -> dict[str, Any]:
        self[way] = self.ways[way]()
        return self[way]
