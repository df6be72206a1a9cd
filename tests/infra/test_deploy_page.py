"""The pages about deploying: their commands run, names exist, tables are true, and a wrong edit is found."""

import ast
import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.compose.rooms import NAMES
from retrieval.contracts.served_versions import VERSIONS
from retrieval.definitions.file_store import FileStore
from retrieval.definitions.stored_json import AGENTS as DEFINITIONS
from retrieval.local.search_service import SearchService
from retrieval.local.server import serving
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import UNCONDITIONAL
from retrieval.settings.settings import gather
from retrieval.version import SERVICE, VERSION
from tests.benchmarks.sizing.figures import HOURS, Figures
from tests.benchmarks.sizing.page import recorded
from tests.benchmarks.sizing.size import app_dollars, cost, kept_ready, searching
from tests.benchmarks.sizing.sized import sized
from tests.infra import check, names, outside
from tests.infra.deploying import AZURE_YAML, PAGE, PEOPLE, Run, after, bash, before, blocks, outputs, parameters, run
from tests.infra.evaluate import Deployment
from tests.infra.policy import ROLES
from tests.infra.tools.azd import Refused
from tests.infra.tools.stand_in_azd import COMMANDS
from tests.infra.values import NOWHERE
from tests.running import served
from tests.sampling import sample
from tests.third_parties import alibaba_client, microsoft_client

KEY: Final = "query-key-41c0"
ADMIN: Final = "admin-key-97d2"
ACCESS: Final = ("key-1", "secret-1")
THIS: Final = Path(sys.executable)
DIFFS: Final = blocks(PAGE, "diff")
AGENTS: Final = PAGE.split("cat > agents.json <<'JSON'\n")[1].split("\nJSON")[0]
FIELDS: Final = PAGE.split("cat > fields.json <<'JSON'\n")[1].split("\nJSON")[0]
ENVIRONMENTS: Final = ("handbook-corp", "handbook-dev", "handbook-shared", "handbook-north", "handbook-south")
IMPORTED: Final = ["1 agents", "create agent travel", "0 the same", "1 the same"]
"""What export and import print."""

PROSE: Final = " ".join(PAGE.split())
"""The page without its ends of lines."""

WORKSPACES: Final = PAGE.split("--arg workspaces '")[1].split("'")[0]


@contextmanager
def deployed(search: str, folder: Path) -> Iterator[str]:
    """The service as the page sets it up, over that search service; the address."""
    agents = folder / "agents.json"
    agents.write_text(AGENTS)
    settings = {
        "AZURE_SEARCH_ENDPOINT": search,
        "AZURE_SEARCH_API_KEY": "local-dev-key",
        "API_KEYS": KEY,
        "ADMIN_API_KEYS": ADMIN,
        "AGENTS_FILE": str(agents),
        "AGENTS_STORE": "memory",
        "INDEX_FIELDS": FIELDS,
        "WORKSPACES": WORKSPACES,
        "ACCESS_KEYS": json.dumps(dict([ACCESS])),
    }
    with served(THIS, environ=settings) as address:
        yield address


def answers(search: str, address: str) -> dict[str, str]:
    return {
        "AZURE_SEARCH_ENDPOINT": search,
        "RETRIEVAL_ENDPOINT": address,
        "API_KEYS": KEY,
        "ADMIN_API_KEYS": ADMIN,
        "account get-access-token": "token-of-a-person",
        "repo view": "somebody/this",
        "afd profile show": "00000000-0000-0000-0000-00000000000e",
    }


async def keep(place: str) -> None:
    """A definition that somebody made at run time."""
    store = FileStore(Path(place), DEFINITIONS)
    await store.put(Agent(name="travel", targets=(Target(index="handbook"),)), when=UNCONDITIONAL)


