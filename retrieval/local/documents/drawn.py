"""What Office draws out of numbers and signs: charts as rows, formulas on one line. For DOCX and PPTX."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
CHART: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DRAWING: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"

_SHAPES: Final = {
    "f": ("num", "({})/({})", "den"),
    "sSup": ("e", "{}^{}", "sup"),
    "sSub": ("e", "{}_{}", "sub"),
    "rad": ("deg", "{}√({})", "e"),
    "func": ("fName", "{} {}", "e"),
}


def formula(element: "Element") -> str:
    """The signs of a formula in their order, with fractions, powers and roots as a keyboard writes them."""
    name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if name == "t":
        return element.text or ""
    if name in _SHAPES:
        first, shape, second = _SHAPES[name]
        return shape.format(*("".join(formula(part) for part in element.findall(MATH + at)) for at in (first, second)))
    inner = "".join(map(formula, element))
    if name == "d":
        return f"({inner})"
    sign = element.find(f"{MATH}naryPr/{MATH}chr") if name == "nary" else None
    return f"{'∫' if sign is None else sign.get(f'{MATH}val', '')}{inner}" if name == "nary" else inner


def chart(xml: bytes) -> tuple[str, list[list[str]]]:
    """The title of a chart, and its values: a row for each category, a column for each series.

    Raises ElementTree.ParseError.
    """
    root = ElementTree.fromstring(xml)
    title = root.find(f"{CHART}chart/{CHART}title")
    series = list(root.iter(f"{CHART}ser"))
    names = ["".join(_texts(one.find(f"{CHART}tx"))) for one in series]
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for one in series:
        for at in ("cat", "xVal"):
            categories = _points(one.find(CHART + at)) | categories
        columns.append(next((found for at in ("val", "yVal") if (found := _points(one.find(CHART + at)))), {}))
    numbers = sorted({*categories, *(number for column in columns for number in column)})
    rows = [[categories.get(number, ""), *(column.get(number, "") for column in columns)] for number in numbers]
    return " ".join("".join(_texts(title)).split()), [["", *names], *rows] if rows else []


def _points(holder: "Element | None") -> dict[int, str]:
    """The values by their numbers; of several levels the outer stand first."""
    found: dict[int, str] = {}
    if holder is not None:
        for point in holder.iter(f"{CHART}pt"):
            number, text = int(point.get("idx", "0")), "".join(_texts(point))
            found[number] = f"{text} {found[number]}" if number in found else text
    return found


def _texts(element: "Element | None") -> Iterator[str]:
    if element is not None:
        yield from (text.text or "" for tag in (f"{CHART}v", f"{DRAWING}t") for text in element.iter(tag))
