"""`python -m retrieval.doctor`: examines a deployment, and tells how to correct each fault.

    python -m retrieval.doctor                               examines the deployment that the environment describes;
                                                             without settings there, the file of `make run` is used
    python -m retrieval.doctor --settings local.settings.json    also reads the settings in the file
    python -m retrieval.doctor --app https://func-….azurewebsites.net --key …    asks an app to examine itself
    … --wait 300                                             asks again for 300 s, until the app and new roles work
    python -m retrieval.doctor export definitions.json       writes the definitions of AGENTS_STORE to the file
    python -m retrieval.doctor import definitions.json       imports this file (--dry-run, --delete)

Exit codes: 0 if there are no faults, 1 if there are faults, 2 if the command fails or the examination is interrupted.
An import exits with 1 if a dry run finds differences, or if somebody else changed a definition at the same time.
`--app` needs only the standard library.
"""

import argparse
import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.doctor import remote, report, role_advice
from retrieval.doctor.remote import CannotRun
from retrieval.model.finding import Finding

KEY: Final = "ADMIN_API_KEYS"
AUDIENCE: Final = "ENTRA_AUDIENCE"
PAUSE_SECONDS: Final = 10.0
READ_BY_MAKE_RUN: Final = ("local.settings.json", "local.settings.sample.json")
"""The files of settings that `make run` reads; the first that exists is used."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    logging.basicConfig(level=logging.CRITICAL)
    if arguments[:1] in (["export"], ["import"]):
        return _moved(arguments)
    options = _parser().parse_args(arguments)
    show = _printer(as_json=options.json)
    try:
        findings = _of_app(options, show) if options.app else _of_settings(options.settings, show)
    except CannotRun as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        return 2
    if options.json:
        print(json.dumps(report.document(findings), indent=2, ensure_ascii=False))
    else:
        print(report.summary(findings))
    return 1 if report.has_faults(findings) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m retrieval.doctor", description="What is wrong with a deployment, and what to do about it."
    )
    parser.add_argument("--settings", type=Path, metavar="FILE", help="local.settings.json, beside the environment")
    parser.add_argument("--app", metavar="URL", help="the address of an app, which examines itself")
    parser.add_argument("--key", help=f"a key of the app that may manage (the first of {KEY} in the environment)")
    parser.add_argument(
        "--wait",
        type=int,
        default=0,
        metavar="SECONDS",
        help="ask the app again so long while it does not answer, or a role that it was given may not apply yet",
    )
    parser.add_argument("--json", action="store_true", help="the findings as JSON")
    return parser


def _moved(arguments: Sequence[str]) -> int:
    """Exports or imports definitions, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.doctor")
    parser.add_argument("what", choices=["export", "import"])
    parser.add_argument("file", type=Path, help="a file of definitions, as AGENTS_FILE names it")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="local.settings.json, beside the environment")
    parser.add_argument("--dry-run", action="store_true", help="of an import: show the difference, write nothing")
    parser.add_argument("--delete", action="store_true", help="of an import: delete what the file does not have")
    options = parser.parse_args(arguments)
    try:
        environ = {**_values(options.settings), **os.environ}
        return _exported(options.file, environ) if options.what == "export" else _imported(options, environ)
    except CannotRun as error:
        _say(str(error))
        return 2


