"""What is deployed: which files, how large with its packages, and that it serves elsewhere with nothing else."""

import asyncio
import json
import re
import subprocess
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.http.monitoring import DOCUMENT
from retrieval.local.server import serving
from retrieval.local.stand_in import stand_in
from retrieval.playground.files import names
from retrieval.version import COMMIT_FILE, VERSION
from tests import requirements
from tests.conftest import RETRIEVE, Post, ask
from tests.deployment import package, release
from tests.environments import ROOT, needs
from tests.openapi.conforming import Exchange, read
from tests.openapi.exchanges import keep
from tests.test_readme import without_times
from tests.third_parties import bare_python, bill_checker, worker_alone

LARGEST: Final = 40_000_000
LOCAL: Final = ROOT / "retrieval" / "local"
DRIVER: Final = Path(__file__).with_name("in_worker.py")
LOCAL_PACKAGES: Final = (
    "chardet",
    "google-re2",
    "justhtml",
    "luqum",
    "markdown-it-py",
    "numpy",
    "snowballstemmer",
    "stopwordsiso",
    "tantivy",
    "uvicorn",
)
KEY: Final = "deployed-key"

IS_CYCLONEDX: Final = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
"""

IMPORT_ALL: Final = """
import sys, pkgutil, importlib
sys.path.insert(0, sys.argv[1])
import function_app, retrieval
for module in pkgutil.walk_packages(retrieval.__path__, "retrieval."):
    importlib.import_module(module.name)
