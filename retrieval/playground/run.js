/* A run: one question with its base and settings, and the part of the answer that has arrived. */

import { hash } from "./link.js";
import { request } from "./request.js";
import { call, fault } from "./service.js";
import { change, CLOSED, runOf, set, state } from "./state.js";
import { events } from "./stream.js";

const STOPPED = { status: 0, code: "Stopped", message: "You stopped this call." };
const AWAY = {
  status: 0,
  code: "Away",
  message: "The service does not answer, or it ended in the middle of its answer.",
};

let stopping = null;
let next = 1;

export const stop = () => stopping?.abort();

/** The earlier turns of the current conversation, without failed runs. */
function turns() {
  const runs = state.runs.filter((run) => run.conversation === state.conversation && run.phase !== "failed");
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

/** Asks a question, and stores the answer in the run while it arrives. */
export async function ask({ base, question, settings }, before = turns()) {
  const run = frozen({ base, question, settings: { ...settings }, before });
  history.replaceState(null, "", hash(run));
  set({ ...CLOSED, runs: [...state.runs, run], shown: run.id });
  stopping = new AbortController();
  const tick = setInterval(() => change(run.id, { now: performance.now() - run.clock.began }), 100);
  try {
    change(run.id, await answered(run, stopping.signal));
  } catch (error) {
    change(run.id, { phase: "failed", error: error.name === "AbortError" ? STOPPED : AWAY });
  } finally {
    clearInterval(tick);
    stopping = null;
    change(run.id, { clock: { ...run.clock, total: performance.now() - run.clock.began } });
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
