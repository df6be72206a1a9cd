"""What is in the source of a page and no reader sees."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from justhtml import JustHTML, Node, Text

    AnyNode: TypeAlias = Node | Text

NAMES: Final = frozenset(
    "title script style nav template noscript img svg object iframe canvas audio video progress meter rp "
    "#comment".split()
)
HIDDEN: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_PHRASES: Final = frozenset("a abbr b button em i kbd mark s small span strong sub sup u".split())
"""Within a line what is hidden from readers who listen is an ornament, or said twice as the formulas of KaTeX."""

_SHOWN: Final = re.compile(r"(?:^|;)\s*(?:display|visibility)\s*:", re.IGNORECASE)
_CSS: Final = re.compile(r"[{}]|[^{}]+")
_CSS_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE: Final = re.compile(r"[\w-]*([.#][\w-]+)")
_NAMED: Final = re.compile(r"[.#][\w-]+")


class Unseen:
    """Knows the classes and ids that the style sheets of a page hide, and that nothing in them shows again."""

    def __init__(self, page: "JustHTML") -> None:
        self._page = page
        hidden, shown = set[str](), set[str]()
        for style in page.query("style"):
            for selectors, declarations in _rules(_CSS_COMMENT.sub("", style.to_text(strip=False))):
                if HIDDEN.search(declarations):
                    simple = (_SIMPLE.fullmatch(selector.strip()) for selector in selectors.split(","))
                    hidden.update(selector[0] for selector in simple if selector)
                elif _SHOWN.search(declarations):
                    shown.update(_NAMED.findall(selectors))
        self._hidden = {selector for selector in hidden if not shown & set(_NAMED.findall(selector))}

    def remove(self) -> None:
        """Removes the elements that nobody sees, and comments."""
        nodes: list[AnyNode] = [self._page.root]
        while nodes:
            children = nodes.pop().children
            if children:
                children[:] = [child for child in children if not self._is_unseen(child)]
                nodes.extend(children)

    def _is_unseen(self, node: "AnyNode") -> bool:
        from justhtml import Element

        if node.name in NAMES:
            return True
        if not isinstance(node, Element) or not node.attrs:
            return node.name == "dialog"
        if node.name in _PHRASES and node.attrs.get("aria-hidden") == "true":
            return True
        return is_hidden(node.name, node.attrs) or not self._hidden.isdisjoint(_selectors(node.name, node.attrs))


def is_hidden(name: str, attributes: dict[str, str | None]) -> bool:
    """Whether an element says of itself that it is hidden."""
    closed = name == "dialog" and "open" not in attributes
    hidden = attributes.get("hidden", "until-found") != "until-found"
    return closed or hidden or bool(HIDDEN.search(attributes.get("style") or ""))


def _selectors(name: str, attributes: dict[str, str | None]) -> Iterator[str]:
    named = [f".{one}" for one in (attributes.get("class") or "").split()]
    if identifier := attributes.get("id"):
        named.append(f"#{identifier}")
    for selector in named:
        yield selector
        yield f"{name}{selector}"


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of the rules that hold for every medium."""
    depth, before = 0, ""
    for token in _CSS.findall(css):
        if token == "{":
            depth += 1
        elif token == "}":
            depth = max(0, depth - 1)
        elif depth == 1 and not before.startswith("@"):
            yield before, token
        if depth == 0:
            before = token.strip()
