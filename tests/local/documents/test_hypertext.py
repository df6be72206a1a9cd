"""HTML: each value below its own header, notes where they are cited, and nothing that a reader does not see."""

from pathlib import Path
from time import process_time

import pytest

from retrieval.local.documents.reading import read


def texts(tmp_path: Path, html: str) -> list[str]:
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    return [str(line.value["text"]) for line in read(path, name="x").lines]


def rows(text: str) -> list[list[str]]:
    """The cells of the only table of a text, without the line of dashes."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if not line.startswith("| ---")]


def test_a_cell_over_several_rows_and_columns_is_in_each_of_them(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        """<table><tr><th>Pier<th>Mon<th>Tue<th>Wed
        <tr><td rowspan=3>East<td colspan=2>open<td>shut
        <tr><td>9<td rowspan=2>8<td>7
        <tr><td>6<td>5
        <tr><td>West<td>4<td>3<td>2</table>""",
    )
    assert rows(text) == [
        ["Pier", "Mon", "Tue", "Wed"],
        ["East", "open", "open", "shut"],
        ["East", "9", "8", "7"],
        ["East", "6", "8", "5"],
        ["West", "4", "3", "2"],
    ]


def test_a_span_ends_with_its_part_of_the_table_and_with_the_columns_that_there_are(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        """<table><thead><tr><th>Pier<th>Crane</thead><tbody><tr><td rowspan=0>East<td>1<tr><td>2</tbody>
        <tbody><tr><td rowspan=9>West<td colspan=70>3</tbody><tbody><tr><td>North<td>4</tbody></table>""",
    )
    assert rows(text) == [["Pier", "Crane"], ["East", "1"], ["East", "2"], ["West", "3"], ["North", "4"]]


@pytest.mark.parametrize("cell", ["th", "td"])
def test_two_rows_of_headers_are_one_header(tmp_path: Path, cell: str) -> None:
    (text,) = texts(
        tmp_path,
        f"""<table><tr><{cell} rowspan=2>Boat<{cell} colspan=2>Summer<{cell} colspan=2>Winter
        <tr><{cell}>Day<{cell}>Week<{cell}>Day<{cell}>Week<tr><td>Yawl<td>5<td>30<td>4<td>20</table>""",
    )
    assert rows(text) == [
        ["Boat", "Summer > Day", "Summer > Week", "Winter > Day", "Winter > Week"],
        ["Yawl", "5", "30", "4", "20"],
    ]


def test_names_below_a_merged_header_are_values_unless_numbers_stand_below_them(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        "<table><tr><th>Boat<th colspan=2>Crew<tr><td>Yawl<td>cook<td>mate<tr><td>Punt<td>none<td>none</table>",
    )
    assert rows(text)[:2] == [["Boat", "Crew", "Crew"], ["Yawl", "cook", "mate"]]


def test_a_row_over_the_whole_table_is_a_title_above_it_and_a_row_within_it(tmp_path: Path) -> None:
    text = texts(
        tmp_path,
        """<table><tr><th colspan=2>Fees of the lock<tr><th>Boat<th>Fee<tr><td colspan=2>By night
        <tr><td>Yawl<td>5</table>""",
    )[0]
    assert text.startswith("Fees of the lock\n\n| Boat | Fee |")
    assert rows(text) == [["Boat", "Fee"], ["By night"], ["Yawl", "5"]]


def test_a_table_in_a_cell_shifts_no_value(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        """<table><tr><th>Boat<th>Fees<th>Note<tr><td>Yawl<td><table><tr><th>Day<th>Week<tr><td>5<td>30</table>
        <td>ask<tr><td>Punt<td>none<td>free</table>""",
    )
    assert rows(text) == [["Boat", "Fees", "Note"], ["Yawl", "Day: 5, Week: 30", "ask"], ["Punt", "none", "free"]]


def test_a_table_that_arranges_a_page_is_none(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<table><tr><td><h1>Locks</h1><p>They open at six.<table><tr><th>Lock<th>Hours<tr><td>Old<td>6</table></table>"
        "<table><tr><td><p>A frame.<p>Of two paragraphs.</table>"
    )
    (line,) = read(path, name="x").lines
    assert line.value["heading_path"] == "Locks"
    assert line.value["text"] == (
        "They open at six.\n\n| Lock | Hours |\n| --- | --- |\n| Old | 6 |\n\nA frame.\n\nOf two paragraphs."
    )


def test_a_table_in_a_list_is_a_table(tmp_path: Path) -> None:
    (text,) = texts(tmp_path, "<ul><li>Fees:<table><tr><th>A<th>B<tr><td>1<td>2</table><li>Hours</ul>")
    assert rows(text) == [["A", "B"], ["1", "2"]] and text.startswith("- Fees:") and text.endswith("Hours")


def test_terms_and_their_definitions_are_apart(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        "<dl><dt>Cleat<dd>A fitting for ropes.<dd>Also a nail.<dt>Fairlead<dt>Chock<dd><p>A guide.<p>Of steel.</dl>"
        "<dl><div><dt>Hawser</dt><dd>A <b>thick</b> rope.</dd></div></dl>",
    )
    assert text.split("\n\n") == [
        "Cleat: A fitting for ropes.",
        "Also a nail.",
        "Fairlead",
        "Chock",
        "A guide.",
        "Of steel.",
        "Hawser: A thick rope.",
    ]


def test_summaries_captions_and_boxes_are_as_they_are_seen(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path,
        "<details><summary>May I fish?</summary>Yes, from the mole.</details>"
        "<figure><img src=a alt=x><figcaption>The mole.</figcaption></figure>"
        "<p><input type=checkbox checked> Paid <input type=checkbox>Waived<p>5 m<sup>2</sup> and 1<sup>st</sup>",
    )
    assert text.split("\n\n") == ["May I fish?", "Yes, from the mole.", "The mole.", "☒ Paid ☐ Waived", "5 m² and 1st"]


def test_a_formula_is_on_one_line(tmp_path: Path) -> None:
    fraction = "<mfrac><mi>m</mi><msup><mi>h</mi><mn>2</mn></msup></mfrac>"
    formula = (
        f"<math><semantics><mrow><mi>i</mi><mo>=</mo>{fraction}</mrow><annotation>i=m/h^2</annotation></semantics>"
    )
    assert texts(tmp_path, f"<p>So {formula}</math>.") == ["So i=(m)/(h^2)."]


@pytest.mark.parametrize(
    "note",
    [
        '<p>Dogs pay.<sup><a href="#fn1" id=fnref1>1</a></sup><h2>Notes</h2><ol><li id=fn1>Puppies do not.'
        ' <a href="#fnref1">↩</a></ol>',
        '<p>Dogs pay.<a class="footnote-reference" href="#id2" id=id1>[1]</a><h2>X</h2><aside id=id2>'
        '<a href="#id1">[1]</a><p>Puppies do not.</aside>',
        '<p>Dogs pay.<sup><a href="#cite_note-1">[1]</a></sup><h2>References</h2><ol><li id=cite_note-1>'
        '<a href="#cite_ref-1">^</a> Puppies do not.</ol>',
    ],
)
def test_a_note_stands_where_it_is_cited(tmp_path: Path, note: str) -> None:
    assert texts(tmp_path, f"<h1>Pets</h1>{note}") == ["Dogs pay. [1: Puppies do not.]"]


def test_a_note_of_a_heading_stands_below_it_and_one_of_a_cell_in_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        '<h1>Pets<a href="#fn1">1</a></h1><p>Dogs pay.<table><tr><th>Pet<th>Fee<tr><td>Cat<a href="#fn2">2</a><td>3'
        "</table><h2>Hours</h2><p>At six.<ol><li id=fn1>From May.<li id=fn2>Not old ones.</ol>"
    )
    pets, hours = (line.value for line in read(path, name="x").lines)
    assert str(pets["heading_path"]).startswith("Pets") and str(pets["text"]).startswith("[1: From May.]\n\nDogs pay.")
    assert rows(str(pets["text"])) == [["Pet", "Fee"], ["Cat [2: Not old ones.]", "3"]]
    assert hours["text"] == "At six."


@pytest.mark.parametrize(
    ("title", "right"), [("Pier rules", "Pier rules"), ("Untitled Document", "Moor"), ("", "Moor")]
)
def test_the_title_of_a_page_is_its_own(tmp_path: Path, title: str, right: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<title>{title}</title><h1>Moor</h1><p>Gently.")
    assert [line.value["title"] for line in read(path, name="x").lines] == [right]


def test_links_that_cite_no_note_stay(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path, '<p>See <a href="#a">2</a> and <a href="#note-a">the part</a>.<p id=a>Two.<p id=note-a>N.'
    )
    assert "Two." in text and "N." in text


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- {} -->",
        "<p hidden>{}",
        '<div style="color:red; DISPLAY : none !important"><p>{}</p></div>',
        '<p style="visibility:hidden">{}',
        "<style>.old, #x {{ display: none }} p {{ color: red }}</style><p class='a old'>{}",
        "<style>/* } */ div.draft {{display:none}}</style><div class=draft><p>{}</p></div>",
        "<template><p>{}</template>",
        "<dialog>{}</dialog>",
        "<script>{}</script>",
        '<table style="display:none"><tr><td>{}<td>b</table>',
        "<table><tr><td>a<td>b<tr hidden><td>{}<td>c</table>",
        "<table><tr><td>a<td>b <span hidden>{}</span><tr><td>d<!-- {} --><td>c</table>",
        '<input type="hidden" value="{}">',
    ],
)
def test_what_no_reader_sees_is_not_loaded(tmp_path: Path, hidden: str) -> None:
    found = texts(
        tmp_path, f"<h1>Shown</h1><p>Shown.</p>{hidden.replace('{}', 'secret').replace('{{', '{').replace('}}', '}')}"
    )
    assert found[0].startswith("Shown.") and "secret" not in "".join(found)


@pytest.mark.parametrize(
    "shown",
    [
        "<details>{}</details>",
        '<p hidden="until-found">{}',
        "<dialog open>{}</dialog>",
        "<style>@media print {{ .a {{ display: none }} }}</style><p class=a>{}",
        "<style>.tab {{ display: none }} .tab.active {{ display: block }}</style><p class=tab>{}",
        '<p style="background-display: none">{}',
    ],
)
def test_what_a_reader_can_open_is_loaded(tmp_path: Path, shown: str) -> None:
    assert "plain" in texts(tmp_path, shown.replace("{}", "plain").replace("{{", "{").replace("}}", "}"))[0]


def test_no_page_takes_long(tmp_path: Path) -> None:
    wide = "<table>" + "<tr><td colspan=1000 rowspan=60000>a" * 1_000 + "</table>after"
    pages = {
        "spans": wide,
        "hidden": "<p hidden>a" * 20_000 + "<p>b",
        "notes": '<h1>a<a href="#fn1">1</a></h1>' * 8_000 + "<p id=fn1>" + "note " * 1_000,
        "places": "".join(f"\ue000{n}\ue001" for n in range(10_000)) + "<table><tr><td>a<td>b</table>",
        "styles": "<style>"
        + "".join(f".a{n}{{display:none}}" for n in range(20_000))
        + "</style>"
        + "<p class=b>b" * 20_000,
        "terms": "<dl>" + "<dt>a<dd>b" * 15_000 + "</dl>",
        "tables": "<table><tr><td>" * 150 + "deep",
    }
    before = process_time()
    for name, page in pages.items():
        (tmp_path / f"{name}.html").write_text(page)
    summary = read(tmp_path, name="x").summary
    assert [one.source for one in summary.skipped] == ["spans.html"]
    assert process_time() - before < 20


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<ol start=5><li>five<li value=9>nine<li>ten</ol>", ["- 5. five\n- 9. nine\n- 10. ten"]),
        ("<ol reversed><li>two<li>one</ol>", ["- 2. two\n- 1. one"]),
        ("<ol><li>one<li>two</ol>", ["1. one\n2. two"]),
        ("<ul>\n<li><p>one</p></li>\n<li><p>two</p></li></ul>", ["- one\n- two"]),
        ("<ol start=3><li><p>three</p></ol>", ["- 3. three"]),
        ("<ol><li>x<ul><li>a<li>b</ul><li>y</ol>", ["1. x", "- a\n- b", "2. y"]),
        ("<p>It costs <del>40</del> <ins>50</ins> or <s>60</s>.<strike></strike>", ["It costs ~~40~~ 50 or ~~60~~."]),
    ],
)
def test_a_list_has_its_numbers_and_what_is_struck_out_is_marked(html: str, shown: list[str], tmp_path: Path) -> None:
    (text,) = texts(tmp_path, html)
    assert [block for block in text.split("\n\n") if block] == shown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol type=a><li>one<li>two</ol>", "- a. one\n- b. two"),
        ("<ol type=I start=3><li>one</ol>", "- III. one"),
        ('<ol style="list-style-type: lower-roman"><li>one<li>two</ol>', "- i. one\n- ii. two"),
        (
            "<table><tr><td>A<td>B<tr><td><ol><li>one<li>two</ol><td>x</table>",
            "| A | B |\n| --- | --- |\n| 1. one 2. two | x |",
        ),
        ('<p>Name: <input value="Anna"> <input type=hidden value=x><input type=submit value=Go></p>', "Name: Anna"),
        ("<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>です", "東京 (とうきょう)です"),
        ("<p>Stars <span aria-hidden=true>★★</span>: two", "Stars : two"),
        ("<main aria-hidden=true><p>Behind a dialog.</main>", "Behind a dialog."),
        ("<p>a<canvas>x</canvas><video>x</video><audio>x</audio><meter>x</meter>b", "ab"),
        ("<p>soft&shy;hyphen zero&#8203;width wj&#8288;x", "softhyphen zerowidth wjx"),
    ],
)
def test_lists_fields_and_words_are_as_a_browser_shows_them(tmp_path: Path, html: str, text: str) -> None:
    assert texts(tmp_path, html) == [text]
