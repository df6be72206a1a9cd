"""Writes a mail of Outlook: a compound file with the streams of its properties ([MS-CFB], [MS-OXMSG])."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

_SECTOR: Final = 512
_MINI: Final = 64
_END, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_Entry: TypeAlias = tuple[str, int, int, int, bytes]
"""Name, kind (1 a storage, 2 a stream, 5 the root), the next beside it, the first in it, what it holds."""

_FILETIME_OF_1970: Final = 116_444_736_000_000_000


def msg(
    path: Path, texts: Mapping[int, str], *, sent: int, attachment: str, content: bytes = b"", rtf: bytes = b""
) -> None:
    """`texts` by their property; `sent` in seconds since 1970; `content` of the file attached; `rtf` compressed."""
    time = struct.pack("<HHIQ", 0x40, 0x0039, 6, sent * 10_000_000 + _FILETIME_OF_1970)
    properties, streams = _properties(texts)
    inner, attached = _properties({0x3707: attachment})
    if content:
        inner += struct.pack("<HHIQ", 0x0102, 0x3701, 6, len(content))
        attached["__substg1.0_37010102"] = content
    if rtf:
        properties += struct.pack("<HHIQ", 0x0102, 0x1009, 6, len(rtf))
        streams["__substg1.0_10090102"] = rtf
    root = {"__properties_version1.0": struct.pack("<8x4I8x", 0, 1, 0, 1) + properties + time, **streams}
    storage = {"__properties_version1.0": bytes(8) + inner, **attached}
    compound(path, root, {"__attach_version1.0_#00000000": storage})


def _properties(texts: Mapping[int, str]) -> tuple[bytes, dict[str, bytes]]:
    segments = b"".join(struct.pack("<HHIQ", 0x1F, name, 6, 2 * len(text)) for name, text in texts.items())
    return segments, {f"__substg1.0_{name:04X}001F": text.encode("utf-16-le") for name, text in texts.items()}


def compound(
    path: Path, root: Mapping[str, bytes], storages: Mapping[str, Mapping[str, bytes]], *, shared: bool = False
) -> None:
    """Streams of less than 4,096 bytes; with `shared` every one is the first."""
    entries: list[_Entry] = [("Root Entry", 5, _NONE, 1, b"")]
    number = 1 + len(root) + len(storages)
    for at, name in enumerate([*root, *storages], 2):
        right = at if at <= len(root) + len(storages) else _NONE
        is_stream = name in root
        entries.append((name, 2 if is_stream else 1, right, _NONE if is_stream else number, root.get(name, b"")))
        number += 0 if is_stream else len(storages[name])
    for streams in storages.values():
        first, last = len(entries), len(entries) + len(streams) - 1
        for at, (name, content) in enumerate(streams.items(), first):
            entries.append((name, 2, at + 1 if at < last else _NONE, _NONE, content))
    path.write_bytes(_written(entries, shared=shared))


def _written(entries: Sequence[_Entry], *, shared: bool) -> bytes:
    mini_fat: list[int] = []
    mini: list[bytes] = []
    places: list[tuple[int, int]] = []
    for _, kind, _, _, content in entries:
        if kind != 2:
            places.append((_END, 0))
        elif shared and mini:
            places.append(next(place for place in places if place[1]))
        else:
            places.append((_chain(mini_fat, mini, content, _MINI), len(content)))
    fat, sectors = [_FAT], [b""]
    places[0] = (_chain(fat, sectors, b"".join(mini), _SECTOR), _MINI * len(mini))
    mini_begin = _chain(fat, sectors, struct.pack(f"<{len(mini_fat)}I", *mini_fat), _SECTOR)
    begin = _chain(fat, sectors, b"".join(map(_directory, entries, places)), _SECTOR)
    sectors[0] = struct.pack(f"<{_SECTOR // 4}I", *fat, *[_NONE] * (_SECTOR // 4 - len(fat)))
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<10I", 0, 1, begin, 0, 4_096, mini_begin, 1, _END, 0, 0)
    return header + struct.pack("<108I", *[_NONE] * 108) + b"".join(sectors)


def _directory(entry: _Entry, place: tuple[int, int]) -> bytes:
    name, kind, right, child, _ = entry
    text = name.encode("utf-16-le")
    head = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text) + 2, kind, 1, _NONE, right, child)
    return head + bytes(36) + struct.pack("<IQ", *place)


def _chain(fat: list[int], sectors: list[bytes], content: bytes, size: int) -> int:
    """Add the content in sectors of that size; the first."""
    start = len(fat)
    pieces = [content[at : at + size].ljust(size, b"\0") for at in range(0, len(content), size)]
    fat.extend([*range(start + 1, start + len(pieces)), _END])
    sectors.extend(pieces)
    return start
