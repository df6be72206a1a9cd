"""Files of JSON lines: limits that are said, at a cost that does not grow with what a file unpacks to."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest

from retrieval.errors import NotConfigured
from retrieval.local import json_lines
from retrieval.local.__main__ import main
from retrieval.local.corpora import load
from retrieval.local.search_service.definitions.fields import MAX_FIELDS
from retrieval.local.stand_in import stand_in
from retrieval.text.strict_json import MOST
from tests.environments import ROOT

MIB: Final = 1024 * 1024
PADDED: Final = json.dumps({"_id": "1", "text": "a" * 1_000}).encode() + b"\n"
TEXTS: Final = Path(json_lines.__file__).parent / "corpus" / "earth_at_night.jsonl"


def packed(path: Path, chunks: Iterable[bytes]) -> None:
    with gzip.open(path, "wb", compresslevel=6) as file:
        for chunk in chunks:
            file.write(chunk)


def one_line(path: Path) -> None:
    """The bomb that was found: 190 kB that unpack to 190 MB."""
    packed(path, [b'{"_id": "1", "text": "', *(b"a" * MIB for _ in range(190)), b'"}\n'])


def a_line_of_five_mib(path: Path) -> None:
    packed(path, [b'{"_id": "1", "text": "', *(b"a" * MIB for _ in range(5)), b'"}\n'])


def many_times_its_size(path: Path) -> None:
    packed(path, (PADDED * 1_000 for _ in range(64)))


def many_lines(path: Path) -> None:
    packed(
        path, (b"".join(b'{"_id": "%d"}\n' % (first + n) for n in range(1_000)) for first in range(0, 260_000, 1_000))
    )


def empty_lines(path: Path) -> None:
    packed(path, [b"\n" * 260_000])


def many_arrays(path: Path) -> None:
    packed(path, [b'{"_id": "1", "x": [', b"[]," * 1_000_000, b"0]}\n"])


BOMBS: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "one line": (one_line, "line 1, cannot be read: a line has at most 4,194,304 bytes."),
    "a line of 5 MiB": (a_line_of_five_mib, "line 1, cannot be read: a line has at most 4,194,304 bytes."),
    "many times its size": (many_times_its_size, "it unpacks to more than 100 times its size and 16,777,216 bytes."),
    "many lines": (many_lines, "line 250001, cannot be read: a file has at most 250,000 lines."),
    "empty lines": (empty_lines, "line 250001, cannot be read: a file has at most 250,000 lines."),
    "many arrays": (
        many_arrays,
        "1: it has more than 40,000 objects, arrays and members\nbomb.jsonl.gz has no document.",
    ),
}


def test_an_error_names_one_place_the_line_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"_id": "1"}\n\n{"_id": 2,}\n')
    with pytest.raises(NotConfigured) as refusal:
        list(json_lines.read(tmp_path / "a.jsonl"))
    (said,) = refusal.value.sentences
    assert said.startswith("a.jsonl, line 3, cannot be read: ") and said.count("line") == 1


def peak(work: Callable[[], object]) -> int:
    """The most bytes that Python held meanwhile, beyond those that it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_file_that_unpacks_to_too_much_is_refused_before_it_takes_memory(bomb: str, tmp_path: Path) -> None:
    write, sentence = BOMBS[bomb]
    path = tmp_path / "bomb.jsonl.gz"
    write(path)

    def refused() -> None:
        with pytest.raises(NotConfigured) as caught:
            load("bomb", path)
        assert str(caught.value).endswith(sentence)
        assert "bomb.jsonl.gz, line " in str(caught.value)

    assert peak(refused) < 24 * MIB


def test_a_file_that_is_not_packed_has_the_same_limits(tmp_path: Path) -> None:
    """It has holes: 516 MiB of which the disk holds a line end now and then."""
    path = tmp_path / "bomb.jsonl"
    with path.open("wb") as file:
        for number in range(1, 130):
            file.seek(number * 4 * MIB - 1)
            file.write(b"\n")

    def refused() -> None:
        with pytest.raises(NotConfigured, match=r"line 129, cannot be read: a file has at most 536,870,912 bytes"):
            load("bomb", path)

    assert peak(refused) < 24 * MIB


def test_a_corpus_that_is_one_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    texts = [json.loads(line) for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    documents = [{"_id": str(n), "text": f"{n} {texts[n % len(texts)]['content']}"} for n in range(4_000)]
    lines = [json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in documents]
    packed(path, lines)
    size = sum(map(len, lines))
    held = peak(lambda: load("corpus", path))
    assert size / 2 < held < 2 * size


def test_what_is_refused_is_said_by_the_command_that_loads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    many_times_its_size(path)
    assert main(["search", "--port", "0", "--load", f"bomb={path}"]) != 0
    assert "it unpacks to more than 100 times its size" in capsys.readouterr().err


def test_the_limits_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "developing" / "local-search.md").read_text(encoding="utf-8")
    sizes = [json_lines.LONGEST_LINE, json_lines.MOST_BYTES, json_lines.NEVER_TOO_MUCH]
    said = [f"{json_lines.MOST_LINES:,} lines", f"{MOST:,} objects", f"{json_lines.MOST_TIMES} times its size"]
    assert all(one in page for one in [*said, *(f"{size // MIB} MiB" for size in sizes), f"{MAX_FIELDS:,} fields"])


