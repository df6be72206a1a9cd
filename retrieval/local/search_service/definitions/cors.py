"""CORS options in a definition: checked and given back."""

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class CorsWire(BaseModel):
    """Which origins a browser may ask from; this service never answers a preflight request."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)

    allowed_origins: list[str]
    max_age_in_seconds: int | None = Field(None, ge=0)
