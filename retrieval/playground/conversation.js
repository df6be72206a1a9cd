/* The conversation. Each turn shows a run, with its question, its answer and one line of figures. */

import { NAMES, running } from "./bars.js";
import { button, copying, el, short } from "./element.js";
import { figure, time, UNKNOWN } from "./figure.js";
import { hash } from "./link.js";
import { markdown } from "./markdown.js";
import { cost } from "./money.js";
import { passages } from "./passages.js";
import { brief, other } from "./retrieved.js";
import { CLOSED, describe, set, state } from "./state.js";
import { verdict } from "./steps.js";
import { refusal, troubles } from "./trouble.js";

export function conversation(runs, shown, pinned, prices) {
  return runs.map((run, place) => [
    place > 0 &&
      runs[place - 1].conversation !== run.conversation &&
      el("p", { class: "new" }, `A new conversation, with ${run.base}`),
    turn(run, { shown: shown === run.id, pinned: pinned === run.id, prices }),
  ]);
}

function turn(run, { shown, pinned, prices }) {
  const label = run.phase === "example" ? "An example, recorded over the sample corpus without a model" : run.base;
  return el(
    "article",
    { class: shown ? "turn shown" : "turn", "aria-label": `Question: ${short(run.question)}` },
    el(
      "p",
      { class: "about" },
      [label, run.mode === "retrieve" && "retrieve", ...describe(run.settings)].filter(Boolean).join(" · "),
    ),
    el("h2", {}, run.question),
    run.phase === "unanswered" ? run.retrieved && brief(run) : run.error ? refusal(run) : answer(run),
    run.answer && troubles(run.answer),
    unstated(run) && el("p", { class: "help" }, UNSTATED(run.base)),
    !["given", "unanswered"].includes(run.phase) && line(run, prices),
    run.answer?.evidence && el("p", { class: "verdict" }, verdict(run.answer)),
    run.phase !== "given" && tools(run, { shown, pinned }),
  );
}

/** Whether a model was asked, and the definition of the base states no effort. */
const unstated = ({ base, answer: given }) =>
  given?.explained?.model && state.bases.find((one) => one.name === base)?.effort === null;

const UNSTATED = (base) =>
  `A model is connected, and the base ${base} states no effort. Unless AGENT_EFFORT says another, retrieve calls ` +
  "that state none have that of their version, in most of them “low”.";

function answer(run) {
  if (!run.text)
    return el("p", { class: "working", role: "status" }, run.phase === "working" ? progress(run) : UNKNOWN);
  const blocks = markdown(run.text, citer(run));
  if (run.answer?.answer_by === "rules" && run.answer.citations.length)
    return passages(run, blocks, (citation) => cite(run, citation, numberOf(run, citation)));
  return el("div", { class: "answer", "aria-live": run.phase === "working" ? "off" : null }, blocks);
}

const numberOf = ({ answer: { sources } }, { source }) => sources.indexOf(source) + 1;

function progress({ live, now }) {
  const { plan, searches, activity } = live;
  const [step] = running(live);
  if (step) return `The model is asked to ${NAMES[step.step]}: ${time(Math.max(0, (now ?? 0) - step.started_ms))}…`;
  if (!plan && !activity.length) return "Asking…";
  const planned = plan ? `Planned ${plan.queries.length}; ` : "";
  return `${planned}${searches.length} searched; ${activity.length} steps done…`;
}

/** Makes the function that shows a citation: that with the quote before its number, or else the source's next one. */
function citer(run) {
  const left = [...(run.answer?.citations ?? [])];
  return (bracketed, before) => {
    const label = /^\d+$/.test(bracketed) ? run.answer?.sources[bracketed - 1] : null;
    const found = left.filter((one) => one.source === label);
    const one = found.find((each) => each.quote && before.includes(each.quote)) ?? found[0];
    if (!one) return /^\d+$/.test(bracketed) && !run.answer ? el("span", { class: "cite" }, bracketed) : null;
    if (found.length > 1) left.splice(left.indexOf(one), 1);
    return cite(run, one, bracketed);
  };
}

function cite(run, one, number) {
  const document = run.answer.explained.documents.find((each) => each.chunk_id === one.chunk_id);
  const sentence = one.quote ? `“${short(one.quote, 240)}”` : short(document?.text ?? one.source, 240);
  const open = () =>
    set({
      shown: run.id,
      tab: "documents",
      open: document?.doc_key ?? null,
      focus: one,
      sheet: true,
      slider: null,
      sought: "",
    });
  return el(
    "span",
    { class: "citation" },
    button(number, open, { class: "cite", "aria-label": `Citation ${number}: ${one.source}` }),
    el("span", { class: "hint", dir: "auto", role: "note" }, el("b", {}, one.source), sentence),
  );
}

/** The figures of a run. An unknown figure is shown as "–". */
function line(run, prices) {
  const { answer } = run;
  const total = el("span", { "data-page": "total", class: "figure" }, time(run.clock.total ?? run.now ?? null));
  const money = cost(answer, prices);
  return el(
    "p",
    { class: "figures" },
    [
      total,
      [figure(answer, "selected", "count"), " of ", figure(answer, "explained.documents", "count", "document")],
      figure(answer, "totals.model_calls", "integer", "model call"),
      figure(answer, "totals.input_tokens+totals.output_tokens", "integer", "token"),
      figure(answer, "explained.searches[ranked]", "count", "ranked query"),
      money && el("span", { "data-page": "cost", class: "figure" }, money),
    ]
      .filter(Boolean)
      .map((one, place) => [place > 0 && " · ", one]),
  );
}

function tools(run, { shown, pinned }) {
  const link = () => `${location.href.split("#")[0]}${hash(run)}`;
  const show = () => set({ ...CLOSED, shown: run.id, sheet: true });
  return el(
    "p",
    { class: "buttons" },
    button("Why?", show, { class: "quiet why", "aria-pressed": String(shown), "data-key": `why ${run.id}` }),
    run.answer &&
      button(pinned ? "Pinned" : "Pin to compare", () => set({ pinned: pinned ? null : run.id }), {
        class: "quiet",
        "aria-pressed": String(pinned),
        "data-key": `pin ${run.id}`,
      }),
    run.phase !== "given" && other(run),
    copying("Copy link", link, { "data-key": `link ${run.id}` }),
  );
}
