"""`GET doctor` examines this deployment. The caller must have the right to manage. `checks` has the checks.

An examination calls the same services as a retrieval. It costs one semantic query for each semantic configuration, a
few tokens for each model, and one Retrieve for each knowledge base of Model Studio.
"""

from functools import partial
from importlib import import_module
from typing import Final

from retrieval.contracts.rendered import Rendered
from retrieval.http.doors import Door, Materials
from retrieval.http.routes import route
from retrieval.http.serving import Admitted, Endpoint


async def _examine(admitted: Admitted, _: None) -> Rendered:
    """Examines the deployment, and returns the findings."""
    from retrieval.doctor.composing import Doctor
    from retrieval.doctor.response import render_examination

    return render_examination(await admitted.service.room(Doctor).examine(lambda finding: None))


def _compose(materials: Materials) -> object:
    from retrieval.doctor.composing import Doctor

    return Doctor(materials)


EXAMINE: Final[Endpoint[None]] = Endpoint(
    operation="examine the deployment",
    needs="manage",
    work=_examine,
    speaks=lambda call: None,
    contract_name=lambda call: "doctor",
    subject=lambda words, call, caller: f"{words} caller={('-' if caller is None else caller.id)!r}",
    load=partial(import_module, "retrieval.doctor.response"),
)

DOOR: Final = Door(routes=route("GET doctor", "doctor", EXAMINE, "examineDeployment"), compose=_compose)
