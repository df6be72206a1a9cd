"""A base of Alibaba Cloud Model Studio, as a deployment names it for its agents."""

from dataclasses import dataclass, field

from retrieval.filters.field_map import FieldMap
from retrieval.model.model_studio_scores import ScoreCalibration


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStudioBase:
    """The address of a base, the fields that filters may use, and the calibration of its scores.

    `endpoint` has a scheme and no path, since a path would not be signed. Without a `calibration` the base's own
    threshold applies instead of a request's.
    """

    workspace: str
    index: str
    endpoint: str
    fields: FieldMap = field(default_factory=dict)
    calibration: ScoreCalibration | None = None
