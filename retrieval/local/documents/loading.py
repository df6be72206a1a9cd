"""A reading becomes an index of Azure AI Search: defined, loaded, kept in step."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local import corpora, progress
from retrieval.local.analyzers import ENGLISH
from retrieval.local.corpora import Corpus
from retrieval.local.documents.azure_index import (
    DIGEST,
    AzureIndex,
    Changes,
    JsonObject,
    bring_up_to_date,
    with_digest,
)
from retrieval.local.documents.embeddings import FIELD, Embeddings
from retrieval.local.documents.files import EMPTY
from retrieval.local.documents.reading import NO_TEXT, FolderText
from retrieval.local.documents.summary import LeftOut, Summary
from retrieval.local.documents.watching import Scans, Watch
from retrieval.local.json_lines import JsonLine
from retrieval.model.json_value import JsonValue

_KEY: Final = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]{0,1023}")
"""https://learn.microsoft.com/rest/api/searchservice/naming-rules"""

_TAKEN: Final = frozenset({*corpora.CHUNK, "id", "title", "text", DIGEST, FIELD})
_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")


def load(
    index: AzureIndex,
    read: FolderText,
    *,
    language: str = ENGLISH,
    groups: str | None = None,
    embeddings: Embeddings | None = None,
    recreate: bool = False,
) -> Changes:
    """Make the index and bring it up to date. Raises NotConfigured and BackendError.

    An index that was made without some of the fields is loaded without them, unless it is made anew.
    """
    corpus = _corpus(index.name, read, language=language, groups=groups)
    vectorizer = None if embeddings is None else embeddings.vectorizer
    definition = corpus.definition if vectorizer is None else vectorizer.in_definition(corpus.definition)
    lacking = index.define(definition, needed={DIGEST, FIELD, groups or DIGEST}, recreate=recreate)
    skipped = {one.source for one in read.summary.skipped if one.is_file and one.reason not in (EMPTY, NO_TEXT)}
    tell = progress.counted(f"indexing {index.name}", len(corpus.documents), of="document")
    without = [{name: one[name] for name in one if name not in lacking} for one in corpus.documents]
    documents = [with_digest(one, more=repr("" if vectorizer is None else vectorizer)) for one in without]
    fill = iter if embeddings is None else embeddings.fill
    return replace(bring_up_to_date(index, documents, skipped=skipped, tell=tell, fill=fill), lacking=lacking)


def watch_of(
    index: AzureIndex,
    path: Path,
    *,
    language: str = ENGLISH,
    groups: str | None = None,
    embeddings: Embeddings | None = None,
) -> Watch:
    """What keeps the index in step with the folder from now on, with the same options as it was loaded."""
    more = repr("" if embeddings is None else embeddings.vectorizer)

    def make(lines: Sequence[JsonLine]) -> Corpus:
        read = FolderText(lines=tuple(lines), summary=Summary(files=1, chunks=len(lines)))
        return _corpus(index.name, read, language=language, groups=groups)

    def finish(documents: Sequence[JsonObject]) -> Iterable[JsonObject]:
        signed = [with_digest(one, more=more) for one in documents]
        return signed if embeddings is None else embeddings.fill(signed)

    return Watch(root=path, index=index, make=make, finish=finish, scans=Scans(path), left_out=LeftOut())


def told(changes: Changes, endpoint: str, name: str) -> list[str]:
    """What was done, and the agent that searches it."""
    kept = f", {changes.kept:,} kept of files that were skipped" if changes.kept else ""
    lacking = ", ".join(changes.lacking)
    return [
        *(
            [f"{name} has not the fields {lacking}: loaded without them; --recreate makes the index anew"]
            if lacking
            else ()
        ),
        f"{endpoint} {name}: {changes.uploaded:,} uploaded, {changes.unchanged:,} unchanged, "
        f"{changes.deleted:,} deleted{kept}",
        f'agent: {{"name": "{name}", "targetIndexes": [{{"indexName": "{name}"}}]}}',
    ]


def _corpus(name: str, read: FolderText, *, language: str, groups: str | None) -> Corpus:
    """The corpus with a field for digests, and with `groups` the groups of each document. Raises NotConfigured."""
    if groups is not None and (not _FIELD.fullmatch(groups) or groups in _TAKEN):
        raise NotConfigured([f"--groups {groups[:80]!r} cannot be a field of its own."])
    for line in read.lines:
        key = line.value.get("_id")
        if isinstance(key, str) and not _KEY.fullmatch(key):
            raise NotConfigured([f"{line.place}: Azure takes no key {key[:80]!r}: letters, digits, '-', '_' and '='."])
    lines = read.lines
    kinds = {**corpora.CHUNK, DIGEST: "str"}
    if groups is not None:
        lines = tuple(
            replace(line, value={groups: _groups(str(line.value.get("source", ""))), **line.value}) for line in lines
        )
        kinds[groups] = "str list"
    return corpora.of_lines(name, lines, language=language, kinds=kinds)


def _groups(source: str) -> list[JsonValue]:
    """The first folder of the path; a file beside the folders has no group, and an imposed filter hides it."""
    folder, slash, _ = source.partition("/")
    return [folder] if slash else []
