"""Markdown as its readers see it: raw HTML is its text, notes stand where they are cited, nothing is hidden."""

from pathlib import Path
from time import process_time

import pytest

from retrieval.local.documents.reading import read


def loaded(tmp_path: Path, text: str, name: str = "a.md") -> list[tuple[str, str]]:
    path = tmp_path / name
    path.write_text(text)
    return [(str(line.value["heading_path"]), str(line.value["text"])) for line in read(path, name="x").lines]


def test_raw_html_is_the_text_that_a_reader_sees(tmp_path: Path) -> None:
    text = """# Locks

<details><summary>Who may pass?</summary>

**Everybody** with a ticket.

</details>
<p align="center">Open <b>daily</b> &amp; free<br>of charge</p>

<table><tr><th>Lock<th>Hours<tr><td rowspan=2>Old<td>6<tr><td>7</table>

<dl><dt>Sluice<dd>A gate.</dl>

Last.
"""
    ((path, shown),) = loaded(tmp_path, text)
    assert path == "Locks" and shown.split("\n\n") == [
        "Who may pass?",
        "**Everybody** with a ticket.",
        "Open daily & free\nof charge",
        "| Lock | Hours |\n| --- | --- |\n| Old | 6 |\n| Old | 7 |",
        "Sluice: A gate.",
        "Last.",
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- secret -->",
        "<!--\nsecret\n\nsecret\n-->",
        "Seen <!-- secret\n secret --> too.",
        "It's 5` wide <!-- secret -->",
        "- item <!-- secret -->",
        "<div hidden>\n\nsecret\n\n- secret\n\n</div>",
        '<div style="display: none"><p>secret</p>\n\n## secret\n\nsecret</div>',
        'Seen <span hidden>secret</span> and <span style="display:none">secret</span>.',
        "<script>\nsecret\n</script>",
        "| a | b |\n|---|---|\n| c | <!-- secret --> |",
        "import secret from './secret'\nimport './secret.css';",
    ],
)
def test_what_no_reader_sees_is_not_loaded(tmp_path: Path, hidden: str) -> None:
    shown = loaded(tmp_path, f"# Shown\n\nFirst.\n\n{hidden}\n\nLast.")
    assert "secret" not in str(shown) and shown[0][1].startswith("First.") and shown[0][1].endswith("Last.")


def test_code_keeps_its_comments_and_imports(tmp_path: Path) -> None:
    code = "```html\n<!-- kept --><p hidden>kept\n```\n\nUse `<!-- kept -->`, ``a ` <!-- kept -->`` and `import x`."
    assert loaded(tmp_path, f"<br>\n\n{code}") == [("", code.strip())]


def test_of_mdx_the_modules_and_comments_are_not_loaded_and_labels_are(tmp_path: Path) -> None:
    text = """import Tabs from '@theme/Tabs';
import {A, B} from "./c"

export const secret = {
  a: 1,
};

# Moor

{/* secret */}

<Tabs>
<TabItem value="x" label="Sail boats">

At the pier. {/* secret
secret */}

</TabItem>
</Tabs>
"""
    assert loaded(tmp_path, text, "a.mdx") == [("Moor", "Sail boats\n\nAt the pier.")]


COMPONENTS = """---
title: Piers
---
import X from './x'
import { A,
  B } from "y"
export const meta = {
  title: 'secret',

  more: "secret {",
}

# Moor

<Tabs onChange={() => secret({a: 1})}>
    <TabItem value="npm" label="Sail">

    ```bash
      moor <Ring/> {/* kept */}
    ```

    </TabItem>
    <TabItem label="Row">Use oars.</TabItem>
</Tabs>

Text with <Badge text="New"/>, {'literal'} and `<Code/>`. {/* secret

secret */}

<Card title="Pier" href="/secret"><b>Old</b> pier</Card>

<Img alt="secret" src={require('./secret.png')} />
<div className="secret" style={{display: 'none'}}>secret</div>

- [x] done
  - [ ] due
"""


def test_of_components_of_mdx_the_labels_and_texts_are_kept(tmp_path: Path) -> None:
    ((path, shown),) = loaded(tmp_path, COMPONENTS, "a.mdx")
    assert path == "Moor" and [line for line in shown.splitlines() if line.strip()] == [
        "Sail", "```bash", "  moor <Ring/> {/* kept */}", "```", "Row: Use oars.",
        "Text with New, literal and `<Code/>`.", "Pier", "Old pier", "- [x] done", "  - [ ] due",
    ]  # fmt: skip


def test_boxes_and_callouts_are_kept_as_they_are_written(tmp_path: Path) -> None:
    text = "- [ ] buy rope\n- [x] buy fender\n\n> [!NOTE]\n> Deep **water**.\n\n:::tip Ask\nThe warden.\n:::"
    assert loaded(tmp_path, text) == [("", text)]


def test_tags_entities_and_escapes_within_a_line_are_what_a_reader_sees(tmp_path: Path) -> None:
    text = r"Press <kbd>Ctrl</kbd>, R&amp;D, snake\_case, 10&nbsp;m<sup>2</sup>, `x\_y &amp; <b>` and List<String>."
    assert loaded(tmp_path, text) == [
        ("", "Press Ctrl, R&D, snake_case, 10\u00a0m2, `x\\_y &amp; <b>` and List<String>.")
    ]


def test_a_note_stands_where_it_is_cited(tmp_path: Path) -> None:
    text = """# Fees[^h]

Dogs pay.[^1] Cats too[^1], see `[^2]`.

## Hours

At six.[^n]

```
[^1]
```

[^1]: Puppies do not.
[^n]: From May.

    And in June.
[^h]: Net.

[^u]: Nothing cites this.
"""
    assert loaded(tmp_path, text) == [
        ("Fees", "[h: Net.]\n\nDogs pay. [1: Puppies do not.] Cats too [1: Puppies do not.], see `[^2]`."),
        ("Fees > Hours", "At six. [n: From May. And in June.]\n\n```\n[^1]\n```\n\n[u: Nothing cites this.]"),
    ]


def test_the_title_is_that_of_the_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: Pier rules\n---\n# Moor\n\nGently. <!-- x -->\n")
    assert [line.value["title"] for line in read(path, name="x").lines] == ["Pier rules"]


def test_a_text_between_two_rules_is_no_front_matter(tmp_path: Path) -> None:
    ((_, text),) = loaded(tmp_path, "---\n\nMoor early.\n\n---\n\nPay late.")
    assert "Moor early." in text and "Pay late." in text


def test_a_note_of_one_word_is_no_link(tmp_path: Path) -> None:
    assert loaded(tmp_path, "Dogs pay.[^1]\n\n[^1]: Double.\n") == [("", "Dogs pay. [1: Double.]")]


@pytest.mark.parametrize(
    "text",
    [
        "<a " * 100_000,
        '<a b="' * 100_000,
        "<!--" * 100_000,
        "a `` <!-- " * 50_000,
        "<div>" * 60_000 + "</p>" * 60_000,
        "a[^1] " * 100_000 + "\n\n[^1]: " + "note " * 50,
        "<span hidden>" * 60_000,
        "import " + "a " * 200_000,
        "{/*" * 200_000,
        "<b style=" * 50_000,
    ],
)
def test_no_text_takes_long(tmp_path: Path, text: str) -> None:
    before = process_time()
    (tmp_path / "a.mdx").write_text(f"{text}\n\nLast.")
    (tmp_path / "b.md").write_text("Fine.")
    read(tmp_path, name="x")
    assert process_time() - before < 8
