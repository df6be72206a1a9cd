"""Links by their labels: what a reader sees, what stays as it is, and when targets are asked for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.links import as_rendered, asked_for, without_targets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See the [guide](guide.md) first.", "See the guide first."),
        ("[a](https://a.example/x?y=1#z), [b](/b) and [c](#c)", "a, b and c"),
        ('![A map](img/map.png) [title](x.html "The title")', "A map title"),
        ("`[x](y.md)` and ``[`x`](y.md)`` [x](y.md)", "`[x](y.md)` and ``[`x`](y.md)`` x"),
        ("```\nrun[i](a.b)\n[x](y.md)\n```\n[x](y.md)", "```\nrun[i](a.b)\n[x](y.md)\n```\nx"),
        ("`open [x](y.md)", "`open x"),
        ("[`x` and more](y.md) [`](y.md)`", "`x` and more [`](y.md)`"),
        ("call[i](a.b) and f(x)[0](c.d)", "call[i](a.b) and f(x)[0](c.d)"),
        ("[see](this one) and [note](aside)", "[see](this one) and [note](aside)"),
        ("[wiki](https://w.example/A_(b))", "[wiki](https://w.example/A_(b))"),
        (r"\[x](y.md)", r"\[x](y.md)"),
    ],
)
def test_a_link_is_its_label_and_code_is_no_link(text: str, shown: str) -> None:
    assert without_targets(text) == shown


@given(st.text("[]()`!ab./# \n\\", max_size=80))
def test_nothing_is_added_and_what_is_no_link_stays(text: str) -> None:
    shown = without_targets(text)
    assert len(shown) <= len(text)
    left = iter(text)
    assert all(character in left for character in shown)


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000 + "](", "[a](" * 20_000, "`````````a" * 5_000 + "](", "[x](" + "a" * 50_000, "`" * 50_000 + "](a)"],
)
def test_a_hostile_text_takes_no_time(text: str) -> None:
    """Each would take minutes if it were read once for each of its signs."""
    assert without_targets(text)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the link to the form?",
        "What is the URL of the portal?",
        "Is https://a.example what I open first?",
        "Wie lautet die Kontaktadresse der Stelle?",
        "Gibt es dafür einen Downloadlink und wo ist er?",
        "Quel est le site de la caisse et où est le lien ?",
        "¿Dónde está el enlace y cuál es la dirección?",
        "Qual è l'indirizzo della pagina?",
        "Qual é o endereço da página?",
        "申请表的网址是什么？",
        "申請書のリンクはどこですか？",
        "신청서의 링크는 어디에 있습니까?",
        "Где находится форма заявления?",
        "xq zv 12",
    ],
)
def test_targets_stay_where_an_address_is_asked_for_or_nothing_is_known(question: str) -> None:
    assert asked_for(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many days of leave does a new client have?",
        "Wann muss ich den Antrag auf Urlaub für das nächste Jahr stellen und wer genehmigt ihn?",
        "Combien de jours de congé un client a-t-il ?",
        "¿Cuántos días de vacaciones tengo en el primer año?",
        "Quanti giorni di ferie ho nel primo anno?",
        "Quantos dias de férias tenho no primeiro ano?",
        "新员工有多少天年假？",
        "新入社員の休暇は何日ありますか？",
        "신입 사원의 휴가는 며칠입니까?",
    ],
)
def test_other_questions_need_no_targets(question: str) -> None:
    assert not asked_for(question)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Pay **within 30 days** or *never*.", "Pay within 30 days or never."),
        ("**A *very* loud bell** rings.", "A very loud bell rings."),
        ("**Run `uv x` now**, then `**y**`.", "Run `uv x` now, then `**y**`."),
        ("It is **very\nloud**.", "It is very\nloud."),
        ("这是**重点**内容。", "这是重点内容。"),
        (r"\*\*No\*\* snake\_case, 3\. floor", "**No** snake_case, 3. floor"),
        ("\\- not a list\n\\# not a heading", "- not a list\n# not a heading"),
        (r"$\alpha\_{i} \cdot \frac{a}{b}\- \[x\]$ and _em_", r"$\alpha\_{i} \cdot \frac{a}{b}\- \[x\]$ and _em_"),
        ("count(*), sum(*), *.txt,*.md, '*name*'", "count(*), sum(*), *.txt,*.md, '*name*'"),
        (r"C:\docs\*.txt of a\*b", r"C:\docs\*.txt of a*b"),
        ("2 * 3 * 4, 2**3**4, *args and **kwargs", "2 * 3 * 4, 2**3**4, *args and **kwargs"),
        ("See **[the guide](https://x.example)**.", "See the guide."),
    ],
)
def test_a_text_is_shown_without_its_emphasis_and_escapes(text: str, shown: str) -> None:
    assert as_rendered(text) == shown


@pytest.mark.parametrize("part", ["*", "**a", "*a* ", "**a **", "\\", "\\*", "`*a*", "*a`*`", "***a*"])
def test_a_long_text_of_marks_takes_a_moment(part: str) -> None:
    start = time.process_time()
    as_rendered((part * 20_000)[:20_000])
    assert time.process_time() - start < 0.5
