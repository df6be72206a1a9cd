"""What query hints change in the searches of a round, and when it is given up. Awaits nothing.

A filter only narrows: it is joined by AND with all other filters. Where it leaves a source without a document, or the
service refuses what the hints made, the source is searched again without them.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from retrieval.errors import BackendRefused
from retrieval.filters.tree import all_of
from retrieval.model.plan import QueryPlan
from retrieval.model.search import Searched, SearchTarget

GIVEN_UP: Final = "With its query hints {source!r} gave no document, so it was searched again without them."


def applied(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    """The target with what the plan made of its hints; a search without a text has no boosts."""
    hinted = next((one for one in planned.hinted if one.source == target.source_name), None)
    if hinted is None:
        return target
    filter = all_of(one for one in (target.filter, hinted.filter) if one is not None)
    boosts = () if target.recall.text == 0 else hinted.boosts
    return replace(target, filter=filter, generated=hinted.filter, boosts=boosts)


def fruitless(searched: Sequence[Searched]) -> frozenset[str]:
    """The sources in which no search found a document, and one did not because of the hints, as far as can be seen."""
    fruitful = {one.subquery.target.source_name for one in searched if one.page.found}
    return frozenset(one.subquery.target.source_name for one in searched if _hindered(one)) - fruitful


def without(planned: QueryPlan, sources: Collection[str]) -> QueryPlan:
    """The plan without what it made of the hints of these sources."""
    return replace(planned, hinted=tuple(one for one in planned.hinted if one.source not in sources))


def given_up(searched: Sequence[Searched], sources: Collection[str]) -> list[Searched]:
    """The searches, of which those in these sources are made again."""
    return [replace(one, given_up=True) if one.subquery.target.source_name in sources else one for one in searched]


def notes(searched: Sequence[Searched]) -> tuple[str, ...]:
    """A sentence for each source whose hints were given up."""
    sources = dict.fromkeys(one.subquery.target.source_name for one in searched if one.given_up)
    return tuple(GIVEN_UP.format(source=source) for source in sources)


def _hindered(searched: Searched) -> bool:
    target = searched.subquery.target
    if searched.error is None:
        return target.generated is not None
    return isinstance(searched.error, BackendRefused) and (target.generated is not None or bool(target.boosts))
