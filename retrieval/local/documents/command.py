"""`python -m retrieval.local index`: files become an index of Azure AI Search, made and loaded, and kept in step.

What reads and loads is imported when the command runs, so that the other commands start without it.
"""

import argparse
import os
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from azure.core.credentials import AzureKeyCredential, TokenCredential

from retrieval.errors import NotConfigured
from retrieval.local.analyzers import ANALYZERS, ENGLISH
from retrieval.settings.environment import address_fault
from retrieval.settings.settings import OPENAI_AUDIENCE, SEARCH_AUDIENCE

if TYPE_CHECKING:
    from retrieval.local.documents.embeddings import Embeddings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run)
    parser.add_argument("path", type=Path, metavar="PATH", help="a folder or a file, as for --load")
    parser.add_argument("--to", required=True, metavar="URL", help="https://NAME.search.windows.net")
    parser.add_argument("--name", required=True, help="the name of the index")
    parser.add_argument(
        "--groups", metavar="FIELD", help="a filterable list in each document: the first folder of its file"
    )
    parser.add_argument("--recreate", action="store_true", help="make the index anew, with every field")
    parser.add_argument("--watch", action="store_true", help="then follow what changes in the files, until Ctrl-C")
    parser.add_argument("--language", choices=ANALYZERS, default=ENGLISH, help="what the texts are in (en)")
    parser.add_argument("--vectorizer", metavar="URL", help="https://NAME.openai.azure.com: vectors of texts")
    parser.add_argument("--model", default="text-embedding-3-small", help="of the vectorizer (text-embedding-3-small)")
    parser.add_argument("--deployment", metavar="NAME", help="of that model (its name)")


def run(parsed: argparse.Namespace, steps: object) -> int:
    """Read, define, compare, write. Raises NotConfigured and BackendError; the next run continues."""
    from azure.search.documents import SearchClient

    from retrieval.local.documents import reading
    from retrieval.local.documents.azure_index import AzureIndex
    from retrieval.local.documents.loading import load, told, watch_of
    from retrieval.local.documents.watching import watch

    if fault := address_fault(parsed.to):
        raise NotConfigured([f"--to {fault}"])
    if not parsed.path.exists():
        raise NotConfigured([f"{parsed.path}: there is no such file or folder."])
    endpoint = parsed.to.rstrip("/")
    audience = _audience(os.environ, "AZURE_SEARCH_AUDIENCE", SEARCH_AUDIENCE).rstrip("/")
    signed = credential(os.environ, "AZURE_SEARCH_API_KEY", named=f"--to {endpoint}")
    with SearchClient(endpoint, parsed.name, signed, audience=audience) as client:
        index = AzureIndex(client=client, endpoint=endpoint, name=parsed.name)
        made = embeddings(parsed, os.environ)
        begun = watch_of(index, parsed.path, language=parsed.language, groups=parsed.groups, embeddings=made)
        read = reading.read(parsed.path, name=parsed.name)
        changes = load(
            index,
            read,
            language=parsed.language,
            groups=parsed.groups,
            embeddings=made,
            recreate=parsed.recreate,
        )
        print(*read.summary.lines(parsed.name), *told(changes, endpoint, parsed.name), sep="\n", flush=True)
        if parsed.watch:
            watch([begun], ended=_ended(), say=partial(print, flush=True))
    return 0


def _ended() -> Event:
    """Is set by Ctrl-C and by a stop, also where the command was started in the background, which ignores Ctrl-C."""
    ended = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    return ended


def embeddings(parsed: argparse.Namespace, environ: Mapping[str, str]) -> "Embeddings | None":
    """What makes vectors, as `--vectorizer` says; None without. Raises NotConfigured."""
    if parsed.vectorizer is None:
        return None
    from retrieval.local.documents.embeddings import DIMENSIONS, Embeddings, Vectorizer, client

    if fault := address_fault(parsed.vectorizer):
        raise NotConfigured([f"--vectorizer {fault}"])
    if parsed.model not in DIMENSIONS:
        raise NotConfigured([f"--model {parsed.model[:80]!r} is none of {', '.join(DIMENSIONS)}."])
    endpoint = parsed.vectorizer.rstrip("/")
    made = Vectorizer(endpoint=endpoint, deployment=parsed.deployment or parsed.model, model=parsed.model)
    signed = credential(environ, "AZURE_OPENAI_API_KEY", named=f"--vectorizer {endpoint}")
    audience = _audience(environ, "AZURE_OPENAI_AUDIENCE", OPENAI_AUDIENCE)
    key = environ.get("AZURE_OPENAI_API_KEY")
    return Embeddings(client=client(endpoint, signed, audience=audience), vectorizer=made, key=key)


def _audience(environ: Mapping[str, str], name: str, usual: str) -> str:
    """Whom tokens are for. Raises NotConfigured."""
    audience = environ.get(name) or usual
    if fault := address_fault(audience):
        raise NotConfigured([f"{name} {fault}"])
    return audience


def credential(environ: Mapping[str, str], setting: str, *, named: str) -> AzureKeyCredential | TokenCredential:
    """The key of that setting where there is one, else whoever is signed in. `named` is an argument and its address.

    Raises NotConfigured where a token would be sent over plain http.
    """
    if key := environ.get(setting):
        return AzureKeyCredential(key)
    if " http://" in named:
        known = " (that of `make search` is local-admin-key)" if setting == "AZURE_SEARCH_API_KEY" else ""
        problem = f"{named}: a token is sent over https only. Set {setting} to a key of that service{known}"
        raise NotConfigured([f"{problem}, or give an https address."])
    from azure.identity import DefaultAzureCredential

    return DefaultAzureCredential()