def sdk(code: str, interpreter: Path, environ: Mapping[str, str]) -> str:
    done = subprocess.run(
        [interpreter, "-c", code], env={**environ, "NO_PROXY": "*"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
async def search() -> AsyncIterator[str]:
    """A search service that takes anybody's token, as the roles of the page would have it."""
    service = SearchService(accept_tokens=True)
    async with serving(service) as address:
        yield address


@pytest.mark.slow
async def test_every_command_runs_and_the_first_retrieve_finds_its_document(search: str, tmp_path: Path) -> None:
    north, south = (str(tmp_path / f"{region}.json") for region in ("north", "south"))
    stores = {"handbook-north AGENTS_STORE": north, "handbook-south AGENTS_STORE": south}
    await keep(north)
    with deployed(search, tmp_path) as address:
        done = await run(PAGE, tmp_path, {**answers(search, address), **stores})
    assert done.code == 0, done.out + done.err
    assert [line for line in done.out.splitlines() if line in IMPORTED] == IMPORTED
    assert "holidays" in done.out.splitlines()
    assert json.loads((tmp_path / "work" / "agents.json").read_text()) == json.loads(AGENTS)
    assert "Skipped" not in done.out, "what the page provisions, it deploys"
    said = [(name, value) for _, name, value in done.said]
    assert [name for name, value in said if not value] == ["AGENTS_FILE"], "a value that was to be printed is empty"
    assert done.deleted == [("handbook-dev", ["rg-handbook-dev"])]
    check_what_was_deployed(done)


def test_the_first_retrieve_is_of_the_newest_version_that_is_no_preview() -> None:
    released = max(version for version in VERSIONS if not version.endswith("-preview"))
    first = re.findall(r'"\$RETRIEVAL_ENDPOINT/(\w+)/handbook/retrieve\?api-version=([^"]+)"', PAGE)[0]
    assert first == ("knowledgebases", released)


@pytest.mark.slow
async def test_callers_of_both_sdks_move_over(search: str, tmp_path: Path) -> None:
    with deployed(search, tmp_path) as address:
        done = await run(PAGE.partition("## With an existing search service")[0], tmp_path, answers(search, address))
        assert done.code == 0, done.out + done.err
        microsoft = microsoft_client()
        environ = {"RETRIEVAL_ENDPOINT": address, "RETRIEVAL_KEY": KEY}
        printed = await asyncio.to_thread(sdk, after(DIFFS[0]), microsoft, environ)
        assert ast.literal_eval(printed) == ["holidays"]
        code = after(DIFFS[1]).replace(
            'endpoint=os.environ["RETRIEVAL_HOST"]', 'endpoint=os.environ["RETRIEVAL_HOST"], protocol="http"'
        )
        environ = {"KEY_ID": ACCESS[0], "KEY_SECRET": ACCESS[1], "RETRIEVAL_HOST": address.removeprefix("http://")}
        printed = await asyncio.to_thread(sdk, code, alibaba_client("2.14.5"), environ)
        assert "holidays" in ast.literal_eval(printed)


def test_before_and_after_differ_in_endpoint_and_credential_only() -> None:
    for diff in DIFFS:
        old, new = before(diff), after(diff)
        compile(old, "before", "exec")
        changed = [(one, other) for one, other in zip(old.splitlines(), new.splitlines(), strict=True) if one != other]
        assert len(changed) == 1
        assert changed[0][0].partition("(")[0] == changed[0][1].partition("(")[0]


def check_what_was_deployed(done: Run) -> None:
    """What the page has azd deploy, in each environment and each time, is a deployment in which nothing is wrong."""
    assert problems_of_environments(done) == []
    sources = outside.sources()
    files = check.parsed(sources)
    for _, given in done.provisioned:
        assert check.deploy_with(files, sources, given).problems == []


def problems_of_environments(done: Run) -> list[str]:
    """Environments that are missing, and those with agents of whose indexes nobody has said the fields."""
    missing = sorted(set(ENVIRONMENTS) ^ {name for name, _ in done.provisioned})
    mute = [name for name, given in done.provisioned if "agentsFile" in given and "indexFields" not in given]
    return [f"{name} is not there" for name in missing] + [f"{name}: its fields cannot be known" for name in mute]


def told(page: str, environment_name: str) -> set[str]:
    """The variables that the page sets in an environment of a block of its own, without the values."""
    (block,) = [one for one in blocks(page, "bash") if f"azd env new {environment_name} " in one]
    return set(
        re.findall(r"azd env set (\w+)", block.split(f"azd env new {environment_name} ")[1].split("azd env new")[0])
    )


def test_two_regions_are_told_the_same() -> None:
    expected = {"API_KEYS", "ADMIN_API_KEYS", "AGENTS_FILE", "INDEX_FIELDS"}
    assert told(PAGE, "handbook-north") == told(PAGE, "handbook-south") == expected


def test_a_tier_is_chosen_before_there_is_a_service() -> None:
    assert [block for block in blocks(PAGE, "bash") if "SEARCH_SKU" in block and "azd env new" not in block] == []


def deploying(**said: Mapping[str, str]) -> Run:
    """Each environment deployed once, as azd would with what it is told there."""
    sources = outside.sources()
    main = check.parsed(sources)["main.bicep"]
    told = {name: {"AZURE_ENV_NAME": name, **said.get(name.removeprefix("handbook-"), {})} for name in ENVIRONMENTS}
    given = [(name, names.passed(main, sources["main.parameters.json"], values)) for name, values in told.items()]
    return Run(code=0, out="", err="", provisioned=given)


@pytest.mark.parametrize("without", sample(["dev", "shared", "north", "south"], every=4))
def test_an_environment_with_agents_whose_fields_nobody_says_is_found(without: str) -> None:
    both = {"AGENTS_FILE": "agents.json", "INDEX_FIELDS": FIELDS}
    check_what_was_deployed(deploying(**{without: both}))
    with pytest.raises(AssertionError, match=f"handbook-{without}: its fields"):
        check_what_was_deployed(deploying(**{without: {"AGENTS_FILE": "agents.json"}}))


def test_the_roles_of_fields_are_settings() -> None:
    settings, problems = gather({"INDEX_FIELDS": FIELDS, "LOCAL": "1"})
    assert not problems
    assert settings.index_fields["handbook"].key == "id"


FAULTS: Final = [
    ("azd env set INDEX_FIELDS", "azd env set INDEX_FIELD"),
    ("azd env get-value RETRIEVAL_ENDPOINT", "azd env get-value RETRIEVAL_URL"),
    ("azd provision --preview", "azd provision --what-if"),
    ("azd up", "azd deploy-all"),
    ("az search service update", "az search update"),
    ("--semantic-search standard", "--semantic-search"),
    ("/knowledgebases/handbook/retrieve?", "/knowledgebases/handbook/answers?"),
    ('--header "api-key: $RETRIEVAL_KEY"', '--header "api-key: $RETRIEVAL_KEYS"'),
    ('"prioritizedContentFields"', '"contentFields"'),
    ("docs/search.index?api-version=2026-04-01", "docs/search.index?api-version=2020-01-01"),
    ("{WORKSPACES: $workspaces", "{WORKSPACES: $workspace"),
    ("'.references[].docKey'", "'.references[.docKey'"),
    ("azd down --purge", "azd down --purge --force"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), sample(FAULTS, every=12))
async def test_a_wrong_edit_of_a_command_is_found(old: str, new: str, search: str, tmp_path: Path) -> None:
    """By the end of its block: what comes after it is not run."""
    pasted = blocks(PAGE, "bash")
    until = next(place for place, block in enumerate(pasted) if old in block)
    wrong = "".join(f"```bash\n{block.replace(old, new)}```\n" for block in pasted[: until + 1])
    with deployed(search, tmp_path) as address:
        done = await run(wrong, tmp_path / "run", answers(search, address))
    assert done.code != 0 or not all(value for _, _, value in done.said), f"{new!r} is not found"


async def test_a_rollback_deploys_though_azd_has_deployed_the_same_before(tmp_path: Path) -> None:
    (block,) = [one for one in blocks(PAGE, "bash") if "git checkout" in one]
    often = "\n".join(["azd env new handbook-dev --location there", *["azd provision"] * 3, ""])
    done = await bash(often + block, tmp_path / "as said", {"repo view": "somebody/this"})
    assert done.out.splitlines()[-3:] == ["Previewed", "Provisioned", "Deployed"]
    assert list(done.deployed) == [("handbook-dev", f"{SERVICE}-{VERSION}.zip", False)]
    assert (tmp_path / "as said" / "work" / "azure.yaml").read_text() == AZURE_YAML
    done = await bash(often + block.replace(" --no-state", ""), tmp_path / "without", {"repo view": "somebody/this"})
    assert "Skipped" in done.out.splitlines()[-2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"git checkout v{VERSION}", "git checkout v0.0.4"),
        (f"gh release download v{VERSION}", "gh release download v0.0.9"),
        (f".ci/deploy agentic-retrieval-functions-{VERSION}.zip", ".ci/deploy agentic-retrieval-functions-0.0.2.zip"),
        ('--repo "$repository"', '--repo ""'),
    ],
)
async def test_a_rollback_to_what_is_not_there_is_found(old: str, new: str, tmp_path: Path) -> None:
    (block,) = [one for one in blocks(PAGE, "bash") if "git checkout" in one]
    assert old in block
    script = f"azd env new handbook-dev --location there\nazd provision\n{block.replace(old, new)}"
    done = await bash(script, tmp_path, {"repo view": "somebody/this"})
    assert done.code != 0 and not done.deployed
    assert (tmp_path / "work" / "azure.yaml").read_text() == AZURE_YAML


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SEARCH_SKU", "premium"), ("ALWAYS_READY_INSTANCES", "1001"), ("PLANNER", "maybe"), ("PRIVATE_NETWORK", "yes")],
)
def test_a_value_that_azd_or_the_template_refuses_is_found(variable: str, value: str) -> None:
    check_what_was_deployed(deploying())
    with pytest.raises((AssertionError, Refused)):
        check_what_was_deployed(deploying(dev={variable: value}))


