"""The finished run of a first visit is a recorded answer of the sample corpus. Where there is none it is made anew."""

import json
import re
import time
from pathlib import Path
from typing import Any, Final

from retrieval import playground
from tests.conftest import Post, ask

RECORDED: Final = Path(playground.__file__).with_name("example.js")
MODULE: Final = "export default "
QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
TARGET: Final = "/agents/earth-at-night/answer?detail=explained"
TIMES: Final = re.compile(r'"(started_ms|elapsed_ms|started_at)":\s*[^,}]+')


def without_times(answer: Any) -> Any:
    return json.loads(TIMES.sub(r'"\1": 0', json.dumps(answer)))


async def test_the_example_is_what_the_sample_answers(post: Post) -> None:
    body = {"messages": ask(QUESTION)["messages"]}
    await post(body, TARGET)
    click, start = time.time() * 1000, time.perf_counter()
    answer = await post(body, TARGET)
    total = (time.perf_counter() - start) * 1000
    if not RECORDED.exists():
        run = {"base": "earth-at-night", "question": QUESTION, "settings": {}}
        recorded = {**run, "click": round(click), "total": round(total), "answer": answer.json}
        text = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
        RECORDED.write_text(f"{MODULE}{text};\n", encoding="utf-8")
    example = json.loads(RECORDED.read_text(encoding="utf-8").removeprefix(MODULE).removesuffix(";\n"))
    assert (example["base"], example["question"], example["settings"]) == ("earth-at-night", QUESTION, {})
    assert without_times(example["answer"]) == without_times(answer.json)
    assert {document["reason"] for document in example["answer"]["explained"]["documents"]} == {None, "threshold"}
