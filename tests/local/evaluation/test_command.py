"""`python -m retrieval.local eval`, as a program: in process, against a host over HTTP, with a model, as a gate."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import ir_measures
import pytest
from ir_measures import AP, P, Qrel, ScoredDoc, nDCG

from retrieval.local.__main__ import main
from tests import third_parties
from tests.environments import ROOT, needs
from tests.local.evaluation.conftest import HOSTILE, HOSTILE_KEY, HOSTILE_LABEL
from tests.running import served
from tests.scripted_azure.azure import ScriptedAzure
from tests.scripted_azure.scripts import queries

COMMAND = [sys.executable, "-m", "retrieval.local", "eval"]
THIS = Path(sys.executable)
Run: TypeAlias = Callable[..., tuple[int, str, str]]


def program(*arguments: object, environ: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """The command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **(environ or {})},
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, which is faster."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(["eval", *map(str, arguments)])
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


class Elements(HTMLParser):
    """The names of all elements of a page that loads nothing and runs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        assert not [name for name, _ in attrs if name in {"src", "href", "style"} or name.startswith("on")]

    @classmethod
    def of(cls, page: str) -> "Elements":
        elements = cls()
        elements.feed(page)
        assert elements.names.isdisjoint({"script", "link", "iframe", "object", "embed"})
        return elements


def report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def columns(path: Path) -> list[list[str]]:
    """The lines of a file as TREC has them."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_a_collection_is_measured_and_reported(harbour: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, err = program("--data", harbour, "--out", out)
    assert (code, err) == (0, "")
    assert re.search(r"all-gold@5 +answer +\d\.\d{3}", said)
    found, page = report(out), (out / "report.html").read_text(encoding="utf-8")
    assert [one["name"] for one in found["runs"]] == ["single", "auto", "client", "answer"]
    *_, answered = found["runs"]
    assert answered["measures"]["shown@3"]["n"] == 6
    assert answered["measures"]["AUROC"]["value"] > 0.5
    assert set(answered["values"]["nDCG@5"]) == {"q1", "q2", "q3", "q4", "q5", "q6"}
    assert set(found["calibration"]["readings"]) == {"evidence", "reranker"}
    assert "svg" in Elements.of(page).names


def test_a_follow_up_question_needs_its_turns(run: Run, harbour: Path, tmp_path: Path) -> None:
    """The turns say that it is about the island; the last turn alone names nothing."""
    found = {}
    for name, options in (("with", ()), ("without", ("--last-turn",))):
        assert run("--data", harbour, "--run", "auto", "--out", tmp_path / name, *options)[0] == 0
        found[name] = report(tmp_path / name)["runs"][0]["values"]["nDCG@10"]["q3"]
    assert found["with"] > found["without"]


