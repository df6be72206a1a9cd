"""Names are the field's nouns: words that said too little are gone, and one name means one thing."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.test_layers import SOURCES, parsed

GONE: Final = {
    "pays",
    "strange",
    "doubted",
    "settled",
    "standing",
    "lacks",
    "as_read",
    "Unsaid",
    "Sayable",
    "Own",
    "Thing",
}
ONE_MEANING: Final = {"Place", "Reading"}
NO_FUNCTION: Final = {"turns", "tell"}
"""The turns of a conversation, and the callback that gets progress: no function of a module has their name."""


def trees() -> Iterator[tuple[Path, ast.Module]]:
    return ((path, parsed(path)) for path in SOURCES)


def names(path: Path, tree: ast.AST) -> Iterator[str]:
    """The names of a module: its own, and those of what it defines, assigns and calls."""
    yield path.stem
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.rpartition(".")[2]


def types(tree: ast.Module) -> Iterator[str]:
    """The classes and aliases of a module."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def functions(tree: ast.Module) -> Iterator[str]:
    return (node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_no_name_is_a_word_that_says_too_little() -> None:
    assert [(path.name, name) for path, tree in trees() for name in GONE.intersection(names(path, tree))] == []


def test_one_type_has_the_name_of_a_place_or_a_reading() -> None:
    counts = Counter(name for _, tree in trees() for name in types(tree) if name in ONE_MEANING)
    assert counts == Counter(ONE_MEANING)


def test_turns_are_those_of_a_conversation_and_tell_gets_progress() -> None:
    assert [path.name for path, tree in trees() if NO_FUNCTION.intersection(functions(tree))] == []