print("retrieval.compose" in sys.modules, any(name.startswith("retrieval.local") for name in sys.modules))
"""


def test_it_is_the_app_its_data_its_page_its_document_its_host_settings_its_requirements_and_nothing_else() -> None:
    code = (path for path in (ROOT / "retrieval").rglob("*.py") if LOCAL not in path.parents)
    sources = [path for path in code if path.stem not in {"described", "description"}]
    prompts = (ROOT / "retrieval" / "call" / "prompts").glob("*.txt")
    languages = (ROOT / "retrieval" / "text" / "languages").glob("*.toml")
    sentences = (ROOT / "retrieval" / "doctor").glob("*.toml")
    page = [ROOT / "retrieval" / "playground" / name for name in names()]
    named = [
        path.relative_to(ROOT).as_posix() for path in (*sources, *prompts, *languages, *sentences, *page, DOCUMENT)
    ]
    assert package.files() == sorted(["function_app.py", "host.json", "requirements.txt", *named])
    assert len(named) > 50


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".git/config",
        ".local/agents.json",
        ".venv/bin/python",
        "build/lib/retrieval/model.py",
        "docs/openapi.json",
        "infra/main.bicep",
        "local.settings.json",
        "node_modules/azurite/package.json",
        "retrieval/__pycache__/model.cpython-313.pyc",
        "retrieval/contracts/described.py",
        "retrieval/contracts/answer/description.py",
        "retrieval/local/host/front.py",
        "tests/conftest.py",
        "tools/openapi/document.py",
    ],
)
def test_what_lies_about_in_a_developers_folder_stays_there(path: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("")
    (tmp_path / "agents.json").write_text("[]")
    assert package.files(tmp_path) == ["agents.json"]


def test_the_local_packages_are_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    local = " ".join(project["optional-dependencies"]["local"])
    assert all(one in local for one in LOCAL_PACKAGES)
    assert not any(line.startswith(LOCAL_PACKAGES) for line in project["dependencies"])


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release."""
    needs(package.PYTHON)
    folder = tmp_path_factory.mktemp("released")
    assert release.main([str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def unpacked(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release's package unpacked elsewhere."""
    folder = tmp_path_factory.mktemp("deployed") / "wwwroot"
    with zipfile.ZipFile(released / f"{release.NAME}.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.slow
def test_it_is_small_enough_with_its_packages(released: Path) -> None:
    size = (released / f"{release.NAME}.zip").stat().st_size
    assert size <= LARGEST
    page = (ROOT / "docs" / "developing" / "performance.md").read_text(encoding="utf-8")
    told = re.search(r"a release of (\d+) MB", page)
    assert told is not None and abs(int(told[1]) - size / 1e6) < 1.5


@pytest.mark.slow
def test_every_module_of_it_can_be_imported_with_its_own_packages_alone(unpacked: Path) -> None:
    bare = bare_python()
    done = subprocess.run(
        [bare, "-P", "-c", IMPORT_ALL, unpacked],
        cwd=unpacked,
        env={"PYTHONPATH": str(unpacked / package.SITE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "True False\n", done.stderr


@pytest.mark.slow
async def test_it_answers_a_retrieve_in_the_code_that_azure_runs(unpacked: Path, post: Post) -> None:
    asked = ask("Why is the street grid of Phoenix visible?", filterAddOn="page_number eq '105'", rerankerThreshold=2.5)
    async with serving(stand_in(()).service) as search:
        start, answers, modules = await asyncio.to_thread(in_worker, unpacked, search, asked)
    assert start["engine"].startswith("runtime (azure-functions-runtime")
    assert [answer["status"] for answer in answers] == [200, 200, 200, 200, 401]
    alive, ready, described, retrieved, _ = (json.loads(answer["body"]) for answer in answers)
    assert (alive["status"], ready["status"], ready["search"]) == ("alive", "ready", "reachable")
    assert described == read()
    assert without_times(json.dumps(retrieved)) == without_times((await post(asked)).body.decode())
    ours = {name: Path(file) for name, file in modules.items() if name.split(".")[0] in {"function_app", "retrieval"}}
    foreign = {name for name, file in ours.items() if unpacked not in file.parents}
    assert foreign and all(name.startswith("retrieval.local") for name in foreign)
    site = unpacked / package.SITE
    assert all(site in Path(modules[name]).parents for name in ("aiohttp", "pydantic", "azure.search.documents"))


@pytest.mark.slow
def test_nothing_is_left_to_install_and_what_is_in_it_is_what_the_lock_says(released: Path, unpacked: Path) -> None:
    assert not (unpacked / package.REQUIREMENTS).exists()
    bill = json.loads((released / f"{release.NAME}.cdx.json").read_text(encoding="utf-8"))
    locked = {one.pin.partition(" ;")[0]: one.lines for one in requirements.needed([requirements.DEPLOYED])}
    listed = {f"{one['name']}=={one['version']}": one["hashes"][0]["content"] for one in bill["components"]}
    assert len(listed) > 60 and all(f"sha256:{digest}" in locked[pin] for pin, digest in listed.items())
    names = {requirements.canonical(path.name.split("-")[0]) for path in unpacked.glob(f"{package.SITE}/*.dist-info")}
    assert names == {one["name"] for one in bill["components"]}


@pytest.mark.slow
def test_the_bill_of_materials_is_cyclonedx(released: Path) -> None:
    done = subprocess.run(
        [bill_checker(), "-c", IS_CYCLONEDX, released / f"{release.NAME}.cdx.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "None\n", done.stdout + done.stderr


@pytest.mark.slow
def test_the_same_commit_gives_the_same_bytes(released: Path, tmp_path: Path) -> None:
    release.build(tmp_path)
    for name in (f"{release.NAME}.zip", f"{release.NAME}.cdx.json"):
        assert (tmp_path / name).read_bytes() == (released / name).read_bytes()


def test_a_tag_of_another_version_is_not_released(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main([str(tmp_path), "--tag", "v0.0.9"]) == 1
    assert "The tag is v0.0.9" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_zip_is_checked_by_the_line_of_its_hash(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"package")
    line = release.hash_line(tmp_path / "a.zip")
    command = ["sha256sum", "--check", "--quiet"]
    assert subprocess.run(command, cwd=tmp_path, input=line, text=True, check=False).returncode == 0
    (tmp_path / "a.zip").write_bytes(b"another")
    assert (
        subprocess.run(command, cwd=tmp_path, input=line, text=True, capture_output=True, check=False).returncode == 1
    )


def test_a_licence_that_nobody_has_looked_at_is_a_problem() -> None:
    here = release.Component(name="a", version="1", licence="MIT", digest="0")
    assert list(release.problems([here, replace(here, licence="AGPL-3.0")])) == ["a 1: AGPL-3.0"]


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release.notes() and "\n## " not in release.notes()
    assert release.notes("0.1.0").startswith("The first version.\n")
    with pytest.raises(ValueError, match=r"no section of 9\.9\.9"):
        release.notes("9.9.9")


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_the_lock_can_be_installed_with_its_hashes(python: str) -> None:
    """Resolved and compared with the hashes, without a change to any environment."""
    options = ("--dry-run", "--ignore-installed", "--quiet", "--require-hashes", "--requirement", requirements.LOCK)
    command: list[str | Path] = [needs(python), "-m", "pip", "install", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def in_worker(folder: Path, search: str, asked: object) -> tuple[Any, list[Any], Any]:
    """What the driver said first, what the app answered, and where the modules came from."""
    agents = [{"name": "earth-at-night", "targetIndexes": [{"indexName": "earth_at_night"}]}]
    (folder / "agents.json").write_text(json.dumps(agents))
    settings = {
        "AZURE_SEARCH_ENDPOINT": search,
        "AZURE_SEARCH_API_KEY": "local-dev-key",
        "AGENTS_FILE": "agents.json",
        "API_KEYS": KEY,
    }
    requests = [
        *(request("GET", path) for path in ("/health", "/ready", "/openapi.json")),
        request("POST", RETRIEVE, asked, key=KEY),
        request("POST", RETRIEVE, asked),
    ]
    done = subprocess.run(
        [worker_alone(), "-P", DRIVER, folder, LOCAL],
        input="".join(json.dumps(one) + "\n" for one in requests),
        cwd=folder,
        env={"PYTHONPATH": str(folder / package.SITE), **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    start, *answers, modules = map(json.loads, done.stdout.splitlines())
    for one, answer in zip(requests, answers, strict=True):
        exchange = Exchange(path="", **{**answer, "method": one["method"], "body": answer["body"].encode()})
        keep(str(one["target"]), exchange)
    return start, answers, modules


def request(method: str, target: str, body: object = None, *, key: str | None = None) -> dict[str, object]:
    content = "" if body is None else json.dumps(body)
    credential = {} if key is None else {"api-key": key}
    headers = {"content-type": "application/json", "content-length": str(len(content)), **credential}
    return {"method": method, "target": target, "headers": list(headers.items()), "body": content}


def test_it_is_tested_on_the_python_that_infra_names() -> None:
    assert f"version: '{package.PYTHON}'" in (ROOT / "infra" / "modules" / "app.bicep").read_text(encoding="utf-8")


def test_a_release_has_no_mark_of_a_commit_and_none_of_what_it_need_not_install(tmp_path: Path) -> None:
    assert f"retrieval/{COMMIT_FILE}" not in release.released_files()
    app, site = tmp_path / "app", tmp_path / "site"
    for path in (app / "function_app.py", app / "requirements.txt", site / "aiohttp" / "client.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("pass\n")
    package.write(tmp_path / "one.zip", app=app, site=site)
    (app / "function_app.py").touch()
    package.write(tmp_path / "two.zip", app=app, site=site)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == [".python_packages/lib/site-packages/aiohttp/client.py", "function_app.py"]
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_the_bill_names_each_component_with_its_hash_and_licence() -> None:
    one = release.Component(name="aiohttp", version="3.1", licence="Apache-2.0", digest="ab" * 32)
    bill = release.bill_of_materials([one])
    assert bill["components"] == [
        {
            "type": "library",
            "bom-ref": "pkg:pypi/aiohttp@3.1",
            "name": "aiohttp",
            "version": "3.1",
            "purl": "pkg:pypi/aiohttp@3.1",
            "hashes": [{"alg": "SHA-256", "content": "ab" * 32}],
            "licenses": [{"expression": "Apache-2.0"}],
        }
    ]
    assert bill["metadata"]["component"]["version"] == VERSION
    assert bill["dependencies"][0]["dependsOn"] == ["pkg:pypi/aiohttp@3.1"]
