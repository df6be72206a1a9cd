"""A new kind of knowledge source is a folder, a row, and its name in the versions that have it: an RSS feed, in a copy
of the project, through the routes of definitions and of retrieve."""

import shutil
from pathlib import Path
from typing import Final

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.sources.copies import answers, copied

FEED: Final = b"""<rss version="2.0"><channel>
<item><title>A road</title><description>The road was opened.</description><link>https://news.example/1</link></item>
<item><title>A port</title><description>The port is old.</description><link>https://news.example/2</link></item>
</channel></rss>"""
QUERY: Final = "?api-version=2026-08-01-preview"
ROW: Final = ("MappingProxyType(\n    {", '"rssFeed": "rss_feed",')
NAME: Final = ("*COMMON,", '"rssFeed",')


def with_feeds(folder: Path) -> None:
    """A copy of the project with the kind: its folder, its row, and its name in one version."""
    sources = copied(folder)
    shutil.copytree(Path(__file__).parent / "rss_feed", sources / "rss_feed")
    versions = folder / "retrieval" / "contracts" / "azure" / "versions"
    for path, (before, line) in ((sources / "__init__.py", ROW), (versions / "v2026_08_01_preview.py", NAME)):
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1
        path.write_text(text.replace(before, f"{before}\n{line}"), encoding="utf-8")


async def feed(request: WireRequest) -> WireResponse:
    return WireResponse(status=200, headers=(("content-type", "application/rss+xml"),), body=FEED)


async def test_a_kind_of_one_folder_and_one_row_is_defined_and_retrieved(tmp_path: Path) -> None:
    with_feeds(tmp_path)
    async with serving(feed) as address:
        source = {"name": "news", "kind": "rssFeed", "rssFeedParameters": {"feedUrl": f"{address}/feed"}}
        base = {"name": "base", "knowledgeSources": [{"name": "news"}]}
        asked = {"intents": [{"type": "semantic", "search": "road"}]}
        wrong = {**source, "rssFeedParameters": {"feedUrl": "news"}}
        refused, defined, shown, made, found, elsewhere = await answers(
            tmp_path,
            ("PUT", f"/knowledgesources('news'){QUERY}", wrong),
            ("PUT", f"/knowledgesources('news'){QUERY}", source),
            ("GET", f"/knowledgesources('news'){QUERY}", None),
            ("PUT", f"/knowledgebases('base'){QUERY}", base),
            ("POST", f"/knowledgebases('base')/retrieve{QUERY}", asked),
            ("POST", "/knowledgebases('base')/retrieve?api-version=2026-04-01", asked),
        )
    assert (refused[0], refused[1]["error"]["target"]) == (400, "rssFeedParameters.feedUrl")
    assert (defined[0], made[0], shown[1]["rssFeedParameters"]) == (201, 201, {"feedUrl": f"{address}/feed"})
    status, answer = found
    [reference] = answer["references"]
    assert (status, reference["type"], reference["link"]) == (200, "rssFeed", "https://news.example/1")
    [record] = [record for record in answer["activity"] if record["type"] == "rssFeed"]
    assert (record["knowledgeSourceName"], record["rssFeedArguments"]) == ("news", {"words": ["road"]})
    assert elsewhere[0] == 400 and "is of the kind rssFeed" in elsewhere[1]["error"]["message"]
