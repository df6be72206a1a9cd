"""The label of a source: one line, no brackets, and the key in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.search import Hit
from retrieval.text.source_labels import LONGEST_TITLE, in_list, label, label_and_heading, without

plain_keys = st.text("abcXYZ019_-=", min_size=1, max_size=60)


def labelled(title: str | None, key: str = "page_105") -> str:
    return label(Hit(key=key, score=None, title=title))


def test_a_label_is_the_title_and_the_key() -> None:
    assert labelled("Phoenix by Night") == "Phoenix by Night - page_105"


def test_where_the_index_has_them_a_label_is_file_and_heading() -> None:
    hit = Hit(key="concepts-tools-md-73e1e47f-12", score=None, title="Tools", label="concepts/tools.md, Tools > [x]\n")
    assert label(hit) == "concepts/tools.md, Tools > (x)"
    assert label(hit._replace(label="\u202e\n")) == "Tools - concepts-tools-md-73e1e47f-12"


@pytest.mark.parametrize(
    ("label", "title", "terms", "read"),
    [
        ("leave.md, Leave > Holidays", "Leave", "Leave > Holidays", "leave.md, Leave > Holidays"),
        (None, "Leave", "Leave > Holidays", "Leave, Leave > Holidays"),
        (None, "Leave", "Leave", "Leave"),
        (None, "Leave [x]\n", None, "Leave (x)"),
        (None, None, "grid, street", "grid, street"),
        ("\u202e", "", None, "leave-md-73e1e47f-12"),
        (None, "x" * 300, "y" * 300, f"{'x' * 100}…{'x' * 99}, {'y' * 100}…{'y' * 99}"),
    ],
)
def test_a_model_reads_the_path_of_headings_and_the_key_only_where_there_is_nothing_else(
    label: str | None, title: str | None, terms: str | None, read: str
) -> None:
    hit = Hit(key="leave-md-73e1e47f-12", score=None, title=title, terms=terms, label=label)
    assert label_and_heading(hit)[1] == read


def test_a_text_without_its_citations_keeps_its_links() -> None:
    said = "Thirty-two days [hr/leave.md, Leave > Holidays][a - b]. See [the page](https://leave.example) [1]."
    assert without(said).split() == "Thirty-two days . See [the page](https://leave.example) .".split()
    assert without("[" * 50_000 + "]" * 50_000)


def test_without_a_title_the_key_stands_alone() -> None:
    assert [labelled(title) for title in (None, "", " \t\n", "\x00\u2028")] == ["page_105"] * 4


def test_brackets_become_parentheses_and_line_ends_blanks() -> None:
    assert labelled("Rates [draft]\r\n  of\x1b[2J 2024\u2028\u00a0now") == "Rates (draft) of (2J 2024 now - page_105"


def test_a_key_cannot_leave_the_brackets_of_a_citation_either() -> None:
    assert labelled(None, "a]\n[b") == "a) (b"


def test_a_long_title_loses_its_middle_and_the_key_nothing() -> None:
    assert labelled("x" * 500, "k" * 500) == f"{'x' * 100}…{'x' * 99} - {'k' * 500}"
    assert labelled("x" * 5_000 + " y") == f"{'x' * 100}…{'x' * 97} y - page_105"


BOOK, PART = "Zweites Buch, Recht der Schuldverhältnisse", "Abschnitt 8, Einzelne Schuldverhältnisse"
LEASE = " > ".join([BOOK, PART, "Titel 5, Mietvertrag, Pachtvertrag", "Untertitel 2, Mietverhältnisse über Wohnraum"])


@pytest.mark.parametrize(
    ("whole", "short", "listed"),
    [
        (
            f"gesetze/bgb.md, {LEASE} > Kapitel 2, Die Miete > § 556 Vereinbarungen über Betriebskosten, page 2",
            "gesetze/bgb.md, Zweites Buch, Recht der Schuldverhältnisse > Abschnitt 8, Einzelne … über Wohnraum > "
            "Kapitel 2, Die Miete > § 556 Vereinbarungen über Betriebskosten, page 2",
            "gesetze/bgb.md, § 556 Vereinbarungen über Betriebskosten, page 2",
        ),
        (f"Civil code > {LEASE} > {PART} > Section 9", None, "Civil code > Section 9"),
        (f"{'deep/' * 40}notes, old.md, Notes > Now", f"{'deep/' * 15}", f"{'deep/' * 5}"),
        (f"law.md, {PART} > § 7 {'of the rather long act ' * 20}as amended", None, "law.md, § 7 of the rather long"),
        ("leave.md, Leave > Holidays", "leave.md, Leave > Holidays", "leave.md, Holidays"),
        ("canteen.pdf, page 2", "canteen.pdf, page 2", "canteen.pdf, page 2"),
    ],
)
def test_a_long_label_keeps_the_file_and_the_last_headings(whole: str, short: str | None, listed: str) -> None:
    hit = Hit(key="k", score=None, title="Law", terms="Law", label=whole)
    said, heading = label_and_heading(hit)
    assert said == heading == label(hit) and len(said) <= LONGEST_TITLE
    assert said.startswith(short or whole[:3]) and said[-4:] == whole[-4:]
    assert in_list(said).startswith(listed) and len(in_list(said)) <= 80 and in_list(said)[-4:] == whole[-4:]


@pytest.mark.parametrize(
    ("label", "listed"),
    [
        (
            "hilfe.html, Sich mit den inaktiven oder abwesenden Paketbetreuern beschäftigen und abstimmen",
            "hilfe.html, Sich mit den inaktiven oder … beschäftigen und abstimmen",
        ),
        (
            "eine sehr lange Datei mit vielen Rechtsschutzversicherungsgesellschaften im Namen.html, Kurz",
            "eine sehr lange Datei mit vielen … im Namen.html, Kurz",
        ),
    ],
)
def test_the_middle_that_a_label_loses_is_one_of_whole_words(label: str, listed: str) -> None:
    assert in_list(label) == listed


names = st.text("ab§ ,.…", max_size=150)


@given(names, st.lists(names, min_size=1, max_size=8))
def test_a_label_of_any_headings_keeps_both_ends(name: str, headings: list[str]) -> None:
    whole = " ".join(f"{name}.md, {' > '.join(headings)}".split())
    said = label(Hit(key="k", score=None, title=None, label=whole))
    for short, longest in ((said, 200), (in_list(said), 80)):
        assert len(short) <= longest
        assert (short[0], short[-1]) == (whole[0], whole[-1])


@given(st.one_of(st.none(), st.text()), plain_keys)
def test_a_label_is_one_printable_line_without_brackets_that_ends_in_the_key(title: str | None, key: str) -> None:
    said = labelled(title, key)
    assert said.endswith(key)
    assert not set(said) & set("[]") and said.splitlines() == [said]
    assert said == " ".join(said.split())
    assert said.encode()
    assert len(said) <= LONGEST_TITLE + len(" - ") + len(key)
