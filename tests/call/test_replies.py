"""How replies are read: whole JSON wherever it stands in the text, and ids of chunks as models write them."""

import contextlib
import json
import time
from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.call import replies
from retrieval.errors import BadModelReply
from tests.answer.material import json_values
from tests.laws import law

SAID: Final[Mapping[str, object]] = {"queries": ["What is a {brace}?", "roads"], "hints": [{"source": "s"}]}
REPLY: Final = json.dumps(SAID)
WRAPPED: Final[Mapping[str, str]] = {
    "alone": REPLY,
    "between blanks": f"\n\ufeff {REPLY} \n",
    "indented": json.dumps(SAID, indent=2),
    "in a fence": f"```json\n{REPLY}\n```",
    "in a fence without a name": f"```\n{REPLY}\n```",
    "in a fence between sentences": f"Sure! Here it is:\n\n~~~json\n{REPLY}\n~~~\n\nShall I go on?",
    "after a sentence": f"Here is the JSON you asked for: {REPLY}",
    "before a sentence": f"{REPLY}\n\nI chose two, since {{this}} and that differ.",
    "after thoughts": f"<think>\nShould I search?\n</think>\n{REPLY}",
    "after thoughts without a beginning": f'I could say {{"queries": ["draft"]}}, or not.</think>\n\n{REPLY}',
    "after thoughts with an open quote": f'<think>Say {{"queries": ["a, and see</think>{REPLY}',
    "after thoughts in another tag": f'<thinking>{{"queries": ["draft"]}}, or not.</thinking>\n{REPLY}',
    "after reasoning": f'<Reasoning>{{"queries": ["draft"]}}</Reasoning>{REPLY}',
    "after thoughts in a fence": f"<think>Hm.</think>```json\n{REPLY}\n```",
    "after braces that are no object": f'Fill {{"a"}}, {{"b": c}} and {{ "d" : [1,] }} so: {REPLY}',
    "before another": f'{REPLY}\n\nUser: and now?\n{{"queries": ["invented"]}}',
    "between special tokens": f"<|channel|>final<|message|>{REPLY}<|end|>",
}


@pytest.mark.parametrize("way", WRAPPED)
def test_whole_json_is_read(way: str) -> None:
    assert replies.read_object(WRAPPED[way]) == SAID


@pytest.mark.parametrize("form", ["{}", "Here it is: {}", "<think>So.</think>\n{}", "```json\n{}\n```"])
def test_the_mark_of_thoughts_may_be_part_of_a_text(form: str) -> None:
    said = {"queries": ["What does </think> mean?"], "hints": [{"source": "s"}]}
    assert replies.read_object(form.replace("{}", json.dumps(said))) == said


@pytest.mark.parametrize("cut", range(1, len(REPLY), 7))
@pytest.mark.parametrize("before", ["", "Here it is: ", "```json\n", "<think>{}</think>"])
def test_json_that_is_cut_off_is_refused(before: str, cut: int) -> None:
    with pytest.raises(BadModelReply):
        replies.read_object(before + REPLY[:cut])


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", f"[{REPLY}]", json.dumps(REPLY), "I cannot help with that.", '{"a": NaN}', "{'queries': ['a']}"],
)
def test_a_text_without_a_whole_object_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        replies.read_object(text)


@given(st.text(st.characters(exclude_characters='{}"'), max_size=200), st.text(max_size=200), json_values)
@law(200)
def test_an_object_is_read_whatever_stands_beside_it(before: str, after: str, value: object) -> None:
    said = {"queries": value}
    assume(is_json(said))
    assert replies.read_object(f"{before}{json.dumps(said)}{after.replace('</think>', '')}") == said


def is_json(value: object) -> bool:
    try:
        return bool(json.dumps(value, allow_nan=False))
    except ValueError:
        return False


HOSTILE: Final = {
    "openings": '{"',
    "keys": '{"a":',
    "lists": '{"a":[',
    "faults": '{"a":x',
    "unended texts": '{"a":"',
    "braces": "{",
    "blanks": "{   ",
    "ends of thoughts": "</think>",
    "ends of thinking": "</thinking>",
    "empty objects": "{}</think>",
    "escapes": '{"\\',
    "numbers": '{"a":1',
}


@pytest.mark.parametrize("way", HOSTILE)
def test_a_hostile_reply_takes_no_longer_than_a_few_readings(way: str) -> None:
    """Processor time, since the time of a wall says nothing on a busy machine."""
    text = (HOSTILE[way] * replies.LONGEST)[: replies.LONGEST]
    start = time.process_time()
    with contextlib.suppress(BadModelReply):
        replies.read_object(text)
    assert time.process_time() - start < 0.05


C3: Final = """c3|C3| c3 |[c3]|3|chunk c3|Chunk 3|chunk_3|chunk-c3|<c3>|c3.|"c3"|#3|id: c3|c 3|c03|document c3|c3 (c3)
    |Abschnitt c3|c3: It names the builder of the bridge over the river"""
NO_ID: Final = (
    "|c|c3 and c4|c3 and c4 name the builder of the bridge over it|3.5|2019 report|topic 3|abc3|c3x|chunk|³|c٣"
    "|cccccccccccccccccccccccccccccccccccccccccccccccc3"
)
OBJECTS: Final = (
    {"id": "c3"},
    {"id": 3, "why": "x"},
    {"chunk_id": "c3"},
    {"chunk": "[c3]"},
    {"chunkId": "C3"},
    {"ID": "3"},
)


@pytest.mark.parametrize("value", [*C3.split("|"), 3, *OBJECTS], ids=str)
def test_the_id_of_a_chunk_is_read_as_models_write_it(value: object) -> None:
    assert replies.chunk_id(value) == "c3"


@pytest.mark.parametrize(
    "value",
    [*NO_ID.split("|"), None, True, False, -3, 3.5, 10**12, [3], {"id": [3]}, {"id": {"id": 3}}, {"name": "c3"}],
    ids=str,
)
def test_anything_else_is_no_id(value: object) -> None:
    assert replies.chunk_id(value) == ""


@given(json_values)
@law(200)
def test_whatever_an_id_is_it_names_one_chunk_or_none(value: object) -> None:
    found = replies.chunk_id(value)
    assert not found or (found[0] == "c" and found[1:] == str(int(found[1:])))
