"""The progress of embedding in a log that is no terminal."""

import threading
from threading import Semaphore

import pytest

from retrieval.local.progress import BLOCK, EVERY, counted, embedded


class Ticks:
    """The time between two lines, which passes when the test says so."""

    def __init__(self) -> None:
        self.waited: list[float] = []
        self._is_set = False
        self._waiting, self._passed = Semaphore(0), Semaphore(0)

    def wait(self, timeout: float) -> bool:
        self.waited.append(timeout)
        self._waiting.release()
        self._passed.acquire()
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        self._passed.release()

    def pass_(self) -> None:
        """Returns when the line was written."""
        self._waiting.acquire()
        self._passed.release()
        self._waiting.acquire()
        self._waiting.release()


def test_a_log_gets_a_line_every_ten_seconds_and_one_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    ticks, total = Ticks(), BLOCK + 10
    passages = embedded("notes", range(total), total, ended=ticks)
    assert next(passages) == 0
    ticks.pass_()
    for number in range(1, BLOCK + 1):
        assert next(passages) == number
    ticks.pass_()
    assert list(passages) == list(range(BLOCK + 1, total))
    first, second, last = capsys.readouterr().err.splitlines()
    assert first == "embedding notes: 0 of 266 passages"
    assert second.startswith("embedding notes: 256 of 266 passages, ") and second.endswith(" a second")
    assert last.startswith("embedding notes: 266 of 266 passages, ")
    assert set(ticks.waited) == {EVERY} == {10.0}


def test_a_load_that_ends_before_leaves_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(embedded("notes", "ab", 2)) == ["a", "b"]
    assert capsys.readouterr().err == ""


def test_other_steps_leave_a_line_in_a_log_after_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    """As `index --vectorizer` does, which is told of each batch."""
    now = [0.0]
    tell = counted("indexing notes", 3_000, of="document", clock=lambda: now[0])
    for seconds, number in ((4, 64), (10, 128), (12, 192), (21, 256)):
        now[0] = float(seconds)
        tell(number)
    assert capsys.readouterr().err == (
        "indexing notes: 128 of 3,000 documents\nindexing notes: 256 of 3,000 documents\n"
    )


def test_a_model_that_fails_ends_the_lines() -> None:
    earlier = set(threading.enumerate())
    passages = embedded("notes", "ab", 2)
    next(passages)
    assert len(set(threading.enumerate()) - earlier) == 1
    passages.close()
    assert set(threading.enumerate()) <= earlier
