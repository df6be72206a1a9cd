"""The list of checks of a deployment. All checks run at the same time, each with a time limit. Their findings have the
order of the checks."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Final, TypeAlias

from retrieval.doctor import access, definitions, identity, indexes, models
from retrieval.doctor.definitions import DefinitionSet, StoreContent
from retrieval.doctor.indexes import ExaminedIndex
from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, BackendCaller
from retrieval.errors import BackendError, Problem
from retrieval.http.rooms import Stores
from retrieval.model.definitions import INGESTED, ModelDeployment, is_address, readable_values
from retrieval.model.finding import About, Finding
from retrieval.models.local_completions import LocalChatModel
from retrieval.settings.settings import Settings
from retrieval.sources.room import Rooms, named

SETTINGS: Final = About("settings")
SHORTEST_SECRET: Final = 6
"""The fewest characters of a secret that is removed from findings. A finding may contain a shorter text by chance."""
SECONDS: Final = 30.0
"""The most seconds that a check takes."""

Look: TypeAlias = Callable[[], Awaitable[Sequence[Finding]]]
Tell: TypeAlias = Callable[[Finding], None]


@dataclass(frozen=True, slots=True)
class Check:
    """A subject of the examination, and the function that checks it."""

    about: About
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployment that the settings describe.

    `problems` are the faults of the settings. `configured` are the configured definitions. `models` are the model
    deployments that may be called. `unknown_versions` maps each unknown api-version that callers of this process
    requested to the version that was used instead. `search` is None if no search service is configured, or if its
    address is not usable. `rooms` are the kinds of knowledge sources that are no indexes. `chat` is the client of the
    server of CHAT_URL, whose model answers for every other.
    """

    settings: Settings
    problems: Sequence[Problem]
    configured: DefinitionSet
    stores: Stores
    search: Backend | None
    models: Sequence[ModelDeployment]
    caller: BackendCaller
    rooms: Rooms
    chat: LocalChatModel | None = None
    unknown_versions: Mapping[str, str] = field(default_factory=dict)

    async def examine(self, tell: Tell) -> tuple[Finding, ...]:
        """Runs every check. The store is read first, because its definitions name indexes to check."""
        content = await definitions.read(self.stores)
        return await examine(self._checks(content), tell, secrets=_secrets(self.settings, self.models, self.rooms))

    def _checks(self, content: StoreContent) -> Iterator[Check]:
        definitions_of_both = DefinitionSet(
            agents=(*self.configured.agents, *readable_values(content.agents)),
            sources=(*self.configured.sources, *readable_values(content.sources)),
        )
        settings, agents, sources = self.settings, definitions_of_both.agents, definitions_of_both.sources
        searched_indexes = _searched(definitions_of_both, settings, self.rooms)
        names = access.names(settings, agents, sources) if content.error is None else ()
        has_model = settings.azure_openai_endpoint is not None or self.chat is not None
        yield _known(*_problems(self.problems), *access.exposure(settings))
        yield _known(*access.keys(settings), *access.entra(settings))
        yield Check(access.ENTRA, partial(access.tenant, settings, self.caller.ask))
        imposed = access.imposed(settings, [index.name for index in searched_indexes])
        yield _known(*imposed, *names, *access.versions(self.unknown_versions))
        yield self._identities()
        yield Check(
            definitions.STORE,
            partial(
                definitions.examine,
                settings.store,
                self.stores,
                content,
                self.configured,
                service=self._table,
                identity=self.caller.identity,
            ),
        )
        yield _known(*definitions.efforts(agents, has_model=has_model, usual=settings.agent_effort))
        yield from self._indexes(searched_indexes)
        yield from self._models()
        for room in self.rooms.values():
            yield from (Check(about, look) for about, look in room.checks(sources))

    @property
    def _table(self) -> Backend | None:
        """The table service; None for a file, memory, or the emulator."""
        place = self.settings.store or ""
        if not place.startswith("https://"):
            return None
        return Backend(
            kind="storage",
            title="Table storage",
            setting="AGENTS_STORE",
            endpoint=place,
            audience=identity.STORAGE_AUDIENCE,
            resources="storage account",
        )

    def _identities(self) -> Check:
        """The check of all services that need a token. Services with the same title and audience share a token, and are
        checked once."""
        services = [self.search, *map(self._model, self.models), self._table]
        distinct = {
            (service.title, service.audience): service
            for service in services
            if service is not None and not service.key
        }
        look = partial(
            identity.examine,
            self.caller.identity,
            tuple(distinct.values()),
            authority=self.settings.azure_authority_host,
            in_azure=self.settings.in_azure,
        )
        return Check(About("identity"), look)

    def _has_problem(self, setting: str) -> bool:
        return any(problem.setting == setting for problem in self.problems)

    def _indexes(self, searched_indexes: Sequence[ExaminedIndex]) -> Iterator[Check]:
        about = About("index")
        if self.search is None:
            yield _known(finding_of(about, "no-search", wrong=self._has_problem("AZURE_SEARCH_ENDPOINT")))
            return
        if not searched_indexes:
            yield _known(finding_of(about, "no-index", problems=self.problems))
        for index in searched_indexes:
            yield Check(index.about, partial(indexes.examine, self.caller, self.search, index))

    def _model(self, deployment: ModelDeployment) -> Backend:
        return Backend(
            kind="model",
            title="Azure OpenAI",
            setting="AZURE_OPENAI",
            endpoint=deployment.endpoint,
            key=deployment.api_key,
            audience=self.settings.azure_openai_audience,
            resources="cognitiveservices account",
        )

    def _models(self) -> Iterator[Check]:
        model = self.settings.chat_model or ""
        if self.chat is not None:
            yield Check(About("model", model), partial(models.examine_chat, self.chat, model))
        elif not self.models:
            yield _known(finding_of(About("model"), "no-model", wrong=self._has_problem("AZURE_OPENAI_ENDPOINT")))
        for deployment in () if self.chat is not None else self.models:
            look = partial(models.examine, self.caller, self._model(deployment), deployment.deployment)
            yield Check(About("model", deployment.deployment), look)


