"""The chat models that an agent may use. Only models that the configuration names are allowed. Otherwise a caller's
agent could make this service send a token or a key to another host."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from retrieval.errors import BadRequest
from retrieval.model.definitions import ModelDeployment

TARGET: Final = "models[0].azureOpenAIParameters"

DeploymentKey: TypeAlias = tuple[str, str]
"""A normalised endpoint, and the name of a deployment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedModels:
    """The models of the configuration, with their keys. Calls use the configuration's spelling of the endpoint. If the
    models `are_replaced` by that of CHAT_URL, none of them is called, and definitions may name any."""

    models: Mapping[DeploymentKey, ModelDeployment] = field(default_factory=dict)
    are_replaced: bool = False

    @classmethod
    def of(cls, *models: ModelDeployment) -> "AllowedModels":
        """If a deployment has several entries, the first entry with a key is used. If no entry has a key, the first
        entry is used."""
        by_place: dict[DeploymentKey, ModelDeployment] = {}
        for model in models:
            first = by_place.setdefault(_place(model), model)
            if first.api_key is None and model.api_key is not None:
                by_place[_place(model)] = model
        return cls(models=by_place)

    def configured(self, model: ModelDeployment) -> ModelDeployment | None:
        """The entry of the configuration for this model, with its key; None if there is no such entry."""
        return self.models.get(_place(model))

    def has_key(self, model: ModelDeployment) -> bool:
        """Whether the configuration has a key for the model."""
        entry = self.configured(model)
        return entry is not None and entry.api_key is not None

    def check(self, model: ModelDeployment) -> None:
        """Raises BadRequest for a model that the configuration does not name."""
        if not self.are_replaced and self.configured(model) is None:
            reason = (
                f"The deployment {model.deployment[:100]!r} at {model.endpoint[:200]!r} is not among the models that "
                "this service may call. The setting ALLOWED_MODELS names them."
            )
            raise BadRequest(reason, target=f"{TARGET}.resourceUri")


def _place(model: ModelDeployment) -> DeploymentKey:
    """The endpoint and the deployment. The scheme and the host of the endpoint are in lower case, and slashes at its
    end are removed. An endpoint that is not a valid URL stays unchanged."""
    try:
        parts = urlsplit(model.endpoint)
    except ValueError:
        return model.endpoint, model.deployment
    endpoint = parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl()
    return endpoint.rstrip("/"), model.deployment
