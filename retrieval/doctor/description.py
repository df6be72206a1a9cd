"""What the doctor says of its route for the OpenAPI document."""

from typing import Final

from retrieval import errors
from retrieval.contracts.described import (
    ADMISSION,
    AZURE,
    REQUEST_ID,
    Description,
    JsonObject,
    answer_shape,
    answered,
)
from retrieval.doctor.response import Examination

EXAMINATION: Final[JsonObject] = {
    "status": "faults",
    "findings": [
        {
            "subject": "index",
            "name": "handbook",
            "state": "fault",
            "said": "There is no such index, and these search it: handbook.",
            "do": "Make it (docs/operating/deploy.md), or correct indexName in AGENTS_FILE or in the agent.",
            "lacking": None,
        }
    ],
}

DOCTOR: Final = Description(
    id="examineDeployment",
    tag="monitoring",
    summary="Examine the deployment: what is wrong with it, and what to do. It asks every service behind this one.",
    parameters=(REQUEST_ID,),
    answers=answered(
        "The findings, whether or not there are faults.", answer_shape("Examination", Examination), faults=EXAMINATION
    ),
    envelope=AZURE,
    failures=(*ADMISSION, errors.Overloaded),
)

ROUTES: Final = (DOCTOR,)
