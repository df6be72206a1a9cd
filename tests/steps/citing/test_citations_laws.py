"""Laws of checked answers over hostile texts, what real renderers find in them, and how the work grows."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.answer import Chunk, Written
from retrieval.steps.citing import citations
from tests.environments import node_packages
from tests.steps.material import CAIRO, CHUNKS, chunk

HERE: Final = Path(__file__).parent


def check(markdown: str, chunks: tuple[Chunk, ...] = CHUNKS) -> Written:
    return citations.check(markdown, chunks=chunks, by="model")


FRAGMENTS: Final = (
    "[c1]", "[c2]", "[c9]", "【c3】", "[c1, c9]", "[Doc 7]", "[1]", "[^1]", "[^1]:", "[x]:", "[x]", "[T1 - k1]",
    "[sic]", "(https://evil.example/a)", "(https://plant.example/history)", "![", "!", "[", "]", "](", "(", ")", "<",
    "<img src=x>", "<b>", "</b>", "<!--", "-->", "<script>", "https://evil.example/b",
    "https://plant.example/history", "www.evil.example", "http", "://evil.example", "//evil.example",
    "javascript:alert(1)", "`", "``", "```", "~~~", "\n", "\n\n", "\n    ", "\n- ", "\n  ", "\n1. ", "\n> ", "\n# ",
    "\n---\n", "| a | b |", "\n|---|---|\n", '"closed in 2011"', "“not there at all”", "“", "”", '"', "\\", "\\[",
    "\\:", "&lt;", "&#33;", "&#91;", "&lsqb;", "&quot;", "&colon;", " ", ". ", "A word", "。", "…", "\t",
    "<https://evil.example>", "<https://plant.example/history>", "\r\n", "\u2028", "\x00", "\u200b",
    "[c1](https://evil.example)", "![i](https://evil.example/x.png)", "[t](https://evil.example)",
    "[ok](https://plant.example/history)", "[t][x]", "mallory@evil.example", "mailto:", "xmpp:", "@", "a@b.example",
    ".example",     "<mallory@evil.example>", "<mailto:mallory@evil.example>", "[m](mailto:mallory@evil.example)",
    "![t][x]", "\n[x]: https://evil.example\n", "*", "**", "_",
)  # fmt: skip
TRICKY: Final = (
    "a ` b\nc ` ![i](https://evil.example/x) ` d",
    "a\\https://evil.example`![i](https://evil.example/x)`",
    "[t](/evil (title))",
    '[t](/evil "a\\"b")',
    '[t](/evil "a\nb")',
    "[a\nb](/evil)",
    "[a [b] c](/evil)",
    "[![i](https://evil.example/x)](https://evil.example)",
    "[t](\n/evil)",
    "[t](</evil page>)",
    "![i](</evil page>)",
    "<img\nsrc=x>",
    "<!-- a\nb -->",
    "<svg/onload=x>",
    "<https://evil.example|x>",
    "[t]<b>(/evil)",
    "!<b>[ok](https://plant.example/history) [c1]",
    "[x]<b>: /evil\n\n[x]",
    "- ```\n  ![i](https://evil.example/x)\n```\n![i](https://evil.example/x)",
    "para\n    ```\n    ![i](https://evil.example/x)\n    ```",
    "1. ~~~\n ![i](https://evil.example/x)\n~~~\n![i](https://evil.example/x)",
    "> ~~~\n> ![i](https://evil.example/x)\n![i](https://evil.example/x)",
    "- > ```\n![i](https://evil.example/x)\n  ```\n![i](https://evil.example/x)",
    "-     ```\n![i](https://evil.example/x)\n      ```",
    "[c9]~~~\n```\n![i](https://evil.example/x)\n```\n~~~\n![i](https://evil.example/x)",
    "mallory<b>@evil.example",
    "mailto:mallory@<b>evil.example",
    "a!mallory@evil.example_",
    f"{'m' * 70}@evil.example",
    "m@" + "e" * 70 + ".example",
    "m@" + "e." * 12 + "example",
    "<$m@evil.example>",
    "``` a`b\n![i](https://evil.example/x)\n```",
)
PLANTED: Final = (CHUNKS[0], chunk(2, CAIRO, title="<b>T</b> `x` \\ | [y]( z"), CHUNKS[2])
hostile = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=25).map("".join)


@given(hostile)
@example("[<b>c9] and http<b>://evil.example and ![<b>](x)")
@example("| [c1] <br>\n|---|\n| [c9] |")
def test_every_citation_that_is_left_is_of_a_chunk_and_every_quote_stands_at_its_place(text: str) -> None:
    written = check(text, PLANTED)
    known = {one.id: one for one in PLANTED}
    for one in written.citations:
        assert f"- k{one.chunk[1:]}]" in written.markdown
        if one.quote is not None:
            assert known[one.chunk].text[one.start : one.end] == one.quote
    assert all(len(one.text) <= 200 and one.reason for one in written.removed)


@given(hostile)
@example("A word [c2]\n|---|---|\n")
@example("| [c1] |\n|---|\n[c2] xmpp: \n[c1]")
def test_what_was_checked_stays_when_it_is_checked_again(text: str) -> None:
    once = check(text, PLANTED)
    again = check(once.markdown, PLANTED)
    assert again.markdown == once.markdown
    assert set(again.cited) == set(once.cited)
    assert again.removed == ()


@given(hostile)
def test_outside_of_code_no_bracket_names_a_chunk_id(text: str) -> None:
    left = re.sub(r"(?ms)^ *(?:[-*+] +|\d+[.)] +)?(```+|~~~+).*?\1|(`+)[^\n]+?\2", "", check(text, PLANTED).markdown)
    assert not re.search(r"\[c\d+\]|【c\d+】|\[\^|\[Doc 7\]|\[1\]", left)


@given(st.text())
def test_any_text_can_be_checked_against_no_chunks(text: str) -> None:
    assert check(text, ()).citations == ()


def test_renderers_find_no_image_no_html_and_no_link_but_those_of_chunks() -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        assert os.environ.get("CI") != "true", "npm is not installed here"
        pytest.skip("npm is not installed here")
    folder = node_packages("markdown", ["commonmark@0.31", "markdown-it@14", "marked@16"])
    draw = random.Random(20261120)
    texts = ["".join(draw.choices(FRAGMENTS, k=draw.randint(1, 25))) for _ in range(1_500)]
    left = [check(text, PLANTED).markdown for text in (*TRICKY, *texts)]
    lines = "\n".join(json.dumps(text) for text in left)
    command = ["node", str(HERE / "renderers.mjs"), str(folder)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=120)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(left)
    links = 0
    for text, each in zip(left, found, strict=True):
        for one in each:
            assert one["images"] == one["html"] == 0, text
            assert set(one["links"]) <= {"https://plant.example/history"}, text
            links += len(one["links"])
    assert links > 100, "the sample shows nothing when no link is ever left"


class Lines:
    """Counts the lines of Python that run: a measure of work that no busy machine changes."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> "Lines":
        self.count += event == "line"
        return self


