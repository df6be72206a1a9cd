/* The steps of a run on a time axis, with the input and output of each step. */

import { bars } from "./bars.js";
import { chip, reasonOf } from "./documents.js";
import { button, el, short } from "./element.js";
import { computed, figure, NO_ANSWER, time, UNKNOWN } from "./figure.js";
import { set, state } from "./state.js";

const KINDS = { model: "Model", rules: "Rules", search: "Search", follow: "Follow-up", waiting: "Waiting" };
const TICKS = 4;

export function steps(run, pinned) {
  if (run.phase === "failed" && !run.live.activity.length) return el("p", { class: "empty" }, NO_ANSWER);
  const [one, two] = [bars(run), pinned && bars(pinned)];
  const total = Math.max(one.total, two?.total ?? 0, 1);
  return [
    el("p", { class: "lead" }, summary(run, one)),
    pinned && el("h3", {}, "This run"),
    chart(run, one, total),
    pinned && [el("h3", {}, "The pinned run"), chart(pinned, two, total)],
    evidence(run),
  ];
}

/** A sentence about the slowest step. If a wait was longer, the sentence names this wait first. */
function summary(run, { bars: all, placed }) {
  if (!run.answer)
    return run.live.begun.length ? "Each step appears as it begins." : "The steps appear as they end.";
  const worked = all.filter((one) => one.kind !== "waiting");
  if (!worked.length) return "There was no step.";
  const longest = (of) => of.reduce((most, one) => (one.ms > most.ms ? one : most));
  const [slowest, bar] = [longest(worked), longest(all)];
  return [
    bar !== slowest && ["The longest was waiting: ", el("strong", {}, bar.name), " with "],
    bar !== slowest && [computed("waited", time(bar.ms)), ". "],
    "The slowest step: ",
    el("strong", { class: "what" }, `${KINDS[slowest.kind]}, ${short(slowest.name, 60)}`),
    " with ",
    figure(run.answer, slowest.from, "time"),
    " of ",
    el("span", { "data-page": "total" }, time(run.clock.total)),
    ".",
    placed ? "" : " The clocks of this page and of the service differ, so the bars begin with the call.",
  ];
}

function chart(run, { bars: all }, total) {
  const ticks = [...Array(TICKS + 1).keys()].map((place) =>
    el("span", { "--at": place / TICKS }, time((total * place) / TICKS)),
  );
  return el(
    "div",
    {},
    el("div", { class: "ticks", "aria-hidden": "true" }, ticks),
    el(
      "ol",
      { class: "bars" },
      all.map((one) => row(run, one, total)),
    ),
  );
}

function row(run, one, total) {
  const key = `bar ${run.id} ${one.key}`;
  const open = state.step === key;
  const bar = el("span", {
    class: `bar ${one.kind}`,
    "--from": one.start / total,
    "--width": Math.max(one.ms, 0) / total,
    "data-start": one.start,
    "data-ms": one.ms,
  });
  const failed = one.record?.error;
  const name = el(
    "span",
    { class: "what" },
    el("b", {}, KINDS[one.kind]),
    ` ${short(one.name, 70)}`,
    failed && el("span", { class: "bad" }, " failed"),
  );
  const took = one.from && run.answer ? figure(run.answer, one.from, "time") : el("span", {}, time(one.ms));
  const cells = [name, el("span", { class: "track" }, bar), el("span", { class: "ms" }, took)];
  if (one.kind === "waiting" || one.running) return el("li", {}, el("div", { class: "step" }, cells));
  const more = { class: "step", "aria-expanded": String(open), "data-key": key };
  return el(
    "li",
    {},
    button(cells, () => set({ step: open ? null : key }), more),
    open && detail(run, one),
  );
}

const terms = (pairs) =>
  el(
    "dl",
    { class: "detail" },
    pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== false)
      .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );

function detail(run, one) {
  const { record } = one;
  const error = record.error && el("p", { class: "bad" }, `${record.error.code}: ${record.error.message}`);
  const search = one.kind === "search" || one.kind === "follow";
  return [terms(search ? searched(run, one) : done(run, one)), error];
}

function searched(run, { record, position, place, at, made }) {
  const from = `activity.${place}.searches.${at}`;
  const lost = Object.entries(record.dropped)
    .filter(([, count]) => count)
    .map(([reason]) =>
      el("li", {}, figure(run.answer, `${from}.dropped.${reason}`, "integer"), ` ${reasonOf({ reason })}`),
    );
  return [
    [
      "Input",
      [
        position >= 0 && chip(position),
        ` “${record.query}” in `,
        el("code", {}, made?.source ?? record.index),
        record.filter && [" with the filter ", el("code", {}, record.filter)],
      ],
    ],
    ["Goal", record.goal && el("em", {}, record.goal)],
    [
      "Output",
      run.answer && [
        figure(run.answer, `${from}.count`, "integer", "document"),
        " found, ",
        figure(run.answer, `${from}.returned`, "integer"),
        " passed on",
      ],
    ],
    ["Dropped", lost.length > 0 && el("ul", {}, lost)],
    ["Ranked", made && (made.ranked ? "by the semantic ranker" : "no: without the ranker")],
    [
      "Threshold",
      made &&
        (made.threshold === null ? UNKNOWN : figure(run.answer, `explained.searches.${position}.threshold`, "score")),
    ],
  ];
}

