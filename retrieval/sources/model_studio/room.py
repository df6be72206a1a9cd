"""The knowledge bases of Model Studio that a deployment names, with its access key."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from retrieval.errors import BadRequest, Problem
from retrieval.model.definitions import Source
from retrieval.model.finding import About
from retrieval.settings.settings import Settings
from retrieval.sources.model_studio.base import SYSTEM, ModelStudioBase
from retrieval.sources.model_studio.settings import ModelStudioSettings
from retrieval.sources.room import Look, Room
from retrieval.telemetry.outgoing_calls import CalledService

if TYPE_CHECKING:
    from retrieval.sources.model_studio.search import ModelStudioIndex

Bases = Mapping[str, ModelStudioBase]


def room(settings: Settings, held: AsyncExitStack) -> Room:
    """The bases of the settings. Without bases or an access key, nothing is searched."""
    own = settings.of(ModelStudioSettings)
    bases, index = own.model_studio_bases, _index(own, held)
    return Room(
        kind="modelStudioBase",
        index=index,
        names={
            base: f"{base!r} is a base of Model Studio: define a source of kind 'modelStudioBase'." for base in bases
        },
        check=partial(_check, bases),
        fault=partial(_fault, bases),
        service_of=partial(_service, bases),
        checks=partial(_checks, index, bases),
    )


def _index(own: ModelStudioSettings, held: AsyncExitStack) -> "ModelStudioIndex | None":
    bases = own.model_studio_bases
    access_key_id, access_key_secret = own.model_studio_access_key_id, own.model_studio_access_key_secret
    if not bases or access_key_id is None or access_key_secret is None:
        return None
    from retrieval.sources.model_studio.search import ModelStudioIndex

    index = ModelStudioIndex(bases, access_key_id=access_key_id, access_key_secret=access_key_secret)
    held.push_async_callback(index.close)
    return index


def _check(bases: Bases, source: Source) -> None:
    if source.index not in bases:
        reason = f"There is no base {source.index!r}. The setting MODEL_STUDIO_BASES names them."
        raise BadRequest(reason, target="modelStudioBaseParameters.baseName")


def _fault(bases: Bases, source: Source) -> Problem | None:
    """The fault of a configured source that is a base and has another kind, or the other way round."""
    is_base = source.index in bases
    if is_base is (source.kind == "modelStudioBase"):
        return None
    verb = "is" if is_base else "is not"
    sentence = (
        f"The knowledge source {source.name!r} is of kind {source.kind}, and {source.index!r} {verb} in "
        "MODEL_STUDIO_BASES."
    )
    return Problem("MODEL_STUDIO_BASES", sentence, "unfitting")


def _service(bases: Bases, name: str) -> CalledService | None:
    base = bases.get(name)
    return None if base is None else CalledService(system=SYSTEM, endpoint=base.endpoint)


def _checks(studio: "ModelStudioIndex | None", bases: Bases, sources: Iterable[Source]) -> Iterator[tuple[About, Look]]:
    if studio is None:
        return
    from retrieval.sources.model_studio import checks

    for base in bases:
        yield About("model studio", base), partial(checks.examine, studio, base)
