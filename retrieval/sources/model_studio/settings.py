"""The settings of Model Studio's knowledge bases: their addresses, and the access key of all of them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from retrieval.errors import Problem
from retrieval.settings.environment import Reader, address_fault, setting
from retrieval.settings.settings import RoomSettings
from retrieval.sources.model_studio.base import ModelStudioBase


def _bases(reader: Reader, name: str) -> Mapping[str, ModelStudioBase]:
    """A JSON object: the knowledge base of Model Studio for each name that agents use."""

    def base(_: str, value: object) -> ModelStudioBase:
        from retrieval.sources.model_studio.base_shape import BaseShape

        return BaseShape.model_validate(value).value()

    bases = reader.by_member(name, base)
    for member, of_member in bases.items():
        fault = address_fault(of_member.endpoint)
        if fault is None and urlsplit(of_member.endpoint).path:
            fault = "must not have a path."
        if fault is not None:
            reader.problems.append(Problem(name, f"{name}: {member!r}: the endpoint {fault}"))
    return bases


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStudioSettings(RoomSettings):
    """The knowledge bases by the names that agents use, and the id and secret of the access key."""

    model_studio_bases: Mapping[str, ModelStudioBase] = setting(_bases)
    model_studio_access_key_id: str | None = setting(Reader.text, hidden=True)
    model_studio_access_key_secret: str | None = setting(Reader.text, hidden=True)

    @property
    def secrets(self) -> Collection[str]:
        return () if self.model_studio_access_key_secret is None else (self.model_studio_access_key_secret,)

    @property
    def searched(self) -> Collection[str]:
        return self.model_studio_bases.keys()

    @property
    def conflicts(self) -> Iterator[Problem]:
        if self.model_studio_bases and None in (self.model_studio_access_key_id, self.model_studio_access_key_secret):
            sentence = "MODEL_STUDIO_BASES needs MODEL_STUDIO_ACCESS_KEY_ID and MODEL_STUDIO_ACCESS_KEY_SECRET."
            yield Problem("MODEL_STUDIO_BASES", sentence)


SETTINGS = ModelStudioSettings
