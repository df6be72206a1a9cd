"""Which files of a folder are read."""

import os
from pathlib import Path

from retrieval.local.documents.files import LARGEST, files


def reasons(folder: Path) -> dict[str, str | None]:
    return {one.source: one.reason for one in files(folder)}


def test_links_pipes_hidden_and_endless_files_are_skipped_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "inner").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    (folder / "inner" / "a.md").write_text("x")
    (folder / "same.md").symlink_to(folder / "inner" / "a.md")
    (folder / "loop").symlink_to(folder)
    (folder / "circle.md").symlink_to(folder / "circle.md")
    (tmp_path / "secret.md").write_text("x")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(folder / "pipe.md")
    with (folder / "large.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("x")
    assert reasons(folder) == {
        ".git": "hidden",
        "circle.md": "it cannot be opened",
        "inner/a.md": None,
        "large.md": f"a file has at most {LARGEST:,} bytes",
        "loop": "not a file",
        "out.md": "a link out of the folder",
        "pipe.md": "not a file",
        "same.md": None,
        "\udcff.md": "its name has control characters or is not UTF-8",
    }


def test_a_link_that_is_named_is_followed_as_it_was_meant(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("x")
    (tmp_path / "docs").symlink_to(tmp_path / "real")
    assert reasons(tmp_path / "docs") == {"a.md": None}
