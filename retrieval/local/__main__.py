"""The commands of the local services: `python -m retrieval.local serve --port 7071`, `… search --port 7072`, `… index`,
`… eval`.

A command is a function from the parsed arguments to an exit code, with its own sub-parser. Exit codes: 0 after Ctrl-C
or SIGTERM, 1 when it cannot start, 2 for wrong arguments, 3 where the gate of `eval` failed.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

try:
    from retrieval.errors import NotConfigured, RetrievalError
    from retrieval.local import model_arguments
    from retrieval.local.analyzers import ANALYZERS, ENGLISH
    from retrieval.local.call_log import told
    from retrieval.local.documents import command as documents
    from retrieval.local.evaluation import command as evaluation
    from retrieval.local.host import HostError, OpenEngine, open_host
    from retrieval.local.host.errors import BadApp
    from retrieval.local.host.project import app_root
    from retrieval.local.host.sdk_engine import open_sdk
    from retrieval.local.known_hosts import known_hosts, named_hosts
    from retrieval.local.one_address import one_address
    from retrieval.local.server import address_of, listen, serve
    from retrieval.local.wire import WireRequest, WireService
    from retrieval.model.definitions import INGESTED, is_name
    from retrieval.text.counted_noun import how_many
except ModuleNotFoundError as missing:
    sys.exit(
        f"python -m retrieval.local needs the packages of the project ({missing.name} is missing): "
        "run it with .venv/bin/python, which `make run` sets up, or install the extra `local`."
    )

if TYPE_CHECKING:
    from retrieval.local.followed import Followed

SAID_BY_US: Final = ("azure.identity", "pypdf")
"""Packages whose warnings repeat what a command says in a sentence, or tell nobody anything."""

_MISSING: Final = "there is no such file or folder"
_RULE: Final = "must be NAME=PATH, NAME in lower-case letters, digits, '-' and '_'"

Start: TypeAlias = Callable[[], tuple[str, ...]]
"""What an app does before its first request; gives the settings that are missing or malformed."""

End: TypeAlias = Callable[[], Awaitable[None]]
"""What an app does after its last answer."""


class BadArgument(Exception):
    """An argument that argparse lets through; the sentence says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What a command takes from outside itself."""

    start: Start
    end: End
    engine: OpenEngine


def main(arguments: Sequence[str] | None = None, *, start: Start | None = None, engine: OpenEngine = open_sdk) -> int:
    """`start` replaces `retrieval.compose.start` when another app root is served; `engine` runs the functions."""
    parsed = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for name in SAID_BY_US:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        code: int = parsed.run(parsed, Steps(start=start or _start_app, end=_end_app, engine=engine))
    except BadArgument as error:
        return _fail(str(error), code=2)
    except (HostError, RetrievalError) as error:
        return _fail(*_sentences(error), code=1)
    except KeyboardInterrupt:
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m retrieval.local", description="Azure's side, on this machine.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands.add_parser("serve", help="run the functions of this folder over HTTP"))
    _add_search(commands.add_parser("search", help="run an Azure AI Search of this machine's own over HTTP"))
    documents.add_arguments(commands.add_parser("index", help="make an index of Azure AI Search of files"))
    evaluation.add_arguments(commands.add_parser("eval", help="measure retrieval and answers on a collection"))
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=serve_command)
    _add_address(parser, port=7071)
    parser.add_argument("--trace", action="store_true", help="print the spans of each call as a tree")
    parser.add_argument("--root", type=Path, metavar="DIR", help="where host.json stands (here, or this app)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where indexes and definitions are kept (in memory)")
    parser.add_argument("--watch", action="store_true", help="follow what changes in the files that are loaded")
    parser.add_argument("--kind", choices=sorted(INGESTED), help="the kind of knowledge source that the corpora are")
    _add_load(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=search_command)
    _add_address(parser, port=7072)
    parser.add_argument("--data", type=Path, metavar="DIR", help="where indexes and documents are kept (in memory)")
    _add_load(parser)
    for kind, rights in (("admin", "may do everything"), ("query", "reads documents"), ("reader", "reads documents")):
        text = f"a key that {rights}; with any key of yours, those that are printed are not accepted"
        parser.add_argument(f"--{kind}-key", action="append", default=[], metavar="KEY", help=text)


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--load",
        action="append",
        default=[],
        metavar="[NAME=]PATH",
        help="a folder or file of documents, served as NAME",
    )
    parser.add_argument("--language", choices=ANALYZERS, default=ENGLISH, help="what the corpora are in (en)")
    model_arguments.add(parser.add_argument)


def _add_address(parser: argparse.ArgumentParser, *, port: int) -> None:
    parser.add_argument(
        "--port",
        type=_port,
        metavar="N",
        default=port,
        help=f"{port} unless given; 0 takes a free one",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--tls", action="store_true", help="https, with a self-signed certificate made on the fly")
    parser.add_argument("--verbose", action="store_true", help="one line a request, as on a terminal")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65_535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port, 0 to 65535")


def serve_command(parsed: argparse.Namespace, steps: Steps) -> int:
    """Settings, then the app, then its start, then the port; the address is the last line printed."""
    corpora = read_corpora(parsed.load)
    followed = _followed(parsed, corpora)
    if corpora:
        os.environ["LOCAL_CORPORA"] = json.dumps(corpora)
        os.environ["LOCAL_LANGUAGE"] = parsed.language
        os.environ["LOCAL_KIND"] = parsed.kind or ""
    if parsed.data is not None:
        os.environ["LOCAL_DATA"] = str(parsed.data.resolve())
    os.environ.update(model_arguments.named(parsed))
    if parsed.trace:
        _trace()
        os.environ["TRACE_STEPS"] = "1"
    host = asyncio.run(open_host(parsed.root or app_root(Path()), opening=steps.engine))
    os.environ["PUBLIC_HOSTS"] = ",".join(named_hosts(parsed.host, os.environ))
    with listen(parsed.host, parsed.port) as listener:
        address = address_of(listener, tls=parsed.tls)
        functions = host.listing(address)
        _say(f"engine: {host.engine.title}", "functions:", *(f"  {line}" for line in functions))
        problems = steps.start()
        if problems:
            return _fail(*problems, code=1)
        _say(*_greeting(address))
        both = one_address(host, _search_of_app())
        service = _told(both, parsed)
        with _tls(parsed, listener) as tls:
            serve(
                service,
                listener=listener,
                ready=partial(_begin, followed),
                end=steps.end,
                body_limit=host.body_limit,
                grace=host.function_timeout,
                tls=tls,
                accepts=_accepts,
            )
    return 0


def _trace() -> None:
    try:
        from retrieval.local.traces import show
    except ModuleNotFoundError as error:
        raise BadArgument("--trace: needs the package opentelemetry-sdk") from error
    show(_say)


@contextmanager
def _tls(parsed: argparse.Namespace, listener: socket.socket) -> Iterator[ssl.SSLContext | None]:
    """With `--tls` a certificate for this run; its path is printed, for clients to trust it."""
    if not parsed.tls:
        yield None
        return
    from retrieval.local.certificate import certificate

    made = certificate(parsed.host)
    path = made.write(listener.getsockname()[1])
    _say(f"certificate {path}")
    try:
        yield made.context
    finally:
        path.unlink(missing_ok=True)


def search_command(parsed: argparse.Namespace, steps: Steps) -> int:
    """What is kept, then what is to be loaded, then the port; the address is the last line printed."""
    from retrieval.local.search_command import Keys, open_search
    from retrieval.settings.settings import gather

    corpora = read_corpora(parsed.load)
    keys = Keys(admin=parsed.admin_key, query=parsed.query_key, reader=parsed.reader_key)
    models = model_arguments.wanted(parsed, os.environ)
    with (
        listen(parsed.host, parsed.port) as listener,
        open_search(
            parsed.data,
            corpora,
            keys,
            language=parsed.language,
            models=models,
            strict_versions=gather(os.environ)[0].strict_api_versions,
            say=_say,
        ) as service,
    ):
        held = [f"  {index.name}: {how_many(len(index), 'document')}" for index in service.catalog]
        _say("indexes:" if held else "no indexes yet", *held, *keys.told)
        named = named_hosts(parsed.host, os.environ) if keys.are_built_in else None
        answering = _told(known_hosts(service, named=named), parsed)
        with _tls(parsed, listener) as tls:
            serve(answering, listener=listener, ready=say_ready, tls=tls, accepts=service.accepts)
    return 0


def say_ready(address: str) -> None:
    """The last line of a command's start; programs wait for it."""
    _say(f"ready {address}")