def problems_of_names(page: str) -> list[str]:
    """Variables, settings, outputs and roles in the text that nothing has."""
    folder = outside.ROOT / ".github" / "workflows"
    workflow = "".join((folder / name).read_text(encoding="utf-8") for name in ("deploy.yml", "export.yml"))
    known = NAMES | set(parameters()) | set(outputs())
    known |= set(re.findall(r"(?:vars|secrets)\.([A-Z_]+)", workflow))
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    names = re.findall(r"`\{?\"?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[=`\"]", prose)
    roles = {role.name for role in ROLES.values()} | PEOPLE
    said = re.findall(r"\*([A-Z][A-Za-z ]+)\*(?!\*)", prose)
    unknown = [name for name in names if name not in known]
    azd = [" ".join(re.findall(r"^[a-z-]+|(?<= )[a-z][a-z-]+", one)[:2]) for one in re.findall(r"`azd ([^`]+)`", prose)]
    unknown += [one for one in azd if one not in COMMANDS and one.split()[0] not in COMMANDS]
    return unknown + [role for role in said if role not in roles]


def test_names_in_the_text_exist() -> None:
    assert problems_of_names(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`PUBLIC_HOSTS`", "`PUBLIC_HOST`"),
        ("`SITE_UPDATE_STRATEGY=RollingUpdate`", "`UPDATE_STRATEGY=RollingUpdate`"),
        ("*Website Contributor*", "*Web Contributor*"),
        ("`SMOKE_AGENT`", "`SMOKE_TEST_AGENT`"),
        ("`azd env set-secret API_KEYS`", "`azd env secret-set API_KEYS`"),
        ("`azd provision`", "`azd provisions`"),
    ],
)
def test_a_wrong_name_in_the_text_is_found(old: str, new: str) -> None:
    assert old in PAGE
    assert problems_of_names(PAGE.replace(old, new))


