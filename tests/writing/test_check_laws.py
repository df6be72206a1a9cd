"""Laws of checked answers over hostile blocks, what real renderers find in them, and how the work grows."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.model.answer import Citation, Written
from retrieval.model.retrieval import Chunk
from retrieval.model.search import Hit
from retrieval.text.source_labels import in_list, label
from retrieval.writing import answer_blocks
from retrieval.writing.answer_blocks import Kind
from retrieval.writing.markdown import Part, citation_names, markdown, with_list
from tests.answer.material import CAIRO, CHUNKS, PLANT, block, chunk, request
from tests.laws import share
from tests.sampling import sample
from tests.third_parties import markdown_renderers
from tests.writing import checking as citations

HERE: Final = Path(__file__).parent
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NOTHING: Final = Written(markdown="", by="model")


def check(blocks: Sequence[object], chunks: tuple[Chunk, ...] = CHUNKS, *, asked: str = "") -> Written:
    """The checked answer of a reply with these blocks, and what is missing; empty if the reply cannot be read."""
    try:
        said = answer_blocks.read(json.dumps({"blocks": blocks}))
    except BadModelReply:
        return NOTHING
    written = citations.check(said, chunks=chunks, by="model", asked=asked, names=citation_names(chunks, "label"))
    shown = (written.markdown, *(one.markdown for one in written.missing))
    return replace(written, markdown="\n\n".join(text for text in shown if text))


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
    "![t][x]", "\n[x]: https://evil.example\n", "*", "**", "_", "evil.com", "evil.com/?leak=x", "EVIL.de", ".com",
    "evil", "readme.md", "xn--e1afmkfd.xn--p1ai", "пример.рф", "10.0.0.1", "//", "www.", "~", "&", "#", "-", "1.", "|",
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
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=12).map("".join)
ids = st.sampled_from(["c1", "c2", "c3", "c9", "[c1]", "Doc 7", "T1 - k1", ""])
hostile = st.lists(
    st.builds(
        lambda text, ids, kind, quotations: block(text, *ids, kind=kind, quotations=quotations),
        texts,
        st.lists(ids, max_size=3),
        st.sampled_from(KINDS),
        st.lists(st.tuples(st.sampled_from(["closed in 2011", "closed in 2012", "…", ""]) | st.text(max_size=8), ids)),
    ),
    max_size=8,
)


@given(hostile)
def test_every_citation_that_is_left_is_of_a_chunk_and_every_quote_stands_at_its_place(blocks: list[object]) -> None:
    written = check(blocks, PLANTED)
    known = {one.id: one for one in PLANTED}
    for one in written.citations:
        assert f"- k{one.chunk[1:]}]" in written.markdown
        if one.quote is not None:
            assert known[one.chunk].text[one.start : one.end] == one.quote
    assert all(len(one.text) <= 200 and one.reason for one in written.removed)


@given(hostile)
def test_outside_of_code_every_square_bracket_is_a_citation_that_was_checked(blocks: list[object]) -> None:
    written = check(blocks)
    prose = re.sub(r"(?ms)^(```+)\n.*?^\1$|(?<!\\)(`)[^`\n]+`", "", written.markdown)
    assert set(re.findall(r"\[[^\]]*\]?|\]", prose)) == {f"[T{name[1:]} - k{name[1:]}]" for name in written.cited}


@given(hostile)
def test_what_was_checked_holds_alone_too(blocks: list[dict[str, object]]) -> None:
    """No block is kept because of another block's citation. A heading or a header needs a row after it."""
    whole = check(blocks)
    alone = [check([one, block("It", kind="row")]) for one in blocks]
    assert set(whole.cited) <= {name for one in alone for name in one.cited}


@given(hostile)
def test_any_blocks_can_be_checked_against_no_chunks(blocks: list[object]) -> None:
    assert check(blocks, ()).citations == ()


@pytest.fixture(scope="module")
def renderers() -> Path:
    if shutil.which("npm") is None or shutil.which("node") is None:
        assert os.environ.get("CI") != "true", "npm is not installed here"
        pytest.skip("npm is not installed here")
    return markdown_renderers()


def rendered(folder: Path, texts: Sequence[str]) -> list[list[dict[str, Any]]]:
    """What each renderer finds in each text."""
    lines = "\n".join(json.dumps(text) for text in texts)
    command = ["node", str(HERE / "renderers.mjs"), str(folder)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=120)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(texts)
    return found


def hostile_texts(count: int) -> list[str]:
    draw = random.Random(20261120)
    return [*TRICKY, *("".join(draw.choices(FRAGMENTS, k=draw.randint(1, 12))) for _ in range(count))]


@pytest.mark.hypothesis
def test_renderers_find_no_image_no_html_and_no_link_but_those_of_cited_chunks(renderers: Path) -> None:
    draw = random.Random(20261121)
    replies = [
        [
            block(text, *draw.choices(["c1", "c2", "c9"], k=draw.randint(0, 2)), kind=draw.choice(KINDS))
            for text in draw.choices(hostile_texts(share(1_500)), k=draw.randint(1, 8))
        ]
        for _ in range(share(1_500))
    ]
    left = [check(one, PLANTED, asked=" ".join(str(each["text"]) for each in one)) for one in replies]
    links = 0
    for written, each in zip(left, rendered(renderers, [one.markdown for one in left]), strict=True):
        for one in each:
            assert one["images"] == one["html"] == 0, written.markdown
            assert set(one["links"]) <= {"https://plant.example/history"}, written.markdown
            assert "c1" in written.cited or not one["links"], written.markdown
            links += len(one["links"])
    assert links > share(100), "the sample shows nothing when no link is ever left"


