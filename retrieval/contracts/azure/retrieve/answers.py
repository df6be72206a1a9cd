"""Turns the outcome of a retrieval into the answer of one version."""

import math
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from retrieval.contracts.azure.kinds.table import KINDS
from retrieval.contracts.azure.retrieve.record_shapes import Out
from retrieval.contracts.azure.retrieve.records import Members, Types, record, source_data
from retrieval.contracts.rendered import Rendered
from retrieval.model.activity import RankerActivity
from retrieval.model.retrieval import Address, Outcome, Reference


def render_as(shape: type[Out], types: Types, outcome: Outcome, *, status_of_some: int = 206) -> Rendered:
    """The answer in a version's shape. `status_of_some` is its status if at least one search failed
    (`Outcome.failed`)."""
    response = shape.model_validate(
        {
            "response": [{"content": [{"text": text_of(outcome)}]}],
            "activity": records(outcome, types) if outcome.request.include_activity else None,
            "references": references(outcome, types),
        }
    )
    return Rendered(status=status_of_some if outcome.failed else 200, body=response.model_dump_json().encode())


def text_of(outcome: Outcome) -> str:
    """The written answer if there is one, else the grounding text with the documents."""
    return outcome.grounding.text if outcome.answer is None else outcome.answer


def records(outcome: Outcome, types: Types) -> list[Members]:
    """The records of the activity. The id of a record is its position in the whole activity, even if the version leaves
    other records out."""
    effort = outcome.request.asked_effort
    all_records = (record(activity, number, types, effort=effort) for number, activity in enumerate(outcome.activity))
    return [members for members in all_records if members is not None]


def references(outcome: Outcome, types: Types) -> list[Members]:
    """The references of the targets with `include_references`. The id of a reference is its position in the outcome,
    which is also its `ref_id` in the text of the answer."""
    ids, address = outcome.search_ids, outcome.request.address if types.cites else None
    shown = [
        (number, reference) for number, reference in _listed(outcome, types) if reference.target.include_references
    ]
    reference_members = [
        _reference(reference, number, types, source=ids[reference.subquery]) for number, reference in shown
    ]
    if address is not None:
        ends_by_place: dict[tuple[str, str], tuple[str, str]] = {}
        for members, (_, reference) in zip(reference_members, shown, strict=True):
            hit, target = reference.hit, reference.target
            place = target.index, ",".join(source_data(hit, target, types) if target.source_fields else hit.source)
            before, after = ends_by_place.get(place) or ends_by_place.setdefault(place, _address_ends(*place, address))
            members["citation_url"] = f"{before}{quote(hit.key, '', errors='replace')}{after}"
    return reference_members


def _listed(outcome: Outcome, types: Types) -> Sequence[tuple[int, Reference]]:
    """The ids and the references in the order of the list: by id if the record says `medium`, else by score, as in real
    answers of 2025-08-01-preview to 2026-05-01-preview. A reference without a score follows the reference with the id
    before its own."""
    numbered = list(enumerate(outcome.references))
    efforts = [record.effort for record in outcome.activity if isinstance(record, RankerActivity)]
    if types.shows_effort and "medium" in efforts:
        return numbered
    scores: list[float] = []
    for _, reference in numbered:
        before = scores[-1] if scores else math.inf
        scores.append(before if reference.hit.score is None else reference.hit.score)
    return sorted(numbered, key=lambda pair: -scores[pair[0]])


def _address_ends(index: str, fields: str, address: Address) -> tuple[str, str]:
    """The part of a document's address before the key, and the part after the key. The address has the form that the
    REST specification states."""
    query = {"$select": fields, "api-version": address.version, "allowUnsafeKeys": "true"}
    name = quote(index, safe="", errors="replace")
    return f"{address.endpoint}/indexes/{name}/docs/", f"?{urlencode(query, safe='$', errors='replace')}"


def _reference(reference: Reference, number: int, types: Types, *, source: int) -> Members:
    hit, target = reference.hit, reference.target
    shapes = KINDS[target.kind].shapes
    return {
        "type": target.kind,
        "id": str(number),
        "activity_source": source,
        "doc_key": hit.key,
        "blob_url": hit.origin,
        "doc_url": hit.origin,
        "doc_name": hit.origin,
        "origin" if shapes is None else shapes.origin: hit.origin,
        "title": hit.label or hit.title,
        "reranker_score": hit.score,
        "source_data": source_data(hit, target, types) if target.include_source_data else None,
    }