def test_the_workflow_reads_the_variables_that_the_page_names() -> None:
    workflow = (outside.ROOT / ".github" / "workflows" / "deploy.yml").read_text(encoding="utf-8")
    listed = PAGE.split("Create an environment on GitHub, and add to it:")[1].split("To keep the keys out of GitHub")[0]
    names = set(re.findall(r"`([A-Z_]+)`", listed)) | set(parameters()) - {"AZURE_ENV_NAME"}
    assert names == set(re.findall(r"(?:vars|secrets)\.([A-Z_]+)", workflow))


def table(heading: str) -> list[list[str]]:
    """The rows of the table below a row of names that begins so."""
    lines = re.split(rf"\n(?:\| )?{heading} \|", PAGE)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_parameter_is_listed_with_its_default() -> None:
    passed: Mapping[str, Mapping[str, str]] = json.loads(outside.sources()["main.parameters.json"])["parameters"]
    pairs = (one["value"].removeprefix("${").removesuffix("}").partition("=") for one in passed.values())
    expected = {name: "" if default == "null" else default for name, equals, default in pairs if equals}
    rows = table("Variable")
    assert {row[0].strip("`"): row[1].strip("`") for row in rows} == expected
    assert len(rows) == len(expected) and all(row[2].endswith(".") for row in rows)


