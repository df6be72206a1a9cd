"""Writes the golden files."""

from tests.infra.evaluated.golden import FOLDER, texts

if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
