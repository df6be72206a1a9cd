"""Examines this deployment, for callers who may manage it: `GET doctor`. The checks are `retrieval.doctor`'s.

An examination asks the services behind this one, as a retrieval would: it costs a semantic query an index, a few tokens
a model, a Retrieve a base of Model Studio.
"""

from functools import partial
from importlib import import_module
from typing import Final

from retrieval.contracts.rendered import Rendered
from retrieval.http.serving import Admitted, Endpoint


async def examine(admitted: Admitted, _: None) -> Rendered:
    """The answer with the findings."""
    from retrieval.contracts.doctor import render_examination

    return render_examination(await admitted.service.process.examine(lambda finding: None))


EXAMINE: Final[Endpoint[None]] = Endpoint(
    operation="examine the deployment",
    work=examine,
    speaks=lambda call: None,
    contract=lambda call: "doctor",
    subject=lambda words, call, caller: f"{words} caller={('-' if caller is None else caller.id)!r}",
    load=partial(import_module, "retrieval.contracts.doctor"),
)
