"""Turns the outcome of a retrieval into the answer of one version.

References and the records of activity have the members of every version. The shapes of a version keep only the members
that they declare.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Final, Literal, TypeAlias, assert_never
from urllib.parse import quote, urlencode

from pydantic.alias_generators import to_snake

from retrieval.contracts.azure.errors import detail
from retrieval.contracts.azure.kinds.table import KINDS
from retrieval.contracts.azure.retrieve.record_shapes import Out
from retrieval.contracts.rendered import Rendered
from retrieval.filters import odata
from retrieval.model import json_value
from retrieval.model.activity import Activity, DropReason, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Effort
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Address, Outcome, Reference
from retrieval.model.search import Hit, Searched, SearchTarget, Subquery
from retrieval.text import lucene

Members: TypeAlias = dict[str, object]

Digits: TypeAlias = Literal[3, 7]
"""The digits of a second in a time."""

ARGUMENTS: Final = {kind: f"{to_snake(kind)}_arguments" for kind in KINDS}
"""The member of a search's record with its arguments, by the kind of the source."""

IRRELEVANT: Final[frozenset[DropReason]] = frozenset({"threshold", "filter", "excluded", "error"})
"""A document that was dropped for one of these reasons is not part of `count`."""

WARNINGS: Final[Mapping[DropReason, str]] = {
    "threshold": "Documents below the threshold of {target.threshold:g}: {count}.",
    "limit": "Documents over maxOutputDocuments: {count}.",
    "budget": "Documents that did not fit into the output's tokens: {count}.",
    "not needed": "Documents left out because a model called others sufficient: {count}.",
}

