"""The path of a request: from the raw target to the segments that routes see, and back to `req.url`.

- Kestrel decodes percent-encodings except `%2F`, leaves what is not UTF-8 as it stands, then removes dot segments
  (dotnet/aspnetcore, `UrlDecoder`, `PathDecoder`, `PathNormalizer`). A NUL is a bad request. Azure's own front end,
  before Kestrel, decodes `%2F` too (azure-functions-host #3998, #9290): do not build on either.
- `req.url` is put together again from the decoded path and escaped (`PathString.ToUriComponent`): so
  `agents%28%27a%27%29` becomes `agents('a')`, and an encoding that survived the decoding stays.
- A slash too many at the beginning is an empty segment (`PathTokenizer`), which lets a path match no route, not even
  `{*path}` (`RoutePatternMatcher.TryMatch`): `//agents/x` is an empty 404.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote

_ENCODED = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
_ENCODED_BUT_SLASH = re.compile(r"(?:%(?!2f)[0-9a-f]{2})+", re.IGNORECASE)
_TO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]")


def split_target(target: str) -> tuple[str, str]:
    """The raw path and the raw query (without its question mark) of a request line's target."""
    path, _, query = target.partition("?")
    return path, query


def decode_path(raw: str) -> str:
    """As Kestrel decodes it, without dot segments. ValueError for a NUL."""
    path = _ENCODED_BUT_SLASH.sub(_decoded, raw)
    if "\0" in path:
        raise ValueError("the path contains a null character")
    return _without_dots(path)


def decode_query(raw: str) -> str:
    """One name or value of a query: plus signs are spaces, every encoding is decoded that is UTF-8."""
    return _ENCODED.sub(_decoded, raw.replace("+", " "))


def escape(path: str) -> str:
    """A decoded path, encoded for a URL."""
    return _TO_ESCAPE.sub(lambda found: quote(found[0], safe="", errors="replace"), path)


def _decoded(run: re.Match[str]) -> str:
    """A run of encodings as text; a byte that is not UTF-8 stays as it was written."""
    raw = run[0]
    text = bytes.fromhex(raw.replace("%", "")).decode("utf-8", "surrogateescape")
    return "".join(_kept(text, raw))


def _kept(text: str, raw: str) -> Iterator[str]:
    at = 0
    for character in text:
        undecoded = "\udc80" <= character <= "\udcff"
        yield raw[at : at + 3] if undecoded else character
        at += 3 if undecoded else 3 * len(character.encode())


def _without_dots(path: str) -> str:
    """RFC 3986, 5.2.4: `/a/./b/../c` is `/a/c`, and nothing climbs above the root."""
    if "/." not in path:
        return path
    kept: list[str] = []
    pieces = path.split("/")[1:]
    for piece in pieces:
        if piece == "..":
            del kept[-1:]
        elif piece != ".":
            kept.append(piece)
    if pieces[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