def lines_run(text: str) -> int:
    lines, before = Lines(), sys.gettrace()
    sys.settrace(lines)
    try:
        check(text)
    finally:
        sys.settrace(before)
    return lines.count


REPEATED: Final = (
    "[", "](", "![", "[c1]", "[c9] ", "[c1, ", "`", "``` ", "` `` ``` ", '"a b c ', '"closed in 2011" ', "“", "<",
    "<a ", "<!--", "&#91;", "\\", "www.a ", "ab. Cd. ", "a [c1]. ", "a [1]. ", "\n", "a\n", "> ", "- ", "|a|\n",
    "# a [c9]\n", "- a [c9]\n", "~~~\n", "    ```\n", "- ```\n", " ", "(", "[x](", "[a](b ", "[c1](", "[a]: b\n", "…",
    "。", "北京[c3]。", "a@", "a@b.", "a.", "@", "mailto:", "1,", "‘a s’ ", "‘as’ b", "‘as’", "`a` ", "```\na\n```\n",
    "1998 ", "a-", "<a@", "<a:",
)  # fmt: skip


@pytest.mark.parametrize("part", REPEATED)
def test_twice_the_text_is_at_most_about_twice_the_work(part: str) -> None:
    short, long = (lines_run(part * (length // len(part))) for length in (1_000, 2_000))
    assert long <= 2.4 * short + 500


@pytest.mark.parametrize("part", REPEATED)
def test_the_longest_answer_of_anything_gives_a_bounded_one(part: str) -> None:
    text = (part * 20_000)[:20_000]
    written = check(text)
    assert len(written.markdown) <= 6 * len(text)
    assert len(written.removed) <= len(text)