def _followed(parsed: argparse.Namespace, loads: Mapping[str, str]) -> "Followed | None":
    """With `--watch` what follows the files, which are looked at before they are read."""
    if not parsed.watch:
        return None
    if parsed.kind or not loads:
        raise BadArgument("--watch: follows what --load reads, and no index of a --kind")
    from retrieval.local.followed import Followed

    return Followed(loads, language=parsed.language)


def _begin(followed: "Followed | None", address: str) -> None:
    """What is followed changes the local indexes from now on; where the app is not ours, there are none."""
    if followed is not None and "retrieval.compose" in sys.modules:
        from retrieval.local.stand_in import of_settings
        from retrieval.settings.settings import gather

        followed.begin(of_settings(gather(os.environ)[0]), _say)
    say_ready(address)


def _start_app() -> tuple[str, ...]:
    from retrieval.compose import start

    return start()


def _greeting(address: str) -> list[str]:
    """Where the app is not ours, there is none."""
    if "retrieval.compose" not in sys.modules:
        return []
    from retrieval.local.greeting import greeting

    return greeting(address)


def _search_of_app() -> WireService | None:
    """Where the app is not ours, there is none."""
    if "retrieval.compose" not in sys.modules:
        return None
    from retrieval.compose import search, settings

    return search.local_search(settings())


