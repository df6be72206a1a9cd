"""What is installed is what the project declares, each package in one version and with its hashes."""

import re
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests import requirements
from tests.environments import ROOT
from tests.lock import BETAS

EXTRAS: Final = ("dev", "bench", "infra")
"""Together they name every other."""

PYTHONS: Final = ("3.11", "3.12", "3.13")
SYSTEMS: Final = (("linux", "Linux"), ("darwin", "Darwin"), ("win32", "Windows"))


def test_requirements_are_the_part_of_the_lock_that_the_deployed_app_needs() -> None:
    """`make written` writes them anew."""
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8") == requirements.text(requirements.DEPLOYED)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("platform", "system"), SYSTEMS, ids=lambda one: one)
def test_each_requirement_of_the_project_is_locked_once_within_its_range(
    python: str, platform: str, system: str
) -> None:
    """`make lock` locks what is new in pyproject.toml."""
    here = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": platform,
        "platform_system": system,
        "extra": "",
    }
    locked = [Requirement(package.pin) for package in requirements.packages()]
    for wanted in map(Requirement, requirements.named(EXTRAS)):
        if wanted.marker is not None and not wanted.marker.evaluate(here):
            continue
        versions = [
            next(iter(one.specifier)).version
            for one in locked
            if canonicalize_name(one.name) == canonicalize_name(wanted.name)
            and (one.marker is None or one.marker.evaluate(here))
        ]
        assert len(versions) == 1, wanted
        assert wanted.specifier.contains(versions[0], prereleases=True), wanted


def test_every_package_of_the_lock_is_needed_has_hashes_and_no_address() -> None:
    packages = requirements.packages()
    assert requirements.needed(EXTRAS) == packages
    for package in packages:
        assert re.match(r"[\w.-]+==[\w.]+( ; .+)? \\\n    --hash=sha256:[0-9a-f]{64}\b", package.lines), package.name
    assert "://" not in requirements.LOCK.read_text(encoding="utf-8")


def test_a_pre_release_is_locked_by_its_name_and_never_by_chance() -> None:
    pins = [Requirement(package.pin) for package in requirements.packages()]
    versions = {pin.name: Version(next(iter(pin.specifier)).version) for pin in pins}
    assert [name for name, version in versions.items() if version.is_prerelease] == list(BETAS)


def test_a_part_holds_what_its_packages_need_and_nothing_of_the_others() -> None:
    served, deployed = (
        {package.name for package in requirements.needed([extra])} for extra in ("local", requirements.DEPLOYED)
    )
    assert {"uvicorn", "starlette", "azure-core", "cryptography"} <= served
    assert served.isdisjoint({"pytest", "azure-monitor-opentelemetry", "uv"})
    assert {"azure-monitor-opentelemetry", "opentelemetry-sdk"} <= deployed
    assert deployed.isdisjoint({"tantivy", "pytest"})
