/* A question: what is sent, and what is told of it as it happens. */

import { call, fault } from "./service.js";
import { AGENTS, NEWEST } from "./state.js";
import { events } from "./stream.js";
import { answered, nothing, references, retrieved, steps } from "./told.js";

const message = ({ role, text }) => ({ role, content: [{ type: "text", text }] });

/** The request of the settings: path, api-version, body and what it accepts. `turns` is the conversation with the question. */
export function request(settings, turns, sources) {
  const name = encodeURIComponent(settings.base);
  if (settings.way === "answer") return { path: `agents/${name}/answer`, accept: "application/json", body: workflow(settings, turns) };
  if (settings.way === "agent") {
    const path = `agents/${name}/retrieve?api-version=${AGENTS}`;
    return { path, accept: "application/json", body: { messages: turns.map(message), ...params(settings, sources) } };
  }
  const body = { ...asked(settings, turns), includeActivity: true, outputMode: settings.mode, ...params(settings, sources) };
  if (settings.effort) body.retrievalReasoningEffort = { kind: settings.effort };
  if (settings.effort === "minimal") body.outputMode = "extractiveData";
  return { path: `knowledgebases/${name}/retrieve?api-version=${NEWEST}`, accept: "text/event-stream, application/json", body };
}

/** The effort `minimal` takes no conversation: the question is searched as it stands. */
const asked = (settings, turns) =>
  settings.effort === "minimal" ? { intents: [{ type: "semantic", search: turns.at(-1).text }] } : { messages: turns.map(message) };

function workflow(settings, turns) {
  const body = { messages: turns.map(message) };
  if (settings.filter) body.filter = settings.filter;
  if (settings.threshold) body.limits = { rerankerThreshold: Number(settings.threshold) };
  return body;
}

/** Every source is asked for its data, so that references have titles; the version of agents can state a filter alone. */
function params({ threshold, filter, way }, sources) {
  const more = way === "agent" ? {} : { includeReferences: true, includeReferenceSourceData: true };
  if (threshold !== "" && way !== "agent") more.rerankerThreshold = Number(threshold);
  if (filter) more.filterAddOn = filter;
  if (!sources.length || !Object.keys(more).length) return {};
  return { knowledgeSourceParams: sources.map(({ name, kind }) => ({ knowledgeSourceName: name, kind, ...more })) };
}

/** Asks, and calls `tell` with what is known whenever that is more; the last time it is done, or has an error. */
export async function ask(settings, turns, sources, tell, signal) {
  const { path, accept, body } = request(settings, turns, sources);
  const began = performance.now();
  let told = { ...nothing(), asked: settings.way === "base" ? settings.effort : "" };
  const more = (change) => tell((told = { ...told, ...change, wall: performance.now() - began }));
  try {
    const { response, traceId, requestId } = await call(path, { body, accept, signal });
    more({ traceId, requestId });
    if (!response.ok) return more({ error: await fault(response), done: true });
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return await listen(response.body, () => told, more);
    const found = await response.json();
    return more(settings.way === "answer" ? answered(told, found) : retrieved(told, found));
  } catch (error) {
    if (error.name === "AbortError") return more({ error: { status: 0, code: "Stopped", message: "You stopped this call.", details: [] }, done: true });
    const away = { status: 0, code: "Away", message: "The service does not answer, or it ended in the middle of its answer.", details: [] };
    return more({ error: away, done: true });
  }
}

async function listen(body, told, more) {
  const records = new Map();
  for await (const { event, data } of events(body)) {
    if (event === "activity.started") more({ steps: recorded(records, { ...data, at: Date.parse(data.startedAt) }) });
    if (event === "activity.completed") more({ steps: recorded(records, data) });
    if (event === "references.completed") more({ references: references(data) });
    if (event === "response.completed") more(retrieved(told(), data.response));
    if (event === "error") more({ error: { status: 0, details: [], ...(data.error ?? data) }, done: true });
  }
  if (!told().done) throw new TypeError("The events ended early.");
}

function recorded(records, record) {
  records.set(record.id, { ...records.get(record.id), ...record });
  return steps([...records.values()]);
}

/** Every document that sub-queries find with its score, whatever the threshold: `texts` searched again, without a model. */
export async function everything(settings, texts, sources, { filter = settings.filter, signal } = {}) {
  const body = {
    intents: [...new Set(texts)].slice(0, 10).map((search) => ({ type: "semantic", search })),
    retrievalReasoningEffort: { kind: "minimal" },
    ...params({ threshold: "0", filter, way: "base" }, sources),
  };
  const path = `knowledgebases/${encodeURIComponent(settings.base)}/retrieve?api-version=${NEWEST}`;
  const { response } = await call(path, { body, signal });
  if (!response.ok) return null;
  const found = retrieved(nothing(), await response.json());
  const searches = found.steps.filter((one) => one.search);
  const text = (reference) => searches.find((one) => one.id === reference.step)?.search.text ?? "";
  return found.references.map((one) => ({ ...one, query: text(one) }));
}
