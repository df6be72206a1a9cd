"""Facts, not sentences: no condition reads what was written for people to learn what happened.

A condition is the test of an `if`, a `while`, an `assert`, a comprehension or a `match`. It may ask whether there is a
sentence, not what it says.
"""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.test_layers import ROOT, SOURCES, parsed

MEMBERS = {"message", "notes", "sentence", "sentences", "args"}
NAMES = {"note", "notes", "problem", "sentence", "sentences"}

ALLOWED = {
    "retrieval/models/chat_completions.py": "services name the member that they refuse in words alone",
}


def conditions(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                yield test
            case ast.comprehension(ifs=tests):
                yield from tests
            case ast.Match(subject=subject):
                yield subject
            case ast.match_case(guard=ast.expr() as guard):
                yield guard


def read(condition: ast.expr, caught: set[str]) -> Iterator[str]:
    """What the condition reads of a sentence; one that is only asked for being there is not read."""
    match condition:
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from read(part, caught)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            yield from read(part, caught)
        case ast.NamedExpr(value=value):
            yield from read(value, caught)
        case ast.Attribute() | ast.Name():
            return
        case _:
            yield from _leaves(condition, caught)


def _leaves(node: ast.AST, caught: set[str]) -> Iterator[str]:
    if _is_sentence(node, caught):
        yield ast.unparse(node)
    else:
        for part in _parts(node):
            yield from _leaves(part, caught)


def _is_sentence(node: ast.AST, caught: set[str]) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in MEMBERS
        case ast.Name(id=name):
            return name in NAMES
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]):
            return name in caught
    return False


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    """Where a sentence may stand; another member is none, be it of what is called `message`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute() | ast.Name() as text), args=args):
            return (text, *args)
        case ast.Call(func=ast.Name(), args=args):
            return args
        case ast.Attribute(value=ast.Attribute() | ast.Name()) | ast.Subscript(slice=ast.Constant(value=str())):
            return ()
        case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part) | ast.SetComp(elt=part):
            return () if isinstance(part, ast.Name) else (part,)
    return ast.iter_child_nodes(node)


def sentences_read(tree: ast.Module) -> set[str]:
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    return {one for condition in conditions(tree) for one in read(condition, caught | {"error"})}


def test_no_condition_reads_a_sentence() -> None:
    reading = {path.relative_to(ROOT).as_posix(): sentences_read(parsed(path)) for path in SOURCES}
    assert {path: found for path, found in reading.items() if found and path not in ALLOWED} == {}
    assert {path for path in ALLOWED if not reading[path]} == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("given_up = next((note for note in notes if note in (LEFT, SAY)), None)", {"note"}),
        ("what = 'Set' if 'is missing' in problem else 'Correct'", {"problem"}),
        ("if any(one.message.startswith('No ') for one in errors): pass", {"one.message"}),
        ("if any('left' in note for note in run.notes): pass", {"note"}),
        ("if 'locked' in str(error): pass", {"str(error)"}),
        ("try: pass\nexcept OSError as lost:\n    if lost.args[0] == 'gone': raise", {"lost.args"}),
        ("match problem.sentence.split()[0]:\n    case 'API_KEYS': pass", {"problem.sentence"}),
        ("if not activity.notes and error.message: pass", set()),
        ("if problem.fault == 'missing': pass", set()),
        ("if choice.message.content == '': pass", set()),
    ],
)
def test_what_reads_a_sentence_is_seen(source: str, found: set[str]) -> None:
    assert sentences_read(ast.parse(source)) == found