def test_every_key_of_the_names_is_listed() -> None:
    sources = outside.sources()
    files = check.parsed(sources)
    main = Deployment(check.deploy(files, sources, {}), files["main.bicep"], check.all_of(files, sources, {}), NOWHERE)
    listed = PAGE.split("`RESOURCE_NAMES` has the keys ")[1].split(". ")[0]
    assert re.findall(r"`(\w+)`", listed) == sorted(main.named("usualNames"))


def test_the_roles_of_the_service_are_those_that_the_template_gives() -> None:
    assert {row[1].strip("`"): row[0].strip("*") for row in table("Role")} == {
        id: role.name for id, role in ROLES.items()
    }


def test_the_costs_are_those_of_the_sizing() -> None:
    load = recorded((outside.ROOT / "docs" / "operating" / "sizing.md").read_text(encoding="utf-8"))
    figures = Figures()
    ten = sized(10, load, figures).cost
    idle = searching(0.01, load, figures).dollars
    rows: dict[str, Any] = {row[0]: row[2:] for row in table("Component")}
    assert rows["Search units"] == [f"{idle:.0f}", f"{ten.search:,.0f}"]
    assert rows["Semantic ranker"] == ["0", f"{ten.ranker:,.0f}"]
    assert rows["Model"] == ["0", f"{ten.model:,.0f}"]
    assert rows["App"] == ["0", f"{ten.app:,.0f}"]
    assert rows["Logs"] == ["0", f"{ten.logs:,.0f}"]
    assert f"${kept_ready(load, figures):.0f} a month each" in PAGE
    assert cost(10, 1.0, load=load, figures=figures).ranker == ten.ranker


def test_the_private_endpoints_cost_what_is_said() -> None:
    """At $0.01 an hour each, by https://azure.microsoft.com/pricing/details/private-link/ as remembered."""
    sources = outside.sources()
    files = check.parsed(sources)
    each = 0.01 * HOURS
    assert f"its private endpoints, ${each:.2f} each" in PROSE
    for public, number, word in ((True, 5, "five"), (False, 6, "six")):
        template = check.deploy(files, sources, {"privateNetwork": True, "publicApp": public})
        made = [one for one in template.resources if one.type == "Microsoft.Network/privateEndpoints"]
        assert len(made) == number
        assert f"${number * each:.2f} for {word}" in PROSE


def test_the_probes_cost_what_is_said() -> None:
    (every,) = re.findall(r"--probe-interval-in-seconds (\d+)", PAGE)
    load, edges = recorded((outside.ROOT / "docs" / "operating" / "sizing.md").read_text(encoding="utf-8")), 100
    here, often = (app_dollars(edges / seconds, 0.0, 1, load=load, figures=Figures()) for seconds in (int(every), 30))
    assert f"{edges} edge locations send {edges * 60 / int(every):.0f} probes a minute" in PROSE
    assert f"{every} seconds, as above | ${here:.0f} 30 seconds | ${often:.0f}" in PROSE


def test_a_region_is_out_and_back_after_the_probes_that_are_said() -> None:
    """Of the last `size` probes of an edge `needed` must be well; the first comes an interval late at most."""
    every, size, needed = (
        int(re.findall(rf"--{option} (\d+)", PAGE)[0])
        for option in ("probe-interval-in-seconds", "sample-size", "successful-samples-required")
    )
    minutes = every / 60
    out, back = size - needed + 1, needed
    assert (out, size) == (2, 4)
    assert f"{(out - 1) * minutes:.0f} to {out * minutes:.0f} minutes, if the interval is {every} seconds" in PROSE
    again = f"{(back - 1) * minutes:.0f} to {back * minutes:.0f} minutes"
    assert f"uses the region again {again} after its recovery" in PROSE


def test_the_model_is_the_one_that_the_template_deploys() -> None:
    main = outside.sources()["main.bicep"]
    name, version = (re.search(rf"param {one} string = '(.*?)'", main) for one in ("modelName", "modelVersion"))
    assert name is not None and version is not None
    assert f"`{name[1]}` {version[1]}" in PAGE


def test_every_link_leads_somewhere() -> None:
    found = set(re.findall(r"\]\(([a-z/.-]+\.md)", PAGE))
    assert [name for name in found if not (outside.ROOT / "docs" / "operating" / name).exists()] == []
