"""The shape of a member of `MODEL_STUDIO_BASES`."""

from typing import Annotated

from pydantic import Field

from retrieval.settings.shapes import Fields, Score, Text
from retrieval.sources.model_studio.base import ModelStudioBase, ScoreCalibration

Anchor = Annotated[tuple[Score, Score], Field(strict=False)]


class BaseShape(Fields):
    """A knowledge base of `MODEL_STUDIO_BASES`. It has either an endpoint, or a region that determines the endpoint."""

    workspace: Text
    index: Text
    region: Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")] | None = None
    endpoint: Text | None = None
    calibration: Annotated[tuple[Anchor, ...], Field(strict=False, min_length=1)] | None = None

    def value(self) -> ModelStudioBase:
        if (self.region is None) == (self.endpoint is None):
            raise ValueError('it must have either "region" or "endpoint"')
        endpoint = self.endpoint or f"https://bailian.{self.region}.aliyuncs.com"
        return ModelStudioBase(
            workspace=self.workspace,
            index=self.index,
            endpoint=endpoint.rstrip("/"),
            fields=self.field_map(),
            calibration=None if self.calibration is None else ScoreCalibration(self.calibration),
        )