NUMBER_WARNING: Final = "Documents beyond the {number} of this effort: {count}."
NUMBERS: Final = {10: "ten", 20: "twenty"}
PREFERENCE_WARNING: Final = "Documents ranked higher for a value that the question names: {count}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """The types of the records in a version. A type is None if the version has no record of the step. The type of a
    search is the kind of its knowledge source.

    With `cites` a reference has the address of its document. With `resolves` the source data of a document has the
    semantic fields too. `digits` are those of a second in its times. With `shows_effort` the record of the ranking has
    the effort. `status_of_some` is the status of an answer if at least one search failed (`Outcome.failed`).
    """

    planning: str | None = "modelQueryPlanning"
    ranking: str = "agenticReasoning"
    synthesis: str | None = "modelAnswerSynthesis"
    cites: bool = False
    resolves: bool = True
    digits: Digits = 7
    shows_effort: bool = True
    status_of_some: int = 206


def render_as(shape: type[Out], types: Types, outcome: Outcome) -> Rendered:
    """The answer in a version's shape. Its text is the written answer if there is one, else the grounding text with the
    documents."""
    text = outcome.grounding.text if outcome.answer is None else outcome.answer
    response = shape.model_validate(
        {
            "response": [{"content": [{"text": text}]}],
            "activity": records(outcome, types) if outcome.request.include_activity else None,
            "references": references(outcome, types),
        }
    )
    return Rendered(status=types.status_of_some if outcome.failed else 200, body=response.model_dump_json().encode())


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
        address_ends = cache(partial(_address_ends, address=address))
        for members, (_, reference) in zip(reference_members, shown, strict=True):
            hit, target = reference.hit, reference.target
            fields = ",".join(_source_data(hit, target, types) if target.source_fields else hit.source)
            before, after = address_ends(target.index, fields)
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


def _address_ends(index: str, fields: str, *, address: Address) -> tuple[str, str]:
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
        "source_data": _source_data(hit, target, types) if target.include_source_data else None,
    }


def _source_data(hit: Hit, target: SearchTarget, types: Types) -> dict[str, JsonValue]:
    """The source data of a document: the fields that were read. If the knowledge source names fields, the source data
    has these fields, and the key only if it is one of them. In a version that does not resolve, it has the key and
    these fields alone. A field within a complex field stays at its place."""
    if not target.source_fields:
        return dict(hit.source)
    if types.resolves:
        hidden = set(_key(hit)).difference(target.source_fields)
        return {name: value for name, value in hit.source.items() if name not in hidden}
    names = dict.fromkeys((*_key(hit), *target.source_fields))
    if any("/" in name for name in names):
        names = {name: None for name in names if name.partition("/")[0] in hit.source}
        return json_value.part(hit.source, json_value.shape(names))
    return {name: hit.source[name] for name in names if name in hit.source}


def _key(hit: Hit) -> tuple[str, ...]:
    """The name of the key field, which is the first field with the value of the key. Empty if no field has this
    value."""
    return next(((name,) for name, value in hit.source.items() if value == hit.key), ())


def record(activity: Activity, number: int, types: Types, *, effort: Effort) -> Members | None:
    """The record of an activity; None if the version has no record of it. `effort` is the `asked_effort` of the
    request."""
    match activity:
        case StepActivity():
            members = _by_model(activity, types)
        case SearchActivity():
            members = _search(activity, types)
        case RankerActivity():
            members = _ranking(activity, effort, types)
        case _:
            assert_never(activity)
    return {"id": number, **members} if members["type"] else None


def _by_model(activity: StepActivity, types: Types) -> Members:
    model, is_answer = activity.model, activity.step == "answer"
    name = None if model is None else model.model_name or model.deployment
    return {
        "type": types.synthesis if is_answer else types.planning,
        "written_by": activity.by,
        "warning": " ".join(activity.every_note) or None if is_answer else None,
        "input_tokens": activity.input_tokens,
        "output_tokens": activity.output_tokens,
        "model_name": name,
        "model": None if model is None else {"model_name": name, "deployment_id": model.deployment},
        "error": None if activity.error is None else detail(activity.error),
        **_times(activity.started_at, activity.elapsed_ms, types),
    }


def _ranking(activity: RankerActivity, effort: Effort, types: Types) -> Members:
    return {
        "type": types.ranking,
        "input_tokens": activity.input_tokens,
        "reasoning_tokens": activity.input_tokens,
        "retrieval_reasoning_effort": {"kind": activity.effort},
        "logical_reasoning_effort": {"kind": effort},
        "planned_by": activity.by,
        "selected": None if activity.selected is None else list(map(str, activity.selected)),
        "is_sufficient": activity.is_sufficient,
        "warning": activity.warning,
        **_times(activity.started_at, activity.elapsed_ms, types),
    }


def _search(activity: SearchActivity, types: Types) -> Members:
    result, target = activity.searched, activity.searched.subquery.target
    times = _times(result.started_at, result.elapsed_ms, types)
    threshold, fault = result.threshold, result.fault
    return {
        "type": target.kind,
        "knowledge_source_name": target.source_name,
        "query_time": times["completed_at"],
        "count": activity.found - sum(count for reason, count in activity.dropped.items() if reason in IRRELEVANT),
        "threshold": None if threshold is None else {"value": threshold, "set_by": target.threshold_by},
        "dropped": dict(activity.dropped),
        "guessed": result.subquery.guessed or None,
        "warning": _warning(activity),
        "error": None if fault is None else detail(fault),
        ARGUMENTS[target.kind]: _arguments(result),
        "query_hint_processing": _hint_processing(target),
        **times,
    }


def _arguments(result: Searched) -> Mapping[str, object] | None:
    target = result.subquery.target
    if (arguments := KINDS[target.kind].arguments) is not None:
        return arguments(result)
    fields, configuration = _resolved(result)
    in_full = bool(target.boosts or result.subquery.weighed)
    return {
        "search": _search_text(result.subquery),
        "filter": None if target.filter is None else odata.text(target.filter),
        "source_data_fields": [{"name": name} for name in fields],
        "search_fields": [{"name": name} for name in target.search_fields],
        "semantic_configuration_name": configuration,
        "query_type": "full" if in_full else "semantic" if target.recall.rerank else "simple",
    }


def _resolved(result: Searched) -> tuple[Iterable[str], str | None]:
    """The names of the fields in the source data, and the semantic configuration in use. The semantic fields come
    first. Then come the fields that the knowledge source names, or else the key. After a search that failed, both are
    only what the knowledge source names."""
    target, roles = result.subquery.target, result.page.roles
    if roles is None:
        return target.source_fields, target.semantic_configuration
    semantic_fields = (*roles.titles, *roles.content, *roles.terms)
    fields = dict.fromkeys((*semantic_fields, *(target.source_fields or (roles.key,))))
    return fields, target.semantic_configuration or roles.semantic_configuration


def _search_text(subquery: Subquery) -> str:
    """The search text, with the boosts or the weights of the sub-query if it has any."""
    if subquery.target.boosts:
        return lucene.boosted_text(subquery.search, subquery.target.boosts)
    return subquery.search if subquery.weighed is None else lucene.weighed_text(subquery.weighed.words)


def _hint_processing(target: SearchTarget) -> Members | None:
    if not target.boosts and target.generated is None:
        return None
    return {
        "generated_boost": lucene.clause(target.boosts) or None,
        "generated_filter": None if target.generated is None else odata.text(target.generated),
    }


def _warning(activity: SearchActivity) -> str | None:
    target, page = activity.searched.subquery.target, activity.searched.page
    elsewhere = page.beyond + activity.beyond
    sentences = (
        sentence.format(count=count, target=target)
        for reason, sentence in WARNINGS.items()
        if (count := activity.dropped.get(reason, 0) - (elsewhere if reason == "limit" else 0)) > 0
    )
    number = NUMBERS.get(activity.usual or 0, activity.usual)
    further = [NUMBER_WARNING.format(number=number, count=activity.beyond)] if activity.beyond else []
    further += [PREFERENCE_WARNING.format(count=page.preferred)] if page.preferred else []
    further += warnings(page) if (warnings := KINDS[target.kind].warnings) is not None else []
    return " ".join((*sentences, *further)) or None


def _times(started_at: datetime | None, elapsed_ms: int, types: Types) -> Members:
    if started_at is None:
        return {"elapsed_ms": elapsed_ms}
    completed_at = started_at + timedelta(milliseconds=elapsed_ms)
    return {
        "elapsed_ms": elapsed_ms,
        "started_at": timestamp(started_at, digits=types.digits),
        "completed_at": timestamp(completed_at, digits=types.digits),
    }


def timestamp(moment: datetime, *, digits: Digits = 3) -> str:
    """The time in the form of RFC 3339, in UTC. Azure AI Search writes three digits of a second up to 2025, and seven
    since 2026, in its published examples and its real answers."""
    if digits == 3:
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "0Z")
