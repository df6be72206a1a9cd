"""What the workflows do in named situations: the steps that run, in order, each with all that it is given."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.infra import outside
from tests.infra.values import leaves

Facts = Mapping[str, str | bool]

SITUATIONS: Final[Mapping[str, tuple[str, Facts]]] = {
    "a change": ("ci.yml", {"github.event_name": "pull_request"}),
    "each night": ("ci.yml", {"github.event_name": "schedule"}),
    "a commit is deployed": ("deploy.yml", {"inputs.preview": False, "inputs.release": ""}),
    "a release is deployed": ("deploy.yml", {"inputs.preview": False, "inputs.release": "v0.1.0"}),
    "a preview": ("deploy.yml", {"inputs.preview": True, "inputs.release": ""}),
    "a preview of a release": ("deploy.yml", {"inputs.preview": True, "inputs.release": "v0.1.0"}),
    "an export": ("export.yml", {"vars.EXPORT_ENVIRONMENT": "prod"}),
    "no export": ("export.yml", {}),
    "a tag": ("release.yml", {}),
    "what comes from elsewhere": ("supply-chain.yml", {}),
    "a fork that switches all off": (
        "supply-chain.yml",
        {"vars.CODEQL": "off", "vars.AUDIT": "off", "vars.LICENCES": "off"},
    ),
}

_COMPARED: Final = re.compile(r"(\S+) (==|!=) '([^']*)'")


def lines(name: str, text: str) -> Iterator[str]:
    """Of one situation: when the workflow runs, then each job and its steps, those that are left out by their name."""
    _, facts = SITUATIONS[name]
    workflow = outside.read_yaml(text)
    jobs = workflow.pop("jobs")
    yield from (f"{path} = {value!r}" for path, value in leaves(workflow))
    for job_name, job in jobs.items():
        steps = job.pop("steps", [])
        if not holds(job.get("if", "true"), facts):
            yield f"{job_name}: left out"
            continue
        yield from (f"{job_name}: {path} = {value!r}" for path, value in leaves(job))
        for place, step in enumerate(steps, 1):
            yield from _step(f"{job_name} {place}", step, facts)


def _step(where: str, step: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    if not holds(step.get("if", "true"), facts):
        yield f"{where}: left out"
        return
    given = {key: value for key, value in step.items() if key not in {"name", "if"}}
    yield from (f"{where}: {path} = {value!r}" for path, value in leaves(given))


def holds(condition: str, facts: Facts) -> bool:
    """A condition of `&&` alone, over what is compared with a text, and what is there or not."""
    terms = condition.removeprefix("${{").removesuffix("}}").split("&&")
    return all(_term(term.strip(), facts) for term in terms)


def _term(term: str, facts: Facts) -> bool:
    if term == "true":
        return True
    compared = _COMPARED.fullmatch(term)
    if compared is not None:
        return (facts.get(compared[1], "") == compared[3]) is (compared[2] == "==")
    wanted = not term.startswith("!")
    name = term.removeprefix("!")
    if name not in facts:
        raise ValueError(f"a condition of {name!r}, which no situation knows")
    return bool(facts[name]) is wanted
