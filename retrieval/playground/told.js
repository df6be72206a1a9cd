/* An answer of any operation as one shape, which every view reads.

   told = { wall, traceId, requestId, planner, asked, effort, threshold, warning, steps, references, grounding, answer,
            citations, evidence, error, done }
   `asked` is the effort that was asked for, `effort` what was done
   step = { id, kind, label, start, ms, by, tokensIn, tokensOut, error, warning, search }   start and ms in milliseconds
   kind = "model" | "search" | "follow" | "rank" | "rules"; a step without ms is under way
   search = { text, source, filter, found, kept, dropped, kind, ranked }; one that is not ranked costs no semantic query
   reference = { id, key, score, step, data, title, text, source } */

export const nothing = () => ({
  wall: 0, traceId: "", requestId: "", planner: "", asked: "", effort: "", warning: "", steps: [], references: [], grounding: "", answer: null,
  citations: [], evidence: null, error: null, done: false,
});

/** What a model is called for, in the words of the versions. */
const MODELS = [[/synthesis/i, "write the answer"], [/planning/i, "plan"]];

/** The steps of the answer operation. */
const STEPS = { route: "decide whether to search", plan: "plan", judge: "judge what came", conclude: "judge again", answer: "write the answer" };

const BEFORE = ["threshold", "filter", "excluded", "error"];

/** A record of activity as a step; `zero` is the moment from which starts count. */
function step(record, zero) {
  const said = { id: record.id, ms: record.elapsedMs, warning: record.warning, error: record.error, start: start(record, zero) };
  const model = MODELS.find(([pattern]) => pattern.test(record.type));
  if (model) {
    const { inputTokens: tokensIn = 0, outputTokens: tokensOut = 0 } = record;
    const byRules = record.writtenBy === "rules";
    return { ...said, kind: byRules ? "rules" : "model", label: model[1], tokensIn, tokensOut };
  }
  if (/reasoning|ranker/i.test(record.type)) {
    return { ...said, kind: "rank", label: "inside the searches, as long as the slowest", ranked: record.reasoningTokens ?? record.inputTokens ?? 0 };
  }
  const { search: text, filter, queryType } = record[`${record.type}Arguments`] ?? record.query ?? {};
  const dropped = record.dropped ?? {};
  const before = BEFORE.reduce((sum, reason) => sum + (dropped[reason] ?? 0), 0);
  const found = record.count === undefined ? undefined : record.count + before;
  const source = record.knowledgeSourceName ?? record.targetIndex ?? "";
  return { ...said, kind: "search", label: text ?? source, search: { text: text ?? "", source, filter, found, dropped, kind: record.type, ranked: queryType !== "simple" } };
}

const start = (record, zero) => {
  const at = record.startedAt ?? record.queryTime;
  return at === undefined || zero === undefined ? undefined : Date.parse(at) - zero;
};

/** The steps of the records, on one axis. */
export function steps(records) {
  const moments = records.map((one) => Date.parse(one.startedAt ?? one.queryTime)).filter((one) => !Number.isNaN(one));
  const zero = moments.length ? Math.min(...moments) : undefined;
  const found = records.map((one) => step(one, zero));
  const planned = found.filter((one) => one.kind === "model" && one.start === undefined);
  const shift = planned.reduce((sum, one) => sum + (one.ms ?? 0), 0);
  const end = Math.max(0, ...found.map((one) => (one.start ?? 0) + (one.ms ?? 0)));
  const placed = found.map((one) => ({
    ...one,
    start: planned.includes(one) ? 0 : one.start === undefined ? Math.max(0, end - (one.ms ?? 0)) + shift : one.start + shift,
  }));
  return placed.map(judged).map(followed);
}

/** A model that is asked after a search judges; in the order of the records, whenever each began. */
const judged = (one, place, all) => (one.label === "plan" && all.slice(0, place).some((earlier) => earlier.search) ? { ...one, label: JUDGES } : one);

