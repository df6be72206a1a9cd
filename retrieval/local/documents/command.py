"""`python -m retrieval.local index`: files become an index of Azure AI Search, made and loaded, and kept in step.

What reads and loads is imported when the command runs, so that the other commands start without it.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from azure.core.credentials import AzureKeyCredential, TokenCredential

from retrieval.errors import NotConfigured
from retrieval.local.analyzers import ANALYZERS, ENGLISH
from retrieval.settings.environment import address_fault


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run)
    parser.add_argument("path", type=Path, metavar="PATH", help="a folder or a file, as for --load")
    parser.add_argument("--to", required=True, metavar="URL", help="https://NAME.search.windows.net")
    parser.add_argument("--name", required=True, help="the name of the index")
    parser.add_argument(
        "--groups", metavar="FIELD", help="a filterable list in each document: the first folder of its file"
    )
    parser.add_argument("--language", choices=ANALYZERS, default=ENGLISH, help="what the texts are in (en)")


def run(parsed: argparse.Namespace, steps: object) -> int:
    """Read, define, compare, write. Raises NotConfigured and BackendError; the next run continues."""
    from azure.search.documents import SearchClient

    from retrieval.local.documents import reading
    from retrieval.local.documents.azure_index import AzureIndex
    from retrieval.local.documents.loading import load, told

    if fault := address_fault(parsed.to):
        raise NotConfigured([f"--to {fault}"])
    if not parsed.path.exists():
        raise NotConfigured([f"{parsed.path}: there is no such file or folder."])
    read = reading.read(parsed.path, name=parsed.name)
    endpoint = parsed.to.rstrip("/")
    with SearchClient(endpoint, parsed.name, credential(os.environ)) as client:
        index = AzureIndex(client=client, endpoint=endpoint, name=parsed.name)
        changes = load(index, read, language=parsed.language, groups=parsed.groups)
    print(*read.summary.lines(parsed.name), *told(changes, endpoint, parsed.name), sep="\n", flush=True)
    return 0


def credential(environ: Mapping[str, str]) -> AzureKeyCredential | TokenCredential:
    """The key of AZURE_SEARCH_API_KEY where there is one, else whoever is signed in."""
    if key := environ.get("AZURE_SEARCH_API_KEY"):
        return AzureKeyCredential(key)
    from azure.identity import DefaultAzureCredential

    return DefaultAzureCredential()