def _known(*findings: Finding) -> Check:
    """The check whose findings are already known."""

    async def look() -> Sequence[Finding]:
        return findings

    return Check(SETTINGS, look)


def _secrets(settings: Settings, models: Sequence[ModelDeployment], rooms: Rooms) -> Collection[str]:
    """The secrets that no finding may contain."""
    secrets = (
        settings.azure_search_api_key,
        settings.chat_api_key,
        *settings.query_keys,
        *settings.admin_keys,
        *chain.from_iterable(settings.base_keys.values()),
        *chain.from_iterable(part.secrets for part in settings.rooms.values()),
        *(model.api_key for model in models),
    )
    return {secret for secret in secrets if secret and len(secret) >= SHORTEST_SECRET}


def _problems(problems: Sequence[Problem]) -> Iterator[Finding]:
    if not problems:
        yield finding_of(SETTINGS, "settings-complete")
    for problem in problems:
        verb = "Set" if problem.fault == "missing" else "Correct"
        yield finding_of(SETTINGS, "setting", setting=problem.setting, sentence=problem.sentence, verb=verb)


def _searched(definition_set: DefinitionSet, settings: Settings, rooms: Rooms) -> Sequence[ExaminedIndex]:
    """The indexes of the search service that agents, knowledge sources and INDEX_FIELDS name, sorted by name."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    configurations: defaultdict[str, set[str]] = defaultdict(set)
    for agent in definition_set.agents:
        for target in agent.targets:
            if target.source is None:
                users[target.index].add(agent.name)
    ingested: dict[str, str] = {}
    for source in definition_set.sources:
        if source.kind in INGESTED:
            ingested[source.index] = source.name
        users[source.index].add(source.name)
        if source.semantic_configuration:
            configurations[source.index].add(source.semantic_configuration)
    searched = {name for name in {*users, *settings.index_fields} if not is_address(name)}
    names = sorted(searched.difference(named(rooms)))
    return [
        ExaminedIndex(
            name=name,
            fields=settings.index_fields.get(name),
            configurations=configurations[name],
            users=users[name],
            ingested_for=ingested.get(name),
        )
        for name in names
    ]


async def examine(
    checks: Iterable[Check], tell: Tell, *, secrets: Collection[str] = (), seconds: float = SECONDS
) -> tuple[Finding, ...]:
    """All findings, without the secrets. `tell` is called with the findings of a check as soon as this check and all
    earlier checks have ended."""
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_look(check, seconds)) for check in checks]
        for task in tasks:
            for raw_finding in await task:
                finding = _censored(raw_finding, secrets)
                tell(finding)
                findings.append(finding)
    return tuple(findings)


def _censored(finding: Finding, secrets: Collection[str]) -> Finding:
    """The finding without secrets, in lines of printable characters. This is needed because names and messages of
    services may contain any character."""
    lines = [_line(line, secrets) for line in finding.do.split("\n")]
    sentence, name = _line(finding.said, secrets), _line(finding.name, secrets)
    return replace(finding, name=name, said=sentence, do="\n".join(lines))


def _line(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return "".join(letter if letter.isprintable() else " " for letter in text)


async def _look(check: Check, seconds: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await check.look()
    except TimeoutError:
        return [check.about.fault(f"This was not known after {seconds:.0f} s.", "Look at the network in between.")]
    except BackendError as error:
        return [check.about.fault(str(error), "See the message.")]