/** A search follows up if a judge asked for it, or if it went without the ranker that those before it had. */
function followed(one, place, all) {
  const before = all.slice(0, place);
  const asked = before.some((earlier) => earlier.label === JUDGES);
  const unlike = !one.search?.ranked && before.some((earlier) => earlier.search?.ranked);
  return one.search && (asked || unlike) ? { ...one, kind: "follow" } : one;
}

const JUDGES = "judge what came";

/** The texts that the ranker scored documents for: of others a score would say nothing here. */
export const ranked = (told) => told.steps.filter((one) => one.search?.ranked).map((one) => one.search.text);

/** What retrieve answers, in the versions of bases and of agents. */
export function retrieved(told, body) {
  const text = body.response?.[0]?.content?.[0]?.text ?? "";
  const documents = documentsOf(text);
  const ranking = (body.activity ?? []).find((one) => /reasoning|ranker/i.test(one.type)) ?? {};
  return {
    ...told,
    done: true,
    planner: ranking.plannedBy ?? "",
    effort: ranking.retrievalReasoningEffort?.kind ?? "",
    warning: ranking.warning ?? "",
    steps: steps(body.activity ?? []),
    references: references(body.references ?? [], documents ?? []),
    grounding: documents ? text : "",
    answer: documents ? null : text,
  };
}

/** The grounding text as its documents; null where it is an answer. */
function documentsOf(text) {
  try {
    const found = JSON.parse(text);
    return Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

/** References with the title and text of their documents, from the source data or the grounding. */
export function references(found, documents = []) {
  return found.map((one) => {
    const grounded = documents.find((each) => String(each.ref_id) === one.id);
    const data = one.sourceData ?? {};
    const key = one.docKey ?? one.blobUrl ?? one.docUrl ?? one.docName ?? one.id;
    const { title, text } = shown({ ...grounded, ...data }, key);
    return { id: one.id, key, score: one.rerankerScore ?? null, step: one.activitySource, data, title, text, grounded: !!grounded };
  });
}

/** The title of a document is its field of that name, its text the longest of its fields. */
function shown(data, key) {
  const texts = Object.entries(data).filter(([, value]) => typeof value === "string");
  const longest = texts.map(([, value]) => value).sort((a, b) => b.length - a.length)[0] ?? "";
  const title = texts.find(([name, value]) => /title|name|heading/i.test(name) && value !== longest)?.[1];
  return { title: title ?? key, text: data.content ?? longest };
}

/** What the answer operation answers. */
export function answered(told, body) {
  const found = [];
  for (const one of body.activity ?? []) {
    const said = { id: `${one.id}`, start: one.started_ms, ms: one.elapsed_ms, warning: (one.notes ?? []).join(" ") };
    if (one.type === "step") {
      const kind = one.by === "model" ? "model" : "rules";
      const label = STEPS[one.step] ?? one.step;
      found.push({ ...said, kind, label, tokensIn: one.input_tokens, tokensOut: one.output_tokens, error: one.error });
    }
    for (const [place, search] of (one.searches ?? []).entries()) found.push(searched(said, one.round, place, search));
  }
  const chunks = (body.selected ?? []).map((one, place) => ({
    id: String(place), key: one.doc_key, score: one.score, step: null, round: one.round, data: {}, chunk: one.id,
    title: one.source, text: one.text, grounded: true, rationale: one.rationale,
  }));
  return {
    ...told, done: true, planner: body.plan?.by ?? body.route?.by ?? "", effort: "medium", steps: found, references: chunks,
    answer: body.answer_markdown || body.route?.assistant_message || "", citations: body.citations ?? [], sources: body.sources ?? [], evidence: body.evidence ?? null,
    warning: [...(body.ended_by ?? []), ...(body.plan?.notes ?? [])].join(" "),
  };
}

function searched(said, round, place, one) {
  const search = { text: one.query, source: one.index, filter: one.filter, found: one.count, kept: one.returned, dropped: one.dropped ?? {}, ranked: true };
  return { ...said, id: `${said.id}.${place}`, ms: one.elapsed_ms, kind: round ? "follow" : "search", label: one.query, error: one.error, search };
}
