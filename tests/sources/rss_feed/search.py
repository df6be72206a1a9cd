"""Reads a feed, and finds the items that have a word of the query."""

from collections.abc import Iterator
from xml.etree import ElementTree

from retrieval.errors import BackendUnavailable
from retrieval.model.search import Hit, Page, Subquery
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, ask


class Feeds:
    """Feeds as a SearchIndex. The index of a target is the address of its feed."""

    async def search(self, subquery: Subquery) -> Page:
        """The items in the order of the feed. Raises BackendUnavailable."""
        answer = await ask(HttpRequest(method="GET", url=subquery.target.index))
        if not isinstance(answer, HttpAnswer) or answer.status != 200:
            raise BackendUnavailable("The feed", "cannot be read.")
        return Page(hits=tuple(_hits(answer.content, subquery.search)), scored=False)


def _hits(feed: bytes, query: str) -> Iterator[Hit]:
    words = set(query.lower().split())
    for item in ElementTree.fromstring(feed).iter("item"):
        title, text, link = (item.findtext(name) or "" for name in ("title", "description", "link"))
        if words.intersection(f"{title} {text}".lower().split()):
            yield Hit(key=link, score=None, title=title, content=text, origin=link, source={"description": text})