def _accepts(head: WireRequest) -> bool:
    """Where the app is not ours, every request."""
    if "retrieval.compose" not in sys.modules:
        return True
    from retrieval.compose import may_accept

    return may_accept(dict(reversed(head.headers)))


async def _end_app() -> None:
    """Where the app is not ours, nothing was composed."""
    if "retrieval.compose" in sys.modules:
        from retrieval.compose import end

        await end()


def read_corpora(loads: Iterable[str]) -> Mapping[str, str]:
    """NAME=PATH, or PATH alone, to names and absolute paths; BadArgument for what cannot be a corpus."""
    corpora: dict[str, str] = {}
    for load in loads:
        name, path = _name_and_path(load)
        if name in corpora:
            raise BadArgument(f"--load {load}: {name} is there twice")
        if not Path(path).exists():
            raise BadArgument(f"--load {load}: {_MISSING}")
        corpora[name] = str(Path(path).resolve())
    return corpora


def _name_and_path(load: str) -> tuple[str, str]:
    """A path alone has the name of its folder or file, as far as an index can have that name."""
    name, equals, path = load.partition("=")
    if Path(load).exists() and not (is_name(name) and path and Path(path).exists()):
        name, path = corpus_name(Path(load).resolve()), load
    elif not equals:
        raise BadArgument(f"--load {load}: {_MISSING}; make takes several in LOAD, so no name or path can have a space")
    if not is_name(name) or not path:
        raise BadArgument(f"--load {load}: {_RULE}")
    return name, path


def corpus_name(path: Path) -> str:
    """`Our Files` is our-files, and `handbook.jsonl.gz` is handbook; empty where the name has no such letter."""
    stem = path.name.partition(".")[0] if path.is_file() else path.name
    return "-".join(re.findall("[a-z0-9_]+", stem.lower()))


def _told(service: WireService, parsed: argparse.Namespace) -> WireService:
    """With `--verbose`, and on a terminal, a line is printed for each answer."""
    on_terminal = sys.stdout.isatty()
    return told(service, colour=on_terminal) if parsed.verbose or on_terminal else service


def _say(*lines: str) -> None:
    """Flushed, so that a program behind a pipe sees a line when it is there."""
    if lines:
        print(*lines, sep="\n", flush=True)


def _fail(*lines: str, code: int) -> int:
    print(*lines, sep="\n", file=sys.stderr, flush=True)
    return code


def _sentences(error: HostError | RetrievalError) -> tuple[str, ...]:
    if isinstance(error, NotConfigured):
        return error.sentences
    return (error.trace, str(error)) if isinstance(error, BadApp) and error.trace else (str(error),)


if __name__ == "__main__":
    sys.exit(main())
