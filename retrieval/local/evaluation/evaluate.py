"""A whole evaluation: the service opened, every configuration run, the results made of the runs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from retrieval.errors import NotConfigured
from retrieval.local import progress
from retrieval.local.evaluation import calibration, comparison, runs, services
from retrieval.local.evaluation.collections import Collection
from retrieval.local.evaluation.configurations import Configuration
from retrieval.local.evaluation.results import CollectionResult, Evaluation
from retrieval.local.evaluation.runs import Run, Sources
from retrieval.local.evaluation.services import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """A deployment, the base that has the collection's documents, and a credential."""

    url: str
    base: str
    key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be evaluated. Without `deployed` it is this code in process, with the model of `environ`."""

    collection: Collection
    configurations: Sequence[Configuration]
    deployed: Deployed | None = None
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    k: Sequence[int] = (5, 10)
    at_once: int = 1
    precision: float | None = None
    last_turn: bool = False


async def evaluate(plan: Plan) -> Evaluation:
    """Raises NotConfigured."""
    done = await _runs(plan)
    index = plan.deployed.base if plan.deployed else plan.collection.name
    return Evaluation(
        collection=_told(plan.collection, plan.k),
        asked=plan.deployed.url if plan.deployed else "this code, in process",
        k=max(plan.k),
        last_turn=plan.last_turn,
        runs=comparison.compared(plan.collection, done, *plan.k),
        calibration=calibration.calibrate(done, index=index, precision=plan.precision) if plan.precision else None,
    )


async def _runs(plan: Plan) -> list[Run]:
    """One run after the other, each with a service of its own. Raises NotConfigured where every call of one failed."""
    done: list[Run] = []
    for configuration in plan.configurations:
        async with _service(plan, model=configuration.model) as service:
            run = await _run(plan, configuration, service)
        if len(run.errors) == len(run.results):
            raise NotConfigured([f"Every call of {run.name} failed: {next(iter(run.errors.values()))}"])
        done.append(run)
    return done


async def _run(plan: Plan, configuration: Configuration, service: Service) -> Run:
    base = configuration.base or (plan.deployed.base if plan.deployed else plan.collection.name)
    known: Sources = ()
    if not configuration.is_answer:
        known = await runs.sources(service, base, plan.collection.questions[0])
    total = len(plan.collection.questions)
    return await runs.run(
        configuration,
        plan.collection,
        service=service,
        base=base,
        sources=known,
        at_once=plan.at_once,
        k=max(plan.k),
        told=progress.counted(configuration.name, total, of="question"),
    )


@asynccontextmanager
async def _service(plan: Plan, *, model: bool) -> AsyncIterator[Service]:
    if plan.deployed is not None:
        async with services.deployment(plan.deployed.url, key=plan.deployed.key, token=plan.deployed.token) as service:
            yield service
        return
    if plan.collection.corpus is None:
        raise NotConfigured(["The folder has no corpus.jsonl, nor the same with .gz; it is needed without --against."])
    corpora = {plan.collection.name: str(plan.collection.corpus.resolve())}
    async with services.in_process(corpora, plan.environ, model=model) as service:
        yield service


def _told(collection: Collection, k: Sequence[int]) -> CollectionResult:
    return CollectionResult(
        name=collection.name,
        fingerprint=collection.fingerprint,
        questions=len(collection.questions),
        judged=sum(bool(one.gold) for one in collection),
        answerable=sum(one.answerable is True for one in collection),
        unanswerable=sum(one.answerable is False for one in collection),
        more_gold={str(n): more for n in k if (more := sum(len(one.gold) > n for one in collection))},
    )
