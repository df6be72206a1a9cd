"""`serve --watch`: the indexes of files that were loaded follow these files while the service runs."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread

from azure.search.documents import SearchClient

from retrieval.local import corpora
from retrieval.local.corpora import CHUNK, Corpus
from retrieval.local.documents.azure_index import AzureIndex
from retrieval.local.documents.reading import is_json_lines
from retrieval.local.documents.summary import LeftOut
from retrieval.local.documents.watching import Scans, Watch, watch
from retrieval.local.json_lines import JsonLine
from retrieval.local.stand_in import StandIn
from retrieval.local.transport import ENDPOINT, connect
from retrieval.local.wire import WireRequest, WireResponse, WireService


class Followed:
    """The folders by the names of their indexes, as they were before they were read.

    A file of JSON lines that is loaded alone is not followed: its documents have no path.
    """

    def __init__(self, loads: Mapping[str, str], *, language: str) -> None:
        folders = {name: Path(path) for name, path in loads.items()}
        self._folders = {name: path for name, path in folders.items() if path.is_dir() or not is_json_lines(path)}
        self._scans = {name: Scans(path) for name, path in self._folders.items()}
        self._language = language
        self._ended = Event()

    def begin(self, local: StandIn, say: Callable[[str], None]) -> None:
        """Scan in a thread. The search service answers it on the running loop, as it answers everybody."""
        loop = asyncio.get_running_loop()

        async def on_loop(request: WireRequest) -> WireResponse:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_answer(local.service, request), loop))

        watches = [self._watch(name, on_loop, local.left_out) for name in self._folders]
        Thread(target=watch, args=(watches,), kwargs={"ended": self._ended, "say": say}, daemon=True).start()

    def end(self) -> None:
        self._ended.set()

    def _watch(self, name: str, service: WireService, left_out: LeftOut) -> Watch:
        client = SearchClient(index_name=name, **connect(service))
        index = AzureIndex(client=client, endpoint=ENDPOINT, name=name)
        make = partial(_corpus, name, self._language)
        return Watch(root=self._folders[name], index=index, make=make, scans=self._scans[name], left_out=left_out)


async def _answer(service: WireService, request: WireRequest) -> WireResponse:
    return await service(request)


def _corpus(name: str, language: str, lines: Sequence[JsonLine]) -> Corpus:
    return corpora.of_lines(name, lines, language=language, kinds=CHUNK)
