"""The path of a request: from the raw target to the segments that routes see, and back to `req.url`.

- Kestrel decodes percent-encodings except `%2F`, leaves what is not UTF-8 as it stands, then removes dot segments
  (dotnet/aspnetcore, `UrlDecoder`, `PathDecoder`, `PathNormalizer`). A NUL is a bad request. Azure's own front end,
  before Kestrel, decodes `%2F` too (azure-functions-host #3998, #9290): do not build on either.
- `req.url` is put together again from the decoded path and escaped (`PathString.ToUriComponent`): so
  `agents%28%27a%27%29` becomes `agents('a')`, and an encoding that survived the decoding stays.
- Our leniency: slashes at the beginning count as one. ASP.NET's router sees an empty first segment in `//agents/x`
  (`PathTokenizer`) and lets it match no route, not even `{*path}` (`RoutePatternMatcher.TryMatch`), so that its
  answer is an empty 404; but clients that join an endpoint with a slash at its end send exactly this.
"""

import re
from urllib.parse import quote

_ENCODED = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
_ENCODED_BUT_SLASH = re.compile(r"(?:%(?!2f)[0-9a-f]{2})+", re.IGNORECASE)
_UNDECODED = re.compile("[\udc80-\udcff]")
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


def segments(path: str) -> tuple[str, ...]:
    """What `Template.match` takes."""
    return tuple(path.lstrip("/").split("/"))


def escape(path: str) -> str:
    """A decoded path as it stands in a URL."""
    return _TO_ESCAPE.sub(lambda found: quote(found[0], safe="", errors="replace"), path)


def _decoded(run: re.Match[str]) -> str:
    text = bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "surrogateescape")
    return _UNDECODED.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


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