def _exported(file: Path, environ: Mapping[str, str]) -> int:
    with _problems_told(file):
        from retrieval.doctor import export_import

        parts, ignored = asyncio.run(export_import.exported(environ))
        file.write_text(json.dumps(parts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, members in ignored.items():
        _say(
            f"the file lacks {', '.join(map(repr, members))} of the {name}: export with the later release that knows it"
        )
    print(", ".join(f"{len(definitions)} {part}" for part, definitions in parts.items()) or "no definitions")
    return 0


def _imported(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    with _problems_told(options.file):
        from retrieval.compose import definitions_file
        from retrieval.doctor import export_import

        content = definitions_file.parse(options.file.read_bytes())
        changes = asyncio.run(export_import.imported(environ, content, dry_run=options.dry_run, delete=options.delete))
    for change in changes:
        if change.what != "same":
            told = f": {', '.join(change.members)}" if change.what == "change" else ""
            refused = " (not done: somebody wrote meanwhile)" if change.done is False else ""
            lost = f" (loses {', '.join(map(repr, change.lost))})" if change.lost else ""
            print(f"{change.what} {change.kind} {change.name}{told}{lost}{refused}")
    print(f"{sum(change.what == 'same' for change in changes)} the same")
    differing = any(change.what != "same" for change in changes)
    return 1 if any(change.done is False for change in changes) or (options.dry_run and differing) else 0


@contextmanager
def _problems_told(file: Path) -> Iterator[None]:
    """Raises CannotRun for missing packages, and for errors of the file, the settings or the store."""
    try:
        from retrieval.errors import BackendError, NotConfigured

        yield
    except ImportError as error:
        raise _without(error) from None
    except OSError as error:
        raise CannotRun(f"{file} cannot be used: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise CannotRun(f"{file} is no file of definitions: {error}.") from None
    except NotConfigured as error:
        raise CannotRun(" ".join(error.sentences)) from None
    except BackendError as error:
        raise CannotRun(str(error)) from None


def _without(error: ImportError) -> CannotRun:
    return CannotRun(
        f"It needs the packages of the app ({error.name} is missing): "
        "run it with .venv/bin/python, which `make run` sets up, or pip install ."
    )


def _printer(*, as_json: bool) -> Callable[[Finding], None]:
    """Makes the function that prints a finding. It prints nothing if the output is JSON."""
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def show(finding: Finding) -> None:
        if not as_json:
            print(*report.lines(finding, colour=colour), sep="\n", flush=True)

    return show


def _of_app(options: argparse.Namespace, show: Callable[[Finding], None]) -> tuple[Finding, ...]:
    headers, until = _credential(options.key, os.environ), time.monotonic() + options.wait
    while True:
        seconds_left = until - time.monotonic()
        try:
            findings = tuple(map(_explainer(), remote.findings(options.app, headers)))
            if seconds_left <= 0 or not any(finding.lacking for finding in findings):
                break
        except CannotRun as error:
            if seconds_left <= 0 or not error.passing:
                raise
        _say(f"waiting, at most {seconds_left:.0f} s more: the app does not answer, or a role does not apply yet")
        time.sleep(min(PAUSE_SECONDS, seconds_left))
    for finding in findings:
        show(finding)
    return findings


def _say(sentence: str) -> None:
    print(f"retrieval.doctor: {sentence}", file=sys.stderr, flush=True)


def _credential(key: str | None, environ: Mapping[str, str]) -> dict[str, str]:
    """The header with the key, or with a token of the signed-in user. Raises CannotRun if the key cannot be used, or if
    there is neither a key nor a token."""
    key = key or _first(environ.get(KEY, ""))
    if not key:
        audience = _first(environ.get(AUDIENCE, ""))
        if audience and (token := remote.token(audience)):
            return {"Authorization": f"Bearer {token}"}
        raise CannotRun(
            f"It needs a key that may manage, by --key or {KEY} in the environment; "
            f"or {AUDIENCE} there, and az login as who may manage."
        )
    if "://" in key or key.startswith("@Microsoft"):
        raise CannotRun(f"{KEY} is a reference to a Key Vault: give the key itself with --key.")
    if not key.isascii() or not key.isprintable():
        raise CannotRun("The key must hold printable ASCII characters only.")
    return {"api-key": key}


def _first(names: str) -> str:
    return next((part.strip() for part in names.split(",") if part.strip()), "")


def _of_settings(file: Path | None, show: Callable[[Finding], None]) -> tuple[Finding, ...]:
    """The findings about the deployment that the environment and the file describe. Values of the file that the
    environment lacks become environment variables of this process, as in `func`. `azure.identity` may find credentials
    there."""
    values = _values(file)
    try:
        from retrieval.compose.rooms import NAMES
    except ImportError as error:
        raise _without(error) from None
    used_file = next(filter(Path.is_file, map(Path, READ_BY_MAKE_RUN)), None)
    if file is None and used_file is not None and not any(map(os.environ.get, NAMES)):
        _say(f"no setting is in the environment: these are of {used_file}, as `make run` reads them")
        values = _values(used_file)
    os.environ.update({name: value for name, value in values.items() if value and not os.environ.get(name)})
    explain = _explainer()
    findings: list[Finding] = []

    def tell(finding: Finding) -> None:
        findings.append(explain(finding))
        show(findings[-1])

    asyncio.run(examine(os.environ, tell))
    return tuple(findings)


async def examine(environ: Mapping[str, str], tell: Callable[[Finding], None]) -> tuple[Finding, ...]:
    """The findings about the deployment that the environment describes, even if no service can be composed from it."""
    from retrieval import compose
    from retrieval.doctor.room import Doctor
    from retrieval.http.rooms import Materials

    async with compose.opened(environ) as made:
        doctor = Doctor(made) if isinstance(made, Materials) else made.room(Doctor)
        return await doctor.examine(tell)


def _explainer() -> Callable[[Finding], Finding]:
    """Makes a function that explains missing roles by the role assignments from `az`. The function looks up each
    principal only once."""
    assignments = cache(remote.assignments)
    return lambda finding: role_advice.explain(finding, assignments, now=datetime.now(UTC))


def _values(file: Path | None) -> Mapping[str, str]:
    """The texts in the member `Values` of a file of local settings; empty without a file. Raises CannotRun."""
    if file is None:
        return {}
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        values = document["Values"]
        if document.get("IsEncrypted"):
            raise CannotRun(f"{file} is encrypted; decrypt it with `func settings decrypt`.")
        return {str(name): value for name, value in values.items() if isinstance(value, str)}
    except OSError as error:
        raise CannotRun(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CannotRun(f"{file} is no file of local settings: it must be an object with Values.") from None


if __name__ == "__main__":
    sys.exit(main())
