"""`--model` and `--ranker`, which `serve`, `search` and `eval` have in common."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import NotConfigured
from retrieval.settings.settings import gather

if TYPE_CHECKING:
    from retrieval.local.search_service.models.wanted import Wanted


def add(add: Callable[..., object]) -> None:
    of = "fastembed's name or a folder"
    add("--model", metavar="NAME", help=f"an embedding model: {of}, or what EMBEDDINGS_URL calls it (none)")
    add("--ranker", metavar="NAME", help=f"a cross-encoder that ranks: {of} (none)")


def named(parsed: argparse.Namespace) -> dict[str, str]:
    """The settings that the arguments mean; a folder by its whole path."""
    given = {"LOCAL_MODEL": parsed.model, "LOCAL_RANKER": parsed.ranker}
    return {name: str(Path(one).resolve()) if Path(one).is_dir() else one for name, one in given.items() if one}


def wanted(parsed: argparse.Namespace, environ: Mapping[str, str]) -> "Wanted":
    """The models of the arguments and of the settings. Raises NotConfigured."""
    from retrieval.local.stand_in import models_of

    reading = {name: environ[name] for name in SETTINGS if name in environ}
    settings, problems = gather({**reading, **named(parsed), "LOCAL": "1"})
    if problems:
        raise NotConfigured(problems)
    return models_of(settings)


SETTINGS = ("LOCAL_MODEL", "LOCAL_RANKER", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY")
"""What names models in an environment."""
