"""What is examined of a deployment: the list of checks."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final

from retrieval.doctor import access, definitions, identity, indexes, model_studio, models
from retrieval.doctor.clouds import STORAGE_AUDIENCE
from retrieval.doctor.definitions import Definitions, Library, Read
from retrieval.doctor.examination import Check, Look, Tell, examine
from retrieval.doctor.indexes import Examined
from retrieval.doctor.model_studio import Studio
from retrieval.doctor.services import Caller, Service
from retrieval.errors import Problem
from retrieval.model.definitions import ModelDeployment
from retrieval.model.finding import About, Finding
from retrieval.settings.settings import Settings

SETTINGS: Final = About("settings")
SHORTEST_SECRET: Final = 6
"""Of a shorter one it cannot be said whether a sentence has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployment as its settings compose it.

    `problems` are what is wrong with the settings, `configured` what they define, `models` the deployments that may be
    called. `unknown_versions` are those that callers of this process asked for and nobody knows yet, each with the one
    that it was served as. `search` is None where only Model Studio is searched, or the address of the search service is
    not usable.
    """

    settings: Settings
    problems: Sequence[Problem]
    configured: Definitions
    library: Library
    search: Service | None
    models: Sequence[ModelDeployment]
    caller: Caller
    studio: Studio | None
    unknown_versions: Mapping[str, str] = field(default_factory=dict)

    async def examine(self, tell: Tell) -> tuple[Finding, ...]:
        """Every check. What the store keeps is read first, since it says which indexes are searched."""
        kept = await definitions.read(self.library)
        return await examine(self._checks(kept), tell, secrets=_secrets(self.settings, self.models))

    def _checks(self, kept: Read) -> Iterator[Check]:
        both = Definitions(
            agents=(*self.configured.agents, *kept.defined.agents),
            sources=(*self.configured.sources, *kept.defined.sources),
        )
        searched = _searched(both, self.settings)
        yield Check(about=SETTINGS, look=_now([*_problems(self.problems), *access.shown(self.settings)]))
        yield Check(about=access.KEYS, look=_now(access.keys(self.settings)))
        yield Check(about=access.ENTRA, look=_now(access.entra(self.settings)))
        yield Check(about=access.ENTRA, look=partial(access.tenant, self.settings, self.caller.ask))
        yield Check(about=access.KEYS, look=_now(access.imposed(self.settings, [one.name for one in searched])))
        if kept.error is None:
            yield Check(about=access.NAMES, look=_now(access.names(self.settings, both.agents, both.sources)))
        yield Check(about=access.VERSIONS, look=_now(access.versions(self.unknown_versions)))
        yield from self._identities()
        yield Check(
            about=About("definitions"),
            look=partial(
                definitions.examine,
                self.library,
                kept,
                self.configured,
                service=self._table,
                identity=self.caller.identity,
            ),
        )
        yield from self._indexes(searched)
        yield from self._models()
        yield from self._bases()

    @property
    def _table(self) -> Service | None:
        """The table service, None for a file, memory, or the emulator."""
        place = self.library.place or ""
        if not place.startswith("https://"):
            return None
        return Service(
            kind="storage",
            title="Table storage",
            setting="AGENTS_STORE",
            endpoint=place,
            audience=STORAGE_AUDIENCE,
            role="Storage Table Data Contributor",
            resources="storage account",
        )

    def _identities(self) -> Iterator[Check]:
        """Services are told apart by title and audience: one token serves all that share them."""
        used = [self.search, *map(self._model, self.models), self._table]
        distinct = {(one.title, one.audience): one for one in used if one is not None and not one.key}
        yield Check(
            about=About("identity"),
            look=partial(
                identity.examine,
                self.caller.identity,
                tuple(distinct.values()),
                authority=self.settings.azure_authority_host,
                in_azure=self.settings.in_azure,
            ),
        )

    @property
    def _why_no_search(self) -> str:
        if any(one.setting == "AZURE_SEARCH_ENDPOINT" for one in self.problems):
            return "No search service was asked: AZURE_SEARCH_ENDPOINT is missing or malformed."
        return "No Azure AI Search is configured: only Model Studio is searched."

    def _indexes(self, searched: Sequence[Examined]) -> Iterator[Check]:
        if self.search is None:
            yield Check(about=About("index"), look=_now([About("index").skipped(self._why_no_search)]))
            return
        if not searched:
            index = About("index")
            found = index.skipped(_NO_INDEX) if self.problems else index.warning(_NO_INDEX, _MAKE_AGENT)
            yield Check(about=index, look=_now([found]))
        for one in searched:
            yield Check(about=one.about, look=partial(indexes.examine, self.caller, self.search, one))

    def _model(self, deployment: ModelDeployment) -> Service:
        return Service(
            kind="model",
            title="Azure OpenAI",
            setting="AZURE_OPENAI",
            endpoint=deployment.endpoint,
            key=deployment.api_key,
            audience=self.settings.azure_openai_audience,
            role="Cognitive Services OpenAI User",
            resources="cognitiveservices account",
        )

    def _models(self) -> Iterator[Check]:
        if not self.models:
            is_wrong = any(one.setting == "AZURE_OPENAI_ENDPOINT" for one in self.problems)
            said = _WRONG_MODEL if is_wrong else _NO_MODEL
            yield Check(about=About("model"), look=_now([About("model").skipped(said)]))
        for one in self.models:
            look = partial(models.examine, self.caller, self._model(one), one.deployment)
            yield Check(about=About("model", one.deployment), look=look)

    def _bases(self) -> Iterator[Check]:
        for base in self.settings.model_studio_bases:
            if self.studio is not None:
                yield Check(about=About("model studio", base), look=partial(model_studio.examine, self.studio, base))


_NO_INDEX: Final = "No agent is defined, so no index was looked at."
_MAKE_AGENT: Final = "Define one in AGENTS_FILE, or: PUT agents('<name>')?api-version=2025-05-01-preview"
_WRONG_MODEL: Final = "No model was asked: see AZURE_OPENAI_ENDPOINT."
_NO_MODEL: Final = "No model is configured: plans are made by rules."


def _now(findings: Sequence[Finding]) -> Look:
    """A check of what is known already."""

    async def look() -> Sequence[Finding]:
        return findings

    return look


def _secrets(settings: Settings, models: Sequence[ModelDeployment]) -> Collection[str]:
    """What no finding may say, whoever quotes it."""
    known = (
        settings.azure_search_api_key,
        settings.model_studio_access_key_secret,
        *settings.query_keys,
        *settings.admin_keys,
        *chain.from_iterable(settings.base_keys.values()),
        *settings.access_keys.values(),
        *(model.api_key for model in models),
    )
    return {one for one in known if one and len(one) >= SHORTEST_SECRET}


def _problems(problems: Sequence[Problem]) -> Sequence[Finding]:
    if not problems:
        return [SETTINGS.ok("They are complete.")]
    return [SETTINGS.fault(problem.sentence, _what_to_do(problem)) for problem in problems]


def _what_to_do(problem: Problem) -> str:
    if not problem.setting:
        return "docs/operating/settings.md lists every setting."
    verb = "Set" if problem.fault == "missing" else "Correct"
    return f"{verb} {problem.setting}: docs/operating/settings.md describes it."


def _searched(defined: Definitions, settings: Settings) -> Sequence[Examined]:
    """The indexes that agents and sources name, and those of INDEX_FIELDS, by name."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    configurations: defaultdict[str, set[str]] = defaultdict(set)
    for agent in defined.agents:
        for target in agent.targets:
            if target.source is None:
                users[target.index].add(agent.name)
    for source in defined.sources:
        users[source.index].add(source.name)
        if source.semantic_configuration:
            configurations[source.index].add(source.semantic_configuration)
    names = sorted({*users, *settings.index_fields}.difference(settings.model_studio_bases))
    return [
        Examined(
            name=name,
            fields=settings.index_fields.get(name),
            configurations=configurations[name],
            users=users[name],
        )
        for name in names
    ]
