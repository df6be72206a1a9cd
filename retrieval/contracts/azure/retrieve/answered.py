"""An outcome of the hub, with the members of every version, as the answer of one: its shapes take what they declare."""

from urllib.parse import quote, urlencode

from retrieval.contracts.azure.retrieve.records import Members, Types, record, shown
from retrieval.contracts.azure.retrieve.response_shapes import Out
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome
from retrieval.model.retrieval import Address, Reference


def answered(outcome: Outcome, shape: type[Out], types: Types, *, partial: int) -> Rendered:
    """The answer in a version's shape. `partial` is its status where some searches failed and others did not."""
    response = shape.model_validate(
        {
            "response": [{"content": [{"text": text_of(outcome)}]}],
            "activity": records(outcome, types) if outcome.request.include_activity else None,
            "references": references(outcome, cites=types.cites),
        }
    )
    return Rendered(status=partial if outcome.failed else 200, body=response.model_dump_json().encode())


def text_of(outcome: Outcome) -> str:
    """The answer where one was to be written, or else the documents."""
    return outcome.grounding.text if outcome.answer is None else outcome.answer


def records(outcome: Outcome, types: Types) -> list[Members]:
    """The activity; an id is a position in it, whatever a version leaves out."""
    asked = outcome.request.effort or "low"
    found = (record(one, number, types, asked=asked) for number, one in enumerate(outcome.activity))
    return [one for one in found if one is not None]


def references(outcome: Outcome, *, cites: bool) -> list[Members]:
    """The references; an id is a position, the `ref_id` of the text, whatever a target's callers leave out."""
    ids, address = outcome.search_ids, outcome.request.address if cites else None
    listed = [
        _reference(one, number, source=ids[one.subquery])
        for number, one in enumerate(outcome.references)
        if one.target.include_references
    ]
    if address is not None:
        cited = (one for one in outcome.references if one.target.include_references)
        around: dict[tuple[str, str], tuple[str, str]] = {}
        for members, one in zip(listed, cited, strict=True):
            hit, target = one.hit, one.target
            at = target.index, ",".join(shown(hit, target) if target.source_fields else hit.source)
            before, after = around.get(at) or around.setdefault(at, _around(*at, address))
            members["citation_url"] = f"{before}{quote(hit.key, '', errors='replace')}{after}"
    return listed


def _around(index: str, fields: str, address: Address) -> tuple[str, str]:
    """What comes before a key in the address of a document, and after it, in the form of the REST specification."""
    query = {"$select": fields, "api-version": address.version, "allowUnsafeKeys": "true"}
    named = quote(index, safe="", errors="replace")
    return f"{address.endpoint}/indexes/{named}/docs/", f"?{urlencode(query, safe='$', errors='replace')}"


def _reference(reference: Reference, number: int, *, source: int) -> Members:
    hit, target = reference.hit, reference.target
    return {
        "type": target.kind,
        "id": str(number),
        "activity_source": source,
        "doc_key": hit.key,
        "reranker_score": reference.score,
        "own_reranker_score": None if reference.raised is None else hit.score,
        "source_data": shown(hit, target) if target.include_source_data else None,
    }