function done(run, { record, place }) {
  const model = run.answer?.explained.model;
  const named = model ? [el("code", {}, model), ", with the prompt "] : "a model, with the prompt ";
  const by = record.by === "model" ? named : ["rules, in place of ", named];
  const tokens = record.prompt &&
    run.answer && [
      figure(run.answer, `activity.${place}.input_tokens`, "integer"),
      " in, ",
      figure(run.answer, `activity.${place}.output_tokens`, "integer"),
      " out",
    ];
  return [
    ["Done by", record.prompt ? [by, el("code", {}, record.prompt)] : "rules: no model was asked"],
    ["Input", input(run, record.step)],
    ["Output", run.answer && output(run.answer, record.step)],
    ["Tokens", tokens],
    ...(record.prompt && run.answer ? prompt(run.answer, place) : []),
    ["Skipped", record.skipped && `not asked: ${record.skipped}`],
    [
      "Notes",
      record.notes.length > 0 &&
        el(
          "ul",
          {},
          record.notes.map((note) => el("li", {}, note)),
        ),
    ],
  ];
}

function input(run, step) {
  const turns = run.before.length + 1;
  const said = ["a conversation of ", computed("turns", turns), turns === 1 ? " message" : " messages"];
  if (step === "route" || step === "plan") return said;
  return run.answer && [figure(run.answer, "explained.documents[chunk_id]", "count", "document"), ", and ", said];
}

/** The prompt of a step's model, if the caller may see the prompt. */
function prompt(answer, place) {
  const { prompts } = answer.explained;
  if (!prompts) return [["Prompt", "only for a key that may manage: it has the instructions of the base"]];
  const at = prompts.findIndex((one) => one.activity === place);
  if (at < 0) return [["Prompt", UNKNOWN]];
  const more = ["and ", figure(answer, `explained.prompts.${at}.left_out`, "integer", "character"), " more"];
  return [
    ["Prompt", text(prompts[at].instructions)],
    ["Its data", [text(prompts[at].data), prompts[at].left_out > 0 && more]],
  ];
}

const text = (content) => el("pre", { tabindex: "0", class: "small", dir: "auto" }, content);

function output(answer, step) {
  const { route, plan, evidence, answer_markdown: written } = answer;
  if (step === "route")
    return route.should_run_rag ? "Documents are needed." : `No documents are needed: “${route.assistant_message}”`;
  if (step === "plan")
    return (
      plan && [
        el(
          "ol",
          {},
          plan.queries.map(({ query, goal }) => el("li", {}, query, goal && el("small", {}, goal))),
        ),
        plan.filter && ["Filter ", el("code", {}, plan.filter)],
      ]
    );
  return [
    text(written),
    evidence && verdict(answer),
    evidence?.followup_queries.length > 0 &&
      el(
        "ul",
        {},
        evidence.followup_queries.map(({ query }) => el("li", {}, `Follow up: ${query}`)),
      ),
  ];
}

/** The judgement whether the documents are sufficient, and who made the judgement. */
export function verdict(answer) {
  const { evidence } = answer;
  if (!evidence) return null;
  if (evidence.is_sufficient === null) return "Nobody judged whether this is enough.";
  const by = evidence.by === "model" ? "A model judged" : "By the calibration of the index";
  const confidence =
    evidence.confidence === undefined ? "" : [", confidence ", figure(answer, "evidence.confidence", "share")];
  return [`${by}: ${evidence.is_sufficient ? "it is enough" : "it is not enough"}`, confidence, "."];
}

/** The key points of the judgement, and the missing information. */
function evidence({ answer }) {
  if (!answer?.evidence || (!answer.evidence.key_points.length && !answer.evidence.missing_info_questions.length))
    return null;
  const { key_points: points, missing_info_questions: missing } = answer.evidence;
  return [
    el("h3", {}, "The judgement"),
    el("p", {}, verdict(answer)),
    points.length > 0 &&
      el(
        "ul",
        { class: "told" },
        points.map((one) => el("li", {}, one.text, el("small", {}, one.sources.join("; ")))),
      ),
    missing.length > 0 && [
      el("h4", {}, "What is missing"),
      el(
        "ul",
        { class: "told" },
        missing.map((one) => el("li", {}, one)),
      ),
    ],
  ];
}
