/* A run: one question with its base and settings, and the part of the answer that has arrived. */

import { hash } from "./link.js";
import { request, retrieval } from "./request.js";
import { call, fault } from "./service.js";
import { change, CLOSED, runOf, set, state } from "./state.js";
import { events } from "./stream.js";

const STOPPED = { status: 0, code: "Stopped", message: "You stopped this call." };
const AWAY = {
  status: 0,
  code: "Away",
  message: "The service does not answer, or it ended in the middle of its answer.",
};
const UNLISTED = {
  status: null,
  code: "Unlisted",
  message: "Retrieve states a threshold or a filter for each source, and the sources of this base are not known here.",
};

let stopping = null;
let next = 1;

export const stop = () => stopping?.abort();

/** The earlier turns of the current conversation that have an answer. */
function turns() {
  const runs = state.runs.filter(
    (run) => run.conversation === state.conversation && !["failed", "unanswered"].includes(run.phase),
  );
  return runs.flatMap((run) => [
    { role: "user", text: run.question },
    { role: "assistant", text: run.text },
  ]);
}

const frozen = (more) => ({
  id: next++,
  conversation: state.conversation,
  phase: "working",
  answer: null,
  error: null,
  retrieved: null,
  text: "",
  live: nothing(),
  clock: { click: Date.now(), began: performance.now(), total: null },
  ...more,
});

const nothing = () => ({ activity: [], begun: [], searches: [], plan: null, blocks: [] });

/** A turn from a link. It has only the question and the text of the answer. */
export const given = (base, question, text) =>
  frozen({ base, question, text, before: [], settings: {}, phase: "given" });

/** The finished run that the page shows first. No later question continues its conversation. */
export const example = ({ base, question, settings, answer, total, click }) =>
  frozen({
    base,
    question,
    settings,
    before: [],
    answer,
    text: answer.answer_markdown,
    phase: "example",
    conversation: -1,
    clock: { click, began: 0, total },
  });

/** Asks a question by the call `mode`, and stores what arrives in the run. */
export async function ask({ base, question, settings, mode = "answer" }, before = turns()) {
  const phase = mode === "answer" ? "working" : "unanswered";
  const run = frozen({ base, question, settings: { ...settings }, mode, before, phase });
  history.replaceState(null, "", hash(run));
  set({ ...CLOSED, runs: [...state.runs, run], shown: run.id, ...(mode === "retrieve" && { tab: "retrieve" }) });
  await (mode === "answer" ? complete(run) : retrieve(run.id, settings));
}

/** Answers the question of a turn for which only retrieve was called. */
export async function answer(id) {
  const run = { ...runOf(id), phase: "working", clock: { click: Date.now(), began: performance.now(), total: null } };
  change(id, run);
  await complete(run);
}

async function complete(run) {
  const tick = setInterval(() => change(run.id, { now: performance.now() - run.clock.began }), 100);
  const done = await stoppable((signal) => answered(run, signal));
  clearInterval(tick);
  change(run.id, { ...done, clock: { ...run.clock, total: performance.now() - run.clock.began } });
}

/** Calls retrieve with the question and the earlier turns of a run, and stores the response beside its answer. */
export async function retrieve(id, settings) {
  const run = runOf(id);
  const sources = state.bases.find((one) => one.name === run.base)?.sources ?? [];
  const sent = retrieval(run, settings, sources);
  const retrieved = { phase: "working", settings, sent, response: null, error: null };
  const began = performance.now();
  change(id, { retrieved, ...(run.mode === "retrieve" && { settings }) });
  const unlisted = !sources.length && (settings.threshold || settings.filter);
  const done = unlisted ? { phase: "failed", error: UNLISTED } : await stoppable((signal) => received(sent, signal));
  change(id, { retrieved: { ...retrieved, ...done, took: performance.now() - began } });
}

async function received({ path, body }, signal) {
  const { response, traceId, requestId } = await call(path, { body, signal });
  const ids = { status: response.status, traceId, requestId };
  if (!response.ok) return { ...ids, phase: "failed", error: await fault(response) };
  return { ...ids, phase: "done", response: await response.json() };
}

/** The result of a call that the reader can stop, or its error. */
async function stoppable(act) {
  stopping = new AbortController();
  try {
    return await act(stopping.signal);
  } catch (error) {
    return { phase: "failed", error: error.name === "AbortError" ? STOPPED : AWAY };
  } finally {
    stopping = null;
  }
}

async function answered(run, signal) {
  const { path, body } = request(run);
  const { response, traceId, requestId } = await call(path, {
    body,
    signal,
    accept: "text/event-stream, application/json",
  });
  change(run.id, { traceId, requestId });
  if (!response.ok) return { phase: "failed", error: await fault(response) };
  const streams = response.headers.get("content-type")?.startsWith("text/event-stream");
  const answer = streams ? await listen(run, response.body) : await response.json();
  if (answer.error) return { phase: "failed", error: { status: streams ? null : response.status, ...answer.error } };
  return { phase: "done", answer, text: answer.answer_markdown || answer.route.assistant_message };
}

/** Reads the events of an answer. Returns the data of the last event: the whole answer, or an error. */
async function listen(run, body) {
  let last = null;
  for await (const { event, data } of events(body)) {
    if (event === "end") last = data;
    else if (event === "error") last = data.error ? data : { error: data };
    else {
      const live = heard(runOf(run.id).live, event, data);
      change(run.id, { live, text: live.blocks.join("") });
    }
  }
  if (!last) throw new TypeError("The events ended early.");
  return last;
}

function heard(live, event, data) {
  const blocks = [...live.blocks];
  if (event === "step") return { ...live, begun: [...live.begun, data] };
  if (event === "plan") return { ...live, plan: data };
  if (event === "search") return { ...live, searches: [...live.searches, data] };
  if (event === "activity") return { ...live, activity: [...live.activity, data.record] };
  if (event === "block") blocks[data.id] = data.markdown;
  if (event === "revision") for (const block of data.blocks) blocks[block.id] = block.markdown;
  return { ...live, blocks };
}