@pytest.mark.slow
def test_texts_keys_and_labels_of_the_collection_are_text_in_the_report(
    run: Run, harbour: Path, tmp_path: Path
) -> None:
    """The question changed, since one of the runs found nothing, and so its text and its documents are shown."""
    run("--data", harbour, "--run", "auto", "--run", "none=auto,threshold=4", "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(escape(text) in page for text in (HOSTILE, HOSTILE_KEY, HOSTILE_LABEL))
    assert Elements.of(page).names.isdisjoint({"script", "img", "i"})


def test_other_tools_read_the_rankings_and_measure_the_same(run: Run, harbour: Path, tmp_path: Path) -> None:
    code, said, err = run("--data", harbour, "--run", "all turns=auto", "--k", "3,1", "--out", tmp_path)
    assert (code, err) == (0, ""), said
    measures = report(tmp_path)["runs"][0]["measures"]
    qrels = [Qrel(id, key, int(grade)) for id, _, key, grade in columns(tmp_path / "qrels.trec")]
    ranking = [ScoredDoc(id, key, float(score)) for id, _, key, _, score, _ in columns(tmp_path / "all turns.run.trec")]
    found = ir_measures.calc_aggregate([nDCG @ 1, nDCG @ 3, AP @ 3, P @ 3], qrels, ranking)
    assert {str(name): value for name, value in found.items()} == pytest.approx(
        {name: measures[name]["value"] for name in ("nDCG@1", "nDCG@3", "AP@3", "P@3")}
    )


def test_blanks_and_percent_signs_in_keys_do_not_divide_columns(run: Run, tmp_path: Path) -> None:
    folder, keys = tmp_path / "odd", ("a b", "a%20b", "a\tb")
    folder.mkdir()
    documents = ({"_id": key, "text": f"The pier, part {place}."} for place, key in enumerate(keys))
    for name, lines in (("corpus", documents), ("queries", [{"_id": "q 1", "text": "Where is the pier?"}])):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (folder / "qrels.tsv").write_text("q 1\ta b\t1\nq 1\ta%20b\t1\n", encoding="utf-8")
    code, said, err = run("--data", folder, "--run", "auto", "--k", "1,3", "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    assert columns(tmp_path / "out" / "qrels.trec") == [["q%201", "0", key, "1"] for key in ("a%20b", "a%2520b")]
    assert "1 question with more than 1 gold documents" in said
    assert report(tmp_path / "out")["collection"]["moreGold"] == {"1": 1}


def test_the_gate_is_the_exit_status(run: Run, harbour: Path, tmp_path: Path) -> None:
    usual = ("--data", harbour, "--run", "auto")
    good = run(*usual, "--out", tmp_path / "good", "--minimum", "auto:nDCG@10=0.5", "--maximum", "auto:searches=9")
    assert good[0] == 0 and "held" in good[1]
    bad = run(*usual, "--out", tmp_path / "bad", "--minimum", "auto:MRR@10=1.1")
    assert bad[0] == 3 and "FAILED" in bad[1]
    assert report(tmp_path / "bad")["checks"] == [
        {
            "sentence": f"auto: MRR@10 is {report(tmp_path / 'bad')['runs'][0]['measures']['MRR@10']['value']:.4f}"
            ", minimum 1.1",
            "held": False,
        }
    ]
    baseline = ("--baseline", tmp_path / "good" / "report.json", "--out", tmp_path / "again")
    assert run(*usual, *baseline)[0] == 0
    worse = run("--data", harbour, "--run", "auto=auto,threshold=4", *baseline)
    assert worse[0] == 3 and "FAILED" in worse[1]


@pytest.mark.slow
def test_the_thresholds_are_kept_beside_the_definitions(harbour: Path, tmp_path: Path) -> None:
    options = ("--data", harbour, "--run", "answer", "--out", tmp_path)
    code, said, _ = program(*options, "--save", environ={"AGENTS_STORE": str(tmp_path / "agents.json")})
    assert code == 0 and str(tmp_path / "agents.calibration.json") in said
    assert json.loads((tmp_path / "agents.calibration.json").read_text(encoding="utf-8"))["harbour"]["precision"] == 0.9
    code, _, err = program(*options, "--save", environ={"AGENTS_STORE": "memory"})
    assert code == 1 and "needs a file" in err


@pytest.mark.slow
def test_a_deployment_is_asked_over_http(run: Run, harbour: Path, tmp_path: Path) -> None:
    """It finds what the same code finds in process."""
    options = ("--data", harbour, "--run", "auto", "--run", "answer", "--run", "strict=low,threshold=3")
    assert run(*options, "--out", tmp_path / "here")[0] == 0
    corpus = ("--load", f"notes={harbour / 'corpus.jsonl.gz'}")
    with served(THIS, *corpus, environ={"AGENTS_STORE": "memory"}) as address:
        there = ("--against", address, "--out", tmp_path / "there", "--at-once", "4")
        code, _, err = run(*options, *there, "--agent", "notes", "--key", "local-dev-key")
        refused = program(*options, *there, "--base", "notes", environ={"EVAL_KEY": "another"})
        unknown = run(*options, *there, "--base", "nobody", "--key", "local-dev-key")
    assert (code, err) == (0, "")
    for here, over_http in zip(report(tmp_path / "here")["runs"], report(tmp_path / "there")["runs"], strict=True):
        assert over_http["ranked"] == here["ranked"]
        assert over_http["measures"]["nDCG@5"] == here["measures"]["nDCG@5"]
        assert over_http["signals"] == here["signals"]
    assert refused[0] == unknown[0] == 1
    assert "403" in refused[2] and "404" in unknown[2]
    gone = run(*options, *there, "--base", "notes")
    assert gone[0] == 1 and len(gone[2].splitlines()) == 1


@pytest.mark.slow
async def test_a_run_may_leave_the_model_of_the_environment_out(harbour: Path, tmp_path: Path) -> None:
    azure = ScriptedAzure(chat=queries("lighthouse pier", "island cheese"))
    async with azure.listening():
        model = {"AZURE_OPENAI_ENDPOINT": azure.address, "AZURE_OPENAI_DEPLOYMENT": "p", "AZURE_OPENAI_API_KEY": "k"}
        options = ("--data", harbour, "--run", "low", "--run", "rules=low,model=none", "--out", tmp_path)
        code, said, err = await asyncio.to_thread(program, *options, environ=model)
    assert (code, err) == (0, ""), said
    asked, rules = (one["measures"]["model calls"]["value"] for one in report(tmp_path)["runs"])
    assert (asked, rules, len(azure.chats)) == (1.0, 0.0, 8)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--run", "much"),
        ("--run", "auto", "--run", "auto"),
        ("--run", "auto,base=other"),
        ("--against", "http://localhost:1", "--run", "auto,model=none"),
        ("--against", "http://key:secret@localhost:1"),
        ("--precision", "2"),
        ("--k", "0"),
        ("--k", "5,ten"),
        ("--minimum", "auto"),
        ("--run", "auto", "--minimum", "other:nDCG@10=0.7"),
    ],
)
def test_a_wrong_argument_ends_with_two(run: Run, harbour: Path, arguments: tuple[str, ...]) -> None:
    code, out, err = run("--data", harbour, *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_a_folder_that_cannot_be_written_is_said_before_the_first_question(
    run: Run, harbour: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    code, out, err = run("--data", harbour, "--out", tmp_path / "file")
    assert (code, out, len(err.splitlines())) == (1, "", 1)


@pytest.mark.slow
def test_a_terminal_is_told_how_far_it_is(run: Run, harbour: Path, tmp_path: Path) -> None:
    parent, child = os.openpty()
    options = ("--data", str(harbour), "--run", "auto", "--out", str(tmp_path))
    subprocess.run([*COMMAND, *options], stdout=subprocess.DEVNULL, stderr=child, check=True, cwd=ROOT)
    assert b"auto: 8 of 8 questions" in os.read(parent, 100_000)
    os.close(parent)
    os.close(child)


def test_without_the_extra_the_command_says_what_to_install(harbour: Path) -> None:
    needs(third_parties.AZURE_PYTHON)
    done = subprocess.run(
        [third_parties.worker(), *COMMAND[1:], "--data", str(harbour)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "eval needs packages (ir_measures, scipy): make evaluation\n"


def test_the_page_names_every_option(run: Run) -> None:
    _, said, _ = run("--help")
    page = (ROOT / "docs" / "developing" / "evaluation.md").read_text(encoding="utf-8")
    named, there = (set(re.findall(r"--[a-z-]+[a-z]", text)) for text in (page, said))
    assert there - named <= {"--help", "--agent"}
    assert named <= there


def test_help_says_what_a_configuration_is(run: Run) -> None:
    code, said, _ = run("--help")
    assert code == 0
    assert all(needed in said for needed in ("minimal", "threshold", "--run single=minimal", "exit status"))
