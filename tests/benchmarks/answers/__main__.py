"""Forty questions over three collections of our own, answered with a model whose replies are replayed.

The replies are in `replies.json`. Each was written from its prompt alone, by a reader who had not seen the gold; one
mind in every role agrees with itself more than a model does, and it has no latency. A prompt that changed has no reply:
`--missing FOLDER` writes each such prompt to a file; `--add FOLDER` takes the replies to them, files of the same names.
The steps after a missing reply are not asked for yet, so a changed plan takes three rounds: plan, judge and write,
conclude. `--report` prints a JSON line for each question, with the gold, for whoever grades the answers.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Final

from tests.benchmarks.answers import asking, report
from tests.benchmarks.answers.endpoint import Endpoint
from tests.benchmarks.with_a_model import replayed

REPLIES: Final = asking.FOLDER / "replies.json"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.answers")
    parser.add_argument("--replies", type=Path, default=REPLIES, help="the file of replies, by key of the prompt")
    parser.add_argument("--add", type=Path, metavar="FOLDER", help="replies to add to that file, a file each")
    parser.add_argument("--missing", type=Path, metavar="FOLDER", help="where to write the prompts that have no reply")
    parser.add_argument("--report", action="store_true", help="a JSON line for each question")
    parser.add_argument("--only", nargs="+", metavar="ID", help="these questions alone")
    return parser.parse_args()


def replies(file: Path, added: Path | None) -> dict[str, object]:
    """The file's, with those of the folder, which are written to it."""
    known: dict[str, object] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if added is not None:
        known |= {one.stem: json.loads(one.read_text(encoding="utf-8")) for one in added.glob("*.json")}
        file.write_text(json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return known


async def main() -> None:
    given = arguments()
    chosen = [one for one in asking.questions() if given.only is None or one.id in given.only]
    async with asking.opened(Endpoint(replies=replies(given.replies, given.add))) as ask:
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
