"""`python -m tools.settings_files` writes the files that name every setting: the sample of a developer's machine, and
the settings that a deployment leaves unset unless it says more (`settings` of infra/main.bicep)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from retrieval.compose.rooms import NAMES
from retrieval.settings.settings import LOCAL_ADMIN_KEY, LOCAL_KEY

OF_PLATFORM: Final = frozenset({"IN_AZURE", "PLATFORM_AUTH"})
"""What Azure sets itself, under other names."""

LOCAL_ONLY: Final = frozenset(
    "LOCAL LOCAL_CORPORA LOCAL_DATA LOCAL_KIND LOCAL_LANGUAGE LOCAL_MODEL LOCAL_RANKER EMBEDDINGS_URL "
    "EMBEDDINGS_API_KEY CHAT_URL CHAT_MODEL CHAT_API_KEY CHAT_CONTEXT CHAT_CALLS".split()
)
"""Settings for a developer's machine."""

SAMPLE: Final = "local.settings.sample.json"
DEPLOYED: Final = "infra/settings.json"
OF_SAMPLE: Final[Mapping[str, str]] = {
    "FUNCTIONS_WORKER_RUNTIME": "python",
    "AzureWebJobsStorage": "",
    "LOCAL": "1",
    "API_KEYS": LOCAL_KEY,
    "ADMIN_API_KEYS": LOCAL_ADMIN_KEY,
}


def files() -> dict[str, str]:
    """The text of each file, by its path."""
    unset = {name: "" for name in NAMES if name not in OF_PLATFORM}
    sample = {"IsEncrypted": False, "Values": {**OF_SAMPLE, **{name: "" for name in unset if name not in OF_SAMPLE}}}
    deployed = {name: "" for name in unset if name not in LOCAL_ONLY}
    return {path: f"{json.dumps(value, indent=2)}\n" for path, value in ((SAMPLE, sample), (DEPLOYED, deployed))}


if __name__ == "__main__":
    for path, text in files().items():
        (Path(__file__).resolve().parent.parent / path).write_text(text, encoding="utf-8", newline="\n")