LABELS: Final = (
    "tools.md, Tools > Calling a tool", "concepts/tools.md, Tools", "a-b/c_d/tools.md", "report.pdf, page 2", "x.py",
    "evil.com/a.md, x", "www.evil.com/a", "//evil.com/a.md", "a/me@evil.com", "https://evil.com/x.md", "10.0.0.1/a.md",
    "a.md, see evil.com", "mailto:me@evil.com", "docs/x.md](https://evil.com", "![i](https://evil.com/x.png)",
    "a/b.m`c", "evil.com.pdf", "www.evil.pdf", "10.0.0.1.txt", "me@evil.pdf", "//evil.html", "evil.com/x.pdf",
    "a:b/c.pdf",
    "x.PDF",
)  # fmt: skip


TRICKY_LABELS: Final = (
    "*a* _b_ __c__ ~~d~~ **e**", "# a", "1. a", "- a", "> a", "---", "&lt;b&gt; &amp; <b>", "<img src=x>", "`a` b`",
    "a | b", "__init__.py", "a\\", "![x](y)", "x](http://evil.example)", "https://evil.example/?q=1", ": x",
    "(https://evil.example)",
)  # fmt: skip


def test_renderers_show_every_label_and_make_no_link_of_it(renderers: Path) -> None:
    """That of a file at the top of its folder too: .md is a top-level domain."""
    shown = [label(Hit(key="k", score=None, label=one)) for one in LABELS]
    parts = [Part(kind="paragraph", text="It opened.", sources=(one,)) for one in shown]
    for one, each in zip(shown, rendered(renderers, [markdown([part]) for part in parts]), strict=True):
        for found in each:
            assert found["images"] == found["html"] == 0 and found["links"] == [], (one, found)
            assert flat(one) in flat(unescape(re.sub(r"<[^>]*>", "", found["shown"]))), (one, found)


def test_renderers_show_every_label_of_the_list_of_sources_and_make_no_link_of_it(renderers: Path) -> None:
    """And nothing else of it: no emphasis, no code but what could be an address, no other block."""
    shown = [label(Hit(key="k", score=None, label=one)) for one in (*LABELS, *TRICKY_LABELS)]
    chunks = [replace(chunk(number, PLANT), source=one) for number, one in enumerate(shown, start=1)]
    written = [Written(markdown="It opened [1].", citations=(Citation(chunk=one.id),), by="model") for one in chunks]
    listed = [with_list(one, request(), chunks).markdown for one in written]
    for one, each in zip(shown, rendered(renderers, listed), strict=True):
        for found in each:
            assert found["images"] == found["html"] == 0 and found["links"] == [], (one, found)
            seen = unescape(re.sub(r"<[^>]*>", "", found["shown"]))
            assert flat(seen) == flat(f"It opened (1).Sources(1){in_list(one)}")
            assert found["shown"].count("<li>") == 1 and "<em>" not in found["shown"] and "<h" not in found["shown"]


def flat(text: str) -> str:
    """Without blanks and signs that Markdown changes: backticks around code, bars of a table, square brackets."""
    return re.sub(r"[\s`|/]", "", text.translate(str.maketrans("[]［］", "()()")))


def test_renderers_show_every_text_as_it_is(renderers: Path) -> None:
    """Whatever a text holds, and without regard to what may stay of an answer."""
    said = [
        (one.kind, one.text)
        for text in hostile_texts(400)
        for kind in KINDS
        if kind != "code"
        for one in answer_blocks.blocks({"blocks": [block(f"{text} end", kind=kind), block("end")]})
    ]
    begun = {kind: Part(kind="header" if kind == "row" else "paragraph", text="begin") for kind in KINDS}
    left = [markdown([begun[kind], Part(kind=kind, text=text)]) for kind, text in said]
    for (kind, text), each in zip(said, rendered(renderers, left), strict=True):
        for one in each:
            if kind not in ("row", "header") or "<table>" in one["shown"]:
                shown = flat(unescape(re.sub(r"<[^>]*>", "", one["shown"])))
                assert shown == flat(f"begin{text}"), (kind, text, one["shown"])


SECONDS: Final = {1: 0.25, answer_blocks.MOST_BLOCKS: 0.25, 4_000: 0.05}
"""Of processor time, by the number of blocks; on a quiet machine a fifth of it."""


class Lines:
    """Counts the lines of Python that run: a measure of work that no busy machine changes."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> "Lines":
        self.count += event == "line"
        return self


def lines_run(text: str, count: int) -> int:
    blocks = [block(text, "c1", kind=KINDS[n % len(KINDS)]) for n in range(count)]
    lines, before = Lines(), sys.gettrace()
    sys.settrace(lines)
    try:
        check(blocks)
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
    short, long = (lines_run(part * (length // len(part)), 1) for length in (1_000, 2_000))
    assert long <= 2.4 * short + 500


@pytest.mark.parametrize("part", sample(REPEATED, every=3))
def test_twice_the_blocks_are_at_most_about_twice_the_work(part: str) -> None:
    short, long = (lines_run(part, count) for count in (100, 200))
    assert long <= 2.4 * short + 500


@pytest.mark.parametrize(("part", "count"), sample(list(product(REPEATED, SECONDS)), every=12))
def test_the_longest_answer_of_anything_takes_a_moment_and_gives_a_bounded_one(part: str, count: int) -> None:
    text = (part * 20_000)[: 20_000 // count]
    blocks = [block(text, "c1", "c9", kind=KINDS[n % len(KINDS)]) for n in range(count)]
    seconds = []
    for _ in range(3):
        start = time.process_time()
        written = check(blocks)
        seconds.append(time.process_time() - start)
    assert min(seconds) < SECONDS[count]
    assert len(written.markdown) <= 60_000
    assert len(written.removed) <= 4 * count + 20_000 // 14
