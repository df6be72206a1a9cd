"""The files of the page, with the headers that restrict the page to its own origin."""

from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from retrieval.contracts.rendered import Rendered
from retrieval.contracts.served_versions import PROVISIONAL, newest, versions_of

PAGE: Final = "page.html"

KINDS: Final = MappingProxyType({".html": "text/html", ".css": "text/css", ".js": "text/javascript"})
"""The media types by file ending. Files with another ending are not served."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The content security policy: https://www.w3.org/TR/CSP3/. Trusted types prevent every module from turning text into
markup."""

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }
)

VERSIONS: Final = b"<!-- versions -->"
"""The place in the page for the versions of retrieve that a reader may choose."""


@cache
def names() -> frozenset[str]:
    """The names of the files that are served."""
    return frozenset(path.name for path in Path(__file__).parent.iterdir() if path.suffix in KINDS)


@cache
def read(name: str) -> Rendered | None:
    """The file with this name; None if there is no such file."""
    if name not in names():
        return None
    path = Path(__file__).parent / name
    return Rendered(
        status=200,
        body=path.read_bytes().replace(VERSIONS, _options().encode()),
        headers={**HEADERS, "Content-Type": f"{KINDS[path.suffix]}; charset=utf-8"},
    )


def _options() -> str:
    """The newest GA version of retrieve, and the newest preview whose specification is public, as options of HTML."""
    public = [version for version in versions_of("knowledgebases") if version not in PROVISIONAL]
    offered = (newest(public, preview=False), newest(public, preview=True))
    return "".join(f"<option>{version}</option>" for version in offered if version)
