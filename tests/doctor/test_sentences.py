"""The file of sentences has what the checks tell, and nothing else."""

import re
from typing import Final

from retrieval.doctor.sentences import ROWS, Row
from tests.environments import ROOT

CODE: Final = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "retrieval" / "doctor").glob("*.py"))


def test_every_name_of_the_file_is_told_by_a_check() -> None:
    assert set(ROWS) - set(re.findall(r'"([a-z-]+)"', CODE)) == set()


def test_only_the_last_row_of_a_name_fits_everything() -> None:
    earlier = [(name, row) for name, of_name in ROWS.items() for row in of_name[:-1]]
    assert [name for name, row in earlier if row == Row(said=row.said, do=row.do, state=row.state)] == []
