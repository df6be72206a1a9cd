"""A folder as people have it: what is read of each kind of file, and what is skipped with its reason."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient
from pptx import Presentation

from retrieval import compose
from retrieval.errors import NotConfigured
from retrieval.local.corpora import load
from retrieval.local.documents.reading import FolderText, read
from retrieval.local.documents.tables import table
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import InProcessTransport
from tests.conftest import Post
from tests.environments import ROOT
from tests.local.documents.folder import CHUNKS, FILES, READ, RELATIONS, SKIPPED, TYPES, W, mixed


def of(reading: FolderText, source: str) -> list[dict[str, Any]]:
    return [line.value for line in reading.lines if line.value.get("source") == source]


def test_every_number_of_the_summary_is_right_and_what_was_skipped_is_named(tmp_path: Path) -> None:
    summary = read(mixed(tmp_path), name="handbook").summary
    assert (summary.files, summary.chunks, len(summary.skipped)) == (READ, CHUNKS, FILES - READ)
    reasons = {one.source: one.reason for one in summary.skipped}
    assert reasons.keys() == SKIPPED.keys()
    assert [source for source, reason in SKIPPED.items() if reason not in reasons[source]] == []
    said = list(summary.lines("handbook"))
    assert said[0] == f"handbook: {READ} files, {CHUNKS} chunks, {FILES - READ} skipped"
    assert "\x1b" not in "".join(said)


def test_a_load_ends_with_a_table_of_files_and_a_warning_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.md").write_text("# One\n\nword\n\n# Two\n\nword\n")
    (tmp_path / "README").write_text("word")
    (tmp_path / "guide.adoc").write_text("Text.\n\ninclude::other.adoc[]\n\ninclude::\x1bmore.adoc[]\n")
    (tmp_path / "tool.exe").write_text("MZ")
    lines = load("handbook", tmp_path).summary
    assert lines[0] == "handbook: 3 files, 4 chunks, 1 skipped"
    assert lines[1:4] == (
        "  skipped tool.exe: nothing here reads .exe",
        "  file        kind  chunks  left out",
        r"  guide.adoc  adoc       1  'what it includes of other.adoc; what it includes of \x1bmore.adoc'",
    )
    assert lines[4:] == ("  README      text       1", "  a.md        md         2")
    assert [record.message for record in caplog.records] == [
        "handbook: 3 things left out: guide.adoc: what it includes of other.adoc, "
        r"guide.adoc: 'what it includes of \x1bmore.adoc', tool.exe: nothing here reads .exe"
    ]


@pytest.mark.parametrize(
    ("keys", "warnings"),
    [
        ("", ["hall: empty.md: empty", r"hall: 'a\x1b.md': its name has control characters or is not UTF-8"]),
        ("a-key-of-our-own", ["hall: 2 things left out"]),
    ],
)
async def test_what_a_load_leaves_out_is_in_ready_and_names_files_where_the_key_is_known_to_everybody(
    keys: str, warnings: list[str], tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("word")
    (tmp_path / "a\x1b.md").write_text("word")
    (tmp_path / "empty.md").touch()
    corpora = json.dumps({"hall": str(tmp_path)})
    for name, value in {"LOCAL": "1", "API_KEYS": keys, "ADMIN_API_KEYS": "", "LOCAL_CORPORA": corpora}.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    answer = await post(b"", "/ready", method="GET", key=None)
    await compose.end()
    assert (answer.status, sorted(answer.json["warnings"])) == (200, sorted(warnings))


def test_a_chunk_has_its_title_its_headings_its_source_and_its_page(tmp_path: Path) -> None:
    reading = read(mixed(tmp_path), name="handbook")
    short, holidays = of(reading, "hr/leave.md")[:2]
    assert (holidays["title"], holidays["heading_path"]) == ("Leave policy", "Leave > Holidays")
    assert holidays["text"] == "Everybody has thirty-two days of holiday a year."
    assert "# no heading" in short["text"]
    assert [one["heading_path"] for one in of(reading, "travel.html")] == ["Trains", "Trains > Hotels"]
    assert all(one["title"] == "Travel policy" for one in of(reading, "travel.html"))
    assert "x()" not in of(reading, "travel.html")[1]["text"]
    assert [one["page"] for one in of(reading, "canteen.pdf")] == [1, 2]
    assert [(one["heading_path"], one["page"]) for one in of(reading, "plan.pptx")] == [("Goals", 1), ("Budget", 2)]
    assert of(reading, "parking.docx")[0]["heading_path"] == "Parking"
    assert [one["heading_path"] for one in of(reading, "people.csv")] == ["row 2", "row 3", "row 5"]
    assert of(reading, "people.csv")[0]["text"] == "name: Anna\ndesk: 4A"
    assert [one["title"] for one in of(reading, "desks.json")] == ["Desk 4A", "Desk 7C"]


def test_the_keys_within_keys_of_a_json_are_words_that_find_it(tmp_path: Path) -> None:
    (tmp_path / "policy.json").write_text('{"retention": {"mail": "7 years", "chat": "90 days"}, "owner": "legal"}')
    (tmp_path / "lunch.md").write_text("The canteen opens at noon.")
    assert "retention > chat: 90 days" in of(read(tmp_path, name="kept"), "policy.json")[0]["text"]
    local = stand_in((("kept", str(tmp_path)),))
    agent = next(one for one in local.agents if one.name == "kept")
    credential, transport = AzureKeyCredential(local.key), InProcessTransport(local.service)
    with SearchClient(local.endpoint, agent.targets[0].index, credential, transport=transport) as client:
        assert [len(list(client.search(word))) for word in ("chat", "mail", "How long is chat kept?")] == [1, 1, 1]


def test_keys_are_stable_one_a_chunk_and_such_as_azure_takes(tmp_path: Path) -> None:
    folder = mixed(tmp_path)
    first, second = read(folder, name="a"), read(folder, name="b")
    keys = [str(line.value["_id"]) for line in first.lines]
    assert keys == [line.value["_id"] for line in second.lines]
    assert len(set(keys)) == len(keys)
    assert {"faq-1", "faq-2"} <= set(keys)
    assert all(key.replace("-", "").isalnum() and key.isascii() for key in keys)


def test_a_folder_is_a_corpus_with_the_fields_of_a_chunk(tmp_path: Path) -> None:
    corpus = load("handbook", mixed(tmp_path))
    fields = corpus.definition["fields"]
    assert isinstance(fields, list)
    types = {field["name"]: field["type"] for field in fields if isinstance(field, dict)}
    assert types["page"] == "Edm.Int64" and {"title", "text", "heading_path", "source"} <= types.keys()
    assert corpus.summary[0].startswith("handbook: ")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", b"", "empty"),
        ("a.md", b"# only a heading\n", "it has no text"),
        ("a.md", b"a\0b", "it is not a text"),
        ("a.txt", "wörds".encode("utf-16") + b"!", "it begins as UTF-16 and is broken at byte 12"),
        ("a.txt", b"\xff\xfea\0\x00\xd8b\0", "it begins as UTF-16 and is broken at byte 4"),
        ("a.html", b"<script>x()</script>", "it has no text"),
        ("a.json", b"[" * 100_000, "it is no JSON"),
        ("a.json", b'[{"text": "half \\ud800"}]', "it has half a surrogate pair"),
        ("a.docx", b"no archive", "no archive of Office"),
        ("a.pdf", b"%PDF-1.7 nothing", "it cannot be read"),
        ("a.pptx", b"PK", "no archive of Office"),
        ("a.exe", b"MZ", "nothing here reads .exe"),
        ("a", b"\0", "it is not a text"),
        ("a.jsonl", b"\n", "has no document"),
    ],
)
def test_a_load_without_a_document_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NotConfigured) as refusal:
        load("handbook", tmp_path / name)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", "# a\n\nb\n" * 100_000, "at most 100,000 lines"),
        ("a.md", "x" * 17_000_000, "at most 16,777,216 bytes"),
        ("a.html", "<p>a" * 250_000, "at most 200,000 tags"),
        ("a.csv", "a\n" * 60_000, "more than 50,000 chunks"),
        ("a.json", "[" + "[]," * 600_000 + "[]]", "more than 500,000 objects"),
    ],
)
def test_what_would_take_too_much_memory_is_skipped_with_the_limit(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "fine.txt").write_text("Fine.")
    summary = read(tmp_path, name="x").summary
    assert [(one.source, reason in one.reason) for one in summary.skipped] == [(name, True)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "# " + "[" * 2_000_000 + "\n\ntext"),
        ("a.md", "[a]: b\n" * 90_000 + "\ntext"),
        ("a.md", "|" * 1_000_000 + "\n\ntext"),
        ("a.md", "`" * 1_000_000 + "\n\ntext"),
        ("a.txt", "a." * 1_000_000),
        ("a.html", "<title>" + "t" * 1_000_000 + "</title>text"),
    ],
)
def test_no_text_takes_long(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    lines = read(tmp_path, name="x").lines
    assert all(len(str(line.value["title"])) + len(str(line.value["heading_path"])) <= 2_000 for line in lines)


def test_where_a_file_needs_the_extra_the_summary_gives_the_command(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
sys.modules.update(dict.fromkeys(("pypdf", "mammoth", "pptx")))
from retrieval.local.documents.reading import read
print(*read(Path(sys.argv[1]), name="x").summary.lines("x"), sep="\\n")
"""
    command = [sys.executable, "-c", code, str(mixed(tmp_path))]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout
    assert f"x: {READ - 3} files, {CHUNKS - 5} chunks, {FILES - READ + 3} skipped" in said
    for name in ("canteen.pdf", "parking.docx", "plan.pptx"):
        assert f"  skipped {name}: {Path(name).suffix} needs more packages: make documents" in said


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="has no document"):
        load("handbook", tmp_path)
    (tmp_path / "a.bin").write_text("x")
    with pytest.raises(NotConfigured) as caught:
        load("handbook", tmp_path)
    assert caught.value.sentences[0].splitlines() == [
        "handbook: 0 files, 0 chunks, 1 skipped",
        "  skipped a.bin: nothing here reads .bin",
        f"{tmp_path.name} has no document that can be read.",
    ]


