"""Examines this deployment: `GET doctor`. The caller must have the right to manage. `retrieval.doctor` has the checks.

An examination calls the same services as a retrieval. It costs one semantic query for each semantic configuration, a
few tokens for each model, and one Retrieve for each knowledge base of Model Studio.
"""

from functools import partial
from importlib import import_module
from typing import Final

from retrieval.contracts.rendered import Rendered
from retrieval.http.serving import Admitted, Endpoint


async def examine(admitted: Admitted, _: None) -> Rendered:
    """Examines the deployment, and returns the findings."""
    from retrieval.contracts.doctor import render_examination

    return render_examination(await admitted.service.process.examine(lambda finding: None))


EXAMINE: Final[Endpoint[None]] = Endpoint(
    operation="examine the deployment",
    work=examine,
    speaks=lambda call: None,
    contract_name=lambda call: "doctor",
    subject=lambda words, call, caller: f"{words} caller={('-' if caller is None else caller.id)!r}",
    load=partial(import_module, "retrieval.contracts.doctor"),
)
