"""The answers without a model: whether every sentence that they quote is in the document that they name.

Checked without the code that wrote them: a line of the answer is taken apart here, and its sentence is looked for in
the collection's file, as is the place that the citation gives. Points of omission stand for marks of references, and
where a sentence goes on.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from retrieval.model.answer import Answer
from retrieval.writing.markdown import citation_names
from tests.benchmarks.collection import Collection, collections

NAMES: Final = ("scifact", "hotpot100", "mtragmini")
MOST: Final = 300
"""Questions of a collection."""

_LINE: Final = re.compile(r"- “(.*)” \[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found of one answer: quoted lines and citations, and how many of each hold."""

    lines: int
    lines_found: int
    citations: int
    citations_found: int


def checked(collection: Collection, given: Answer) -> Checked:
    lines = [_LINE.fullmatch(line) for line in given.written.markdown.splitlines() if line.startswith("- “")]
    selected = given.judgement.selected if given.judgement else ()
    chunks = {one.chunk.id: one.chunk for one in selected}
    numbers = citation_names((chunks[id] for id in given.written.cited), "number")
    documents = {numbers[id]: collection.texts[chunks[id].reference.hit.key] for id in given.written.cited}
    keys = {one.chunk.id: one.chunk.reference.hit.key for one in selected}
    quoting = [one for one in given.written.citations if one.quote is not None]
    places = [(collection.texts[keys[one.chunk]], one) for one in quoting]
    return Checked(
        lines=len(lines),
        lines_found=sum(line is not None and stands(line[1], documents[line[2]]) for line in lines),
        citations=len(places),
        citations_found=sum(text[one.start : one.end] == one.quote for text, one in places),
    )


def stands(line: str, text: str) -> bool:
    """Whether a document has the parts of a line between its ellipses, in their order."""
    at, document = 0, flat(text)
    for part in map(flat, line.split("…")):
        found = document.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def flat(text: str) -> str:
    return " ".join(text.split())


async def answers(collection: Collection) -> list[Checked]:
    return [checked(collection, await collection.answer(one)) for one in collection.questions[:MOST]]


def told(name: str, found: list[Checked]) -> Iterator[str]:
    quoting = sum(one.lines > 0 for one in found)
    yield f"  {name:<10} {len(found):>4} questions, {quoting} answered with quotations"
    for what, held, every in (
        ("quoted sentences", sum(one.lines_found for one in found), sum(one.lines for one in found)),
        ("citations", sum(one.citations_found for one in found), sum(one.citations for one in found)),
    ):
        share, verdict = held / every if every else 0.0, "met" if held == every > 0 else "MISSED"
        yield f"    {what:<18}{held:>6} of {every:<6}{share:7.1%}   target 100 %  {verdict}"


async def main() -> None:
    print("quoted sentences and citations that stand in the collection's own documents")
    for collection in collections(*NAMES):
        print(*told(collection.name, await answers(collection)), sep="\n", flush=True)
    print()


if __name__ == "__main__":
    asyncio.run(main())