@pytest.mark.slow
def test_deep_html_is_read_or_skipped_and_never_fails(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 100_000 + "deep")
    (tmp_path / "open.html").write_text("<p>one<p>two" * 2_000)
    summary = read(tmp_path, name="x").summary
    assert summary.files + len(summary.skipped) == 2
    assert "open.html" not in {one.source for one in summary.skipped}


def test_a_document_type_that_names_entities_is_skipped_or_stays_small(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    (tmp_path / "fine.md").write_text("fine")
    with zipfile.ZipFile(tmp_path / "laughs.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        body = f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>'
        archive.writestr("word/document.xml", f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]>{body}')
    assert [one.source for one in read(tmp_path, name="x").summary.skipped] == ["laughs.docx"]


def test_what_is_said_in_html_is_text_as_a_reader_sees_it(tmp_path: Path) -> None:
    html = "<p>5*3 a_b &amp; <b>c</b><table><tr><th>City<th>Days<tr><td>Oslo &amp; Bergen<td>3</table>"
    (tmp_path / "a.html").write_text(html)
    assert read(tmp_path, name="x").lines[0].value["text"] == (
        "5*3 a_b & c\n\n| City | Days |\n| --- | --- |\n| Oslo & Bergen | 3 |"
    )


def test_of_a_manual_in_html_headings_and_text_have_no_permalinks_and_no_escapes(tmp_path: Path) -> None:
    html = """<h1>SQL<a class="anchor headerlink" href="#s">Link to this</a></h1>
    <h2>4.6. The json_insert(), <code>json_set()</code> &amp; &lt;b&gt; functions<a href="#f">¶</a></h2>
    <p>They insert <a href="x.html">values</a>.<a href="#p"> # </a><a id="here"></a>"""
    (tmp_path / "a.html").write_text(html)
    (chunk,) = (line.value for line in read(tmp_path, name="x").lines)
    assert chunk["heading_path"] == "SQL > 4.6. The json_insert(), json_set() & <b> functions"
    assert (chunk["title"], chunk["text"]) == ("SQL", "They insert [values](x.html).")


def test_tables_of_html_and_slides_are_tables_of_markdown(tmp_path: Path) -> None:
    kiel = '<tr>\n\n<td title="a>b">Kiel|Süd</td><td></td>\n<td>5<p>m</p>\n\nor <b>m</b>ore'
    rows = f"{kiel}<tr><td><tr><td>Ulm<!-- <td> -->"
    (tmp_path / "a.html").write_text(f"<table><caption>Piers</caption><tr><th>Pier<th><th>Depth{rows}</table>After")
    piers = r"| Pier |  | Depth |\n| --- | --- | --- |\n| Kiel\|Süd |  | 5 m or more |\n| Ulm |".replace(r"\n", "\n")
    assert read(tmp_path, name="x").lines[0].value["text"] == f"Piers\n\n{piers}\n\nAfter"
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    shapes = slide.shapes
    shapes.add_textbox(0, 0, 9, 9).text_frame.text = "Two piers.\nOne crane."
    cells = shapes.add_table(2, 2, 0, 0, 9, 9).table
    for row, column, text in ((0, 0, "Pier"), (0, 1, "Depth"), (1, 0, "Kiel\nSüd"), (1, 1, "5 m")):
        cells.cell(row, column).text = text
    deck.save(str(tmp_path / "a.pptx"))
    said = of(read(tmp_path, name="x"), "a.pptx")[0]["text"]
    assert said == "Two piers.\n\nOne crane.\n\n| Pier | Depth |\n| --- | --- |\n| Kiel Süd | 5 m |"


def test_one_wide_row_does_not_widen_the_others() -> None:
    assert len(table([["a"], ["b"] * 1_000, *([["c"]] * 1_000)])) < 30_000
    assert table([["alone", "", "a|b"]]) == r"alone | a\|b"
    assert table([[" "]]) == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_texts_are_read_in_the_encodings_that_people_have(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("Größe\r\n", encoding=encoding)
    assert read(tmp_path / "a.txt", name="x").lines[0].value["text"] == "Größe"
