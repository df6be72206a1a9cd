"""Reads {path: Bicep source} from stdin, writes {path: tree} to stdout; runs in the environment that has the parser.

A tree is [kind, field, line, text, children]: named nodes only. The text is that of a leaf, or of an operator, which
of an access to a member is the `!` that may stand before it.
"""

import json
import sys
from typing import Any

import tree_sitter_bicep
from tree_sitter import Language, Node, Parser

OPERATIONS = {"binary_expression", "unary_expression", "resource_declaration"}


def tree(node: Node, field: str | None = None) -> list[Any]:
    named = [(index, child) for index, child in enumerate(node.children) if child.is_named or child.is_missing]
    children = [tree(child, node.field_name_for_child(index)) for index, child in named]
    kind = "ERROR" if node.is_missing or _comma_ends_a_line(node) else node.type
    return [kind, field, node.start_point[0] + 1, _text(node), children]


def _comma_ends_a_line(node: Node) -> bool:
    """The grammar accepts it, the compiler does not (BCP238)."""
    pairs = zip(node.children, node.children[1:], strict=False)
    return any(one.type == "," and one.start_point[0] != after.start_point[0] for one, after in pairs)


def _text(node: Node) -> str:
    if node.type == "member_expression":
        return "!" if any(child.type == "!" for child in node.children) else ""
    if node.type in OPERATIONS:
        return "".join(child.text.decode() for child in node.children if not child.is_named and child.text)
    return node.text.decode() if node.named_child_count == 0 and node.text else ""


def main() -> None:
    parser = Parser(Language(tree_sitter_bicep.language()))
    sources: dict[str, str] = json.load(sys.stdin)
    json.dump({path: tree(parser.parse(source.encode()).root_node) for path, source in sources.items()}, sys.stdout)


if __name__ == "__main__":
    main()
