"""What `python -m retrieval.local search` serves: a search service, its data folder, its corpora, its keys."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from retrieval.local import progress
from retrieval.local.analyzers import ENGLISH
from retrieval.local.documents.summary import LeftOut
from retrieval.local.filled import fill_missing
from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import Store
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.local.stand_in import NO_MODEL
from retrieval.settings.settings import LOCAL_ADMIN_KEY, LOCAL_KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """`admin` may do everything, the others read documents. With none of them those of `make run` are accepted."""

    admin: Sequence[str] = ()
    query: Sequence[str] = ()
    reader: Sequence[str] = ()

    @property
    def are_built_in(self) -> bool:
        """Whether they are those that everybody knows."""
        return not (self.admin or self.query or self.reader)

    @property
    def told(self) -> tuple[str, ...]:
        """Those that everybody knows, for people; own keys are not printed."""
        if not self.are_built_in:
            return ()
        return (f"key {LOCAL_KEY}", f"key that may manage: {LOCAL_ADMIN_KEY}")

    def service(self, catalog: Catalog, *, strict_versions: bool) -> SearchService:
        """The search service behind them."""
        made = partial(SearchService, catalog=catalog, strict_versions=strict_versions)
        if self.are_built_in:
            return made(admin_keys=[LOCAL_ADMIN_KEY], query_keys=[LOCAL_KEY])
        return made(admin_keys=self.admin, query_keys=self.query, reader_keys=self.reader)


@contextmanager
def open_search(
    folder: Path | None,
    loads: Mapping[str, str],
    keys: Keys,
    *,
    language: str = ENGLISH,
    models: Wanted = NO_MODEL,
    strict_versions: bool = False,
    say: Callable[..., None] = lambda *lines: None,
) -> Iterator[SearchService]:
    """A service over what `folder` holds, and over the corpora of `loads` (name, path) that it does not hold yet,
    whose texts are in `language`; `say` gets the models, and what was read of each corpus. Vectors are kept in
    `folder` too.

    Raises CannotStore, NotConfigured.
    """
    store = None if folder is None else Store(folder)
    try:
        progress.opening(models.by_name)
        opened = open_models(models) if folder is None else open_models(models, folder)
        say(*models.told)
        catalog = Catalog(store, progress.shown if opened.dimensions is None else progress.embedded, opened)
        say(*fill_missing(catalog, loads, language=language, left_out=LeftOut()))
        yield keys.service(catalog, strict_versions=strict_versions)
    finally:
        if store is not None:
            store.close()
