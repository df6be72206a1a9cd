"""Forty questions over three collections of our own, answered with a model whose replies are replayed.

The replies are in `replies.json` of the material. Each was written from its prompt alone, by a reader who had not seen
the gold; it has no latency. A prompt that changed has no reply: `--missing FOLDER` writes each such prompt to a file;
`--add FOLDER` takes the replies to them, files of the same names. The steps after a missing reply are not asked for
yet. `--report` prints a JSON line for each question, with the gold, for whoever grades the answers. `--material FOLDER`
asks other questions over other collections: `questions.json`, and `collections` with a folder each.
"""

import argparse
import asyncio
from pathlib import Path

from tests.benchmarks.answers import asking, report
from tests.benchmarks.answers.endpoint import Endpoint
from tests.benchmarks.with_a_model import replayed


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.answers")
    parser.add_argument("--material", type=Path, default=asking.FOLDER, metavar="FOLDER", help="other collections")
    parser.add_argument("--add", type=Path, metavar="FOLDER", help="replies to add, a file each")
    parser.add_argument("--missing", type=Path, metavar="FOLDER", help="where to write the prompts that have no reply")
    parser.add_argument("--report", action="store_true", help="a JSON line for each question")
    parser.add_argument("--only", nargs="+", metavar="ID", help="these questions alone")
    return parser.parse_args()


async def main() -> None:
    given = arguments()
    file = given.material / "replies.json"
    chosen = [one for one in asking.questions(given.material) if given.only is None or one.id in given.only]
    async with asking.opened(Endpoint(replies=replayed.replies(file, added=given.add)), given.material) as ask:
        asked = [await ask(one) for one in chosen]
    rows = [report.row(one) for one in asked]
    if given.report:
        print(*report.lines(rows), sep="\n")
    missing = {call.key: call.prompt for one in asked for call in one.missing}
    print("answers with a model, its replies replayed", *report.table(rows), sep="\n")
    print(f"  prompts without a reply: {len(missing)}")
    if given.missing is not None:
        replayed.write(missing, given.missing)


if __name__ == "__main__":
    asyncio.run(main())