def test_a_small_file_may_repeat_itself(tmp_path: Path) -> None:
    path = tmp_path / "repeats.jsonl.gz"
    packed(path, [PADDED * 10_000])
    assert path.stat().st_size * json_lines.MOST_TIMES < len(PADDED) * 10_000
    assert sum(1 for _ in json_lines.read(path)) == 10_000


def test_blank_lines_count_for_the_place_of_those_after_them(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n \n{"b": 2}')
    assert [(line.value, line.place) for line in json_lines.read(path)] == [
        ({"a": 1}, "lines.jsonl, line 1"),
        ({"b": 2}, "lines.jsonl, line 4"),
    ]


WHOLE: Final = gzip.compress(PADDED)
CHANGED: Final = WHOLE[:10] + b"\xff" * 40
BROKEN: Final = {
    "cut": WHOLE[:20],
    "changed": CHANGED,
    "not packed": b"no gzip",
    "not UTF-8": gzip.compress(b"\xff\n"),
    "nested too deeply": gzip.compress(b"[" * 30_000),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_file_that_is_broken_is_refused_with_its_line(how: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl.gz"
    path.write_bytes(BROKEN[how])
    with pytest.raises(NotConfigured, match=r"broken\.jsonl\.gz, line 1(, cannot be read)?: "):
        load("broken", path)


NO_JSON: Final = '{"_id": 2,}'
BAD_LINES: Final = {
    NO_JSON: "",
    '{"_id": "2", "text": "half \\ud800"}': "'text' has half a surrogate pair, which is no character",
    '{"_id": "2", "half \\udc00": 1}': "'half \\\\udc00' has half a surrogate pair, which is no character",
    '{"_id": "2", "x": [{"y": "\\ud83d"}]}': "'x' has half a surrogate pair, which is no character",
    '{"_id": "2", "x": NaN}': "NaN is no JSON",
    '{"_id": "2", "x": 1e999}': "1e999 is too large a number",
    '["_id"]': "not a JSON object",
    '{"_id": 2}': "a document needs the strings _id, title and text",
    '{"text": ""}': "it has no text",
    '{"_id": "2", "text": null}': "a document needs the strings _id, title and text",
    "[" * 30_000: "it is nested too deeply",
}


@pytest.mark.parametrize("folder", [False, True])
def test_a_bad_line_is_skipped_with_its_place_and_its_reason_and_the_others_are_loaded(
    folder: bool, tmp_path: Path
) -> None:
    path = tmp_path / "faq.jsonl"
    lines = ['{"_id": "1", "text": "A whole pair: \\ud83d\\ude00."}', *BAD_LINES, '{"_id": "3", "text": "Fine."}']
    path.write_text("\n".join(lines), encoding="utf-8")
    local = stand_in((("faq", str(tmp_path if folder else path)),))
    with pytest.raises(json.JSONDecodeError) as refusal:
        json.loads(NO_JSON)
    reasons = BAD_LINES | {NO_JSON: f"{refusal.value.msg} at column {refusal.value.colno}"}
    assert local.summary == (
        f"faq: 1 file, 2 chunks, {len(BAD_LINES)} skipped",
        *(f"  skipped faq.jsonl, line {number}: {reason}" for number, reason in enumerate(reasons.values(), 2)),
        *(("  file       kind   chunks  left out", "  faq.jsonl  jsonl       2") if folder else ()),
    )


@pytest.mark.parametrize("value", [str(2**70), '"2026-99-99T99:99:99Z"', '"\\u0000"', "[[[]]]", "true"])
def test_no_value_of_a_member_ends_the_load(value: str, tmp_path: Path) -> None:
    path = tmp_path / "faq.jsonl"
    path.write_text(f'{{"_id": "1", "x": {value}}}\n{{"_id": "2", "x": 1}}\n{{"_id": "3", "x": "2026-01-01T00:00Z"}}')
    assert stand_in((("faq", str(path)),)).summary == ()
    path.write_text(f'{{"_id": "1", "x": {value}}}')
    assert stand_in((("faq2", str(path)),)).summary == ()


def test_one_of_the_broken_files_breaks_the_unpacking_itself() -> None:
    with pytest.raises(zlib.error):
        gzip.decompress(CHANGED)


def test_an_index_of_too_many_fields_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    path.write_text("\n".join(json.dumps({"_id": str(n), f"m{n}": n}) for n in range(2_000)), encoding="utf-8")
    with pytest.raises(NotConfigured, match=r"line 998: with the member 'm997' the index has more than 1,000 fields"):
        load("wide", path)
