"""Tables of HTML, DOCX and PPTX as tables of Markdown."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows that are not empty; the first is the header. One row alone is a line, since Markdown has no such table.

    Only the header is filled up to the widest row: a hostile table would grow without bound.
    """
    lines = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows if any(map(str.strip, row))]
    if len(lines) < 2:
        return " | ".join(cell for line in lines for cell in line if cell)
    header, *others = lines
    width = max(map(len, lines))
    header += [""] * (width - len(header))
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * width, *others))
