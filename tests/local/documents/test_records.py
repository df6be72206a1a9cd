"""CSV: the header is the row that names the columns, wherever it stands, whatever separates its cells."""

from pathlib import Path

import pytest

from retrieval.local.documents.reading import read


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("plain.csv", "Boat,Fee\nYawl,5\n", ["Boat: Yawl\nFee: 5"]),
        ("title.csv", "Fees of the lock,,\nBoat,Day,Week\nYawl,5,30\n", ["Boat: Yawl\nDay: 5\nWeek: 30"]),
        (
            "titles.csv",
            "Fees of the lock\nExported;2026-05-01\n\nBoat;Day;Week\nYawl;5,50;30,00\nPunt;3,10;20,00\n",
            ["Boat: Yawl\nDay: 5,50\nWeek: 30,00", "Boat: Punt\nDay: 3,10\nWeek: 20,00"],
        ),
        ("sep.csv", "sep=|\nBoat|Crew, all\nYawl|2, 3\n", ["Boat: Yawl\nCrew, all: 2, 3"]),
        ("decimal.csv", "Boat;Fee\nYawl;5,50\nPunt;3,10\n", ["Boat: Yawl\nFee: 5,50", "Boat: Punt\nFee: 3,10"]),
        ("prose.csv", 'Boat\tNote\nYawl\t"Old, small, red"\n', ["Boat: Yawl\nNote: Old, small, red"]),
        ("index.csv", ",Day,Week\nYawl,5,30\n", ["Yawl\nDay: 5\nWeek: 30"]),
        ("sparse.csv", "Boat,Day,Week\nYawl,,\nPunt,3,20\n", ["Boat: Yawl", "Boat: Punt\nDay: 3\nWeek: 20"]),
        ("one.csv", "Boat\nYawl\nPunt\n", ["Boat: Yawl", "Boat: Punt"]),
        ("quoted.csv", '"Boat";"Fee, EUR"\n"Yawl";"1.234,50"\n', ["Boat: Yawl\nFee, EUR: 1.234,50"]),
        ("inch.tsv", 'Boat\tPart\nYawl\t"Ring"\nPunt\t"x\n', ['Boat: Yawl\nPart: "Ring"', 'Boat: Punt\nPart: "x']),
        ("gap.csv", "Boat,,Fee\nYawl,x,n/a\nPunt,y,5\n", ["Boat: Yawl\nx\nFee: n/a", "Boat: Punt\ny\nFee: 5"]),
        ("values.csv", "2024-05-01,9.5\n2024-05-02,7\n", ["2024-05-01\n9.5", "2024-05-02\n7"]),
        ("years.csv", "2023,2024\n5,6\n", ["2023: 5\n2024: 6"]),
        (
            "groups.csv",
            "Boat,2024,,,Note\n,Day,Week,Month,\nYawl,9,50,100,x\nPunt,7,40,90,\n",
            ["Boat: Yawl\n2024 Day: 9\n2024 Week: 50\n2024 Month: 100\nNote: x",
             "Boat: Punt\n2024 Day: 7\n2024 Week: 40\n2024 Month: 90"],
        ),
        ("again.csv", ",2024,2024\nBoat,Day,Week\nYawl,9,50\n", ["Boat: Yawl\n2024 Day: 9\n2024 Week: 50"]),
        (
            "tables.csv",
            "Boat,Fee\nYawl,5\n\nCrew\nName,Age\nBo,33\nCy,n/a\n\nDi,40\n\nSource: harbour,\n",
            ["Boat: Yawl\nFee: 5", "Crew", "Name: Bo\nAge: 33", "Name: Cy\nAge: n/a", "Name: Di\nAge: 40",
             "Source: harbour"],
        ),
        (
            "pairs.csv",
            "Boat,Fee\nYawl,5\nPunt,3\nRaft,1\n",
            ["Boat: Yawl\nFee: 5", "Boat: Punt\nFee: 3", "Boat: Raft\nFee: 1"],
        ),
    ],
)  # fmt: skip
def test_each_value_is_named_by_its_column(tmp_path: Path, name: str, content: str, texts: list[str]) -> None:
    (tmp_path / name).write_text(content)
    rows = [line.value for line in read(tmp_path, name="x").lines if line.value["heading_path"] != "title"]
    assert [row["text"] for row in rows] == texts


def test_rows_above_the_header_are_the_title_and_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Fees of the lock,,\nBoat,Day,Week\nYawl,5,30\n")
    row, above = (line.value for line in read(tmp_path, name="x").lines)
    assert (row["title"], row["heading_path"]) == ("Fees of the lock", "row 3")
    assert (above["text"], above["heading_path"]) == ("Fees of the lock", "title")
