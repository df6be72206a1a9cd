"""A chat model that answers from a file of replies; each was written for its prompt, from the prompt alone.

A reply's key is a digest of the whole prompt, the instructions and the schema too: a prompt that changed has no reply.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from retrieval.errors import BackendThrottled
from retrieval.model.conversation import Prompt, Reply
from retrieval.ports import Hear
from retrieval.text.length import tokens

FILE: Final = Path(__file__).with_name("replies.json")
LATER: Final = 3_600
"""Seconds that a call without a reply is told to wait, so that nobody waits for it."""


def key_of(prompt: Prompt) -> str:
    whole = json.dumps([prompt.name, prompt.instructions, prompt.data, prompt.strict_schema], sort_keys=True)
    return f"{prompt.name}-{hashlib.sha256(whole.encode()).hexdigest()[:16]}"


@dataclass(kw_only=True)
class Replayed:
    """`missing` are the prompts for which no reply was written, by key; they are throttled, so that rules go on."""

    replies: dict[str, object]
    missing: dict[str, Prompt] = field(default_factory=dict)

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendThrottled where there is no reply."""
        key = key_of(prompt)
        if key not in self.replies:
            self.missing[key] = prompt
            raise BackendThrottled("The replayed model", retry_after=LATER)
        text = json.dumps(self.replies[key], ensure_ascii=False)
        if hear is not None:
            hear(text)
        return Reply(
            text=text,
            input_tokens=tokens(prompt.instructions) + tokens(prompt.data),
            output_tokens=tokens(text),
        )


def replies(file: Path = FILE, *, added: Path | None = None) -> dict[str, object]:
    """The replies of the file, and those of the folder `added`, a file each, which are written to the file."""
    known: dict[str, object] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if added is not None:
        known |= {reply.stem: json.loads(reply.read_text(encoding="utf-8")) for reply in added.glob("*.json")}
        file.write_text(json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return known


def write(missing: dict[str, Prompt], folder: Path) -> None:
    """The prompts without a reply, a file each, for whoever answers them."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, prompt in missing.items():
        shown = {"instructions": prompt.instructions, "data": prompt.data, "schema": prompt.schema}
        (folder / f"{key}.json").write_text(json.dumps(shown, ensure_ascii=False, indent=1), encoding="utf-8")
