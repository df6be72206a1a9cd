"""Markdown by its headings."""

from retrieval.local.documents.sections import sections

TEXT = """Before.

# A *first* [link](x) `code_name`

One.

### Deep

Two.

Setext
======

- # in a list

| a | b |
|---|---|
| 1 | 2 |

```
# in code
```
"""


def test_a_part_has_the_path_of_its_headings_and_its_blocks_as_they_were_written() -> None:
    found = [(part.heading_path, list(part.blocks)) for part in sections(TEXT)]
    assert found == [
        ((), ["Before."]),
        (("A first link code_name",), ["One."]),
        (("A first link code_name", "Deep"), ["Two."]),
        (("Setext",), ["- # in a list", "| a | b |\n|---|---|\n| 1 | 2 |", "```\n# in code\n```"]),
    ]


def test_nesting_without_end_is_bounded() -> None:
    assert list(sections("> " * 20_000 + "a\n" + "- " * 5_000 + "b"))


def test_a_heading_is_read_as_it_is_shown() -> None:
    heading = r"# 4.6. json\_insert(), `json_set(\_)` and *\_\_init\_\_* of a\\b, count(\*), R&amp;D &lt;in> [it](x)"
    (_, part) = sections(heading)
    assert part.heading_path == (r"4.6. json_insert(), json_set(\_) and __init__ of a\b, count(*), R&D <in> it",)
    assert [part.heading_path for part in sections("# The <select> tag")][1:] == [("The <select> tag",)]
