/* What retrieve returns for the question of a run: references, drops, activity and grounding text, and the call. */

import { block, curl, requested } from "./code.js";
import { choices } from "./request.js";
import { button, el, plain, short } from "./element.js";
import { computed, figure, time } from "./figure.js";
import { set, state } from "./state.js";
import { refusal } from "./trouble.js";

/** The reasons of `dropped`, in words. */
const REASONS = {
  threshold: "below the threshold",
  duplicate: "found better by another sub-query",
  limit: "beyond the number of documents",
  budget: "too long for the grounding text",
  "not needed": "not needed: a model called others sufficient",
  filter: "not within the filter",
  excluded: "taken out of retrieval",
  error: "unreadable",
};
const STEPS = {
  modelQueryPlanning: "Plan",
  agenticReasoning: "Ranking",
  semanticReranker: "Ranking",
  modelAnswerSynthesis: "Answer",
};
const BRIEF = 5;

const beside = (run, call, changed = {}) =>
  document.dispatchEvent(new CustomEvent("beside", { detail: { id: run.id, call, changed } }));

/** The button that makes the other call for the question of a run; null if both were made. */
export function other(run) {
  const answers = run.phase === "unanswered";
  const [call, label] = answers ? ["answer", "Answer it too"] : ["retrieve", "Retrieve it too"];
  const known = run.phase !== "example" || state.bases.some((one) => one.name === run.base);
  if ((run.retrieved && !answers) || run.phase === "working" || !known) return null;
  return button(label, () => beside(run, call), { class: "quiet", "data-key": `beside ${run.id}` });
}

/** The response to retrieve in the conversation: its first references. */
export function brief({ id, retrieved }) {
  if (retrieved.phase === "working") return el("p", { class: "working", role: "status" }, "Retrieving…");
  if (retrieved.phase === "failed") return refusal(retrieved);
  const { references } = retrieved.response;
  const open = (one) => set({ shown: id, tab: "retrieve", open: `reference ${one.id}`, sheet: true });
  const row = (one) => {
    const label = button(short(titleOf(one)), () => open(one), { class: "link", "data-key": `to ${id} ${one.id}` });
    const text = el("span", { class: "snippet", dir: "auto" }, short(plain(excerpt(retrieved.response, one)), 260));
    return el("li", { value: one.id }, label, text);
  };
  const more = references.length > BRIEF && el("p", { class: "help" }, "All of them are under Retrieve.");
  return el(
    "div",
    { class: "answer" },
    el("p", { role: "status" }, counted(retrieved.response)),
    el("ol", { class: "brief" }, references.slice(0, BRIEF).map(row)),
    more,
  );
}

const counted = (response) => [figure(response, "references", "count", "reference"), " retrieved."];

/** The whole response to retrieve, with the call. */
export function retrieved(run) {
  const made = run.retrieved;
  if (!made) return offer(run);
  if (made.phase === "working") return el("p", { class: "empty" }, "Retrieving…");
  if (made.phase === "failed") return [refusal(made), call(made)];
  const { response } = made;
  const cited = citedBy(run.answer);
  return [
    lead(made),
    drops(run),
    el(
      "ol",
      { class: "documents" },
      response.references.map((one, place) => reference(response, one, place, cited)),
    ),
    response.activity?.length > 0 && [
      el("h3", {}, "Activity"),
      el("ol", { class: "bars" }, response.activity.map(record)),
    ],
    grounding(response),
    call(made),
  ];
}

const offer = (run) => [
  el("p", { class: "lead" }, "Retrieve gives an agent of yours the documents for this question, without an answer."),
  other(run),
];

function lead({ response, status, took, sent }) {
  const ranking = response.activity?.find((one) => one.retrievalReasoningEffort);
  return el(
    "p",
    { class: "lead" },
    counted(response).slice(0, 1),
    ranking && [" · effort ", el("em", {}, ranking.retrievalReasoningEffort.kind)],
    ranking?.plannedBy && ` · planned by ${ranking.plannedBy === "model" ? "a model" : "rules"}`,
    ranking?.isSufficient !== undefined &&
      ` · a model judged: ${ranking.isSufficient ? "they are enough" : "they are not enough"}`,
    " · ",
    el("code", {}, versionOf(sent)),
    " · status ",
    computed("status", status),
    " · ",
    computed("took", time(took)),
  );
}

const versionOf = ({ path }) => path.split("api-version=")[1];

const searches = ({ activity }) => (activity ?? []).filter((one) => one.knowledgeSourceName !== undefined);

/** The numbers of dropped documents, by reason. A version that does not count them has them in warnings. */
function drops(run) {
  const { response, sent } = run.retrieved;
  const found = searches(response);
  if (found.length && !found.some((one) => one.dropped)) return uncounted(run, versionOf(sent));
  const counts = new Map();
  for (const [reason, count] of found.flatMap((one) => Object.entries(one.dropped ?? {})))
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  const rows = [...counts].filter(([, count]) => count);
  const row = ([reason, count]) => el("li", {}, computed(`dropped ${reason}`, count), ` ${REASONS[reason] ?? reason}`);
  if (!rows.length) return found.length > 0 && el("p", {}, "Nothing was dropped.");
  return el("div", { class: "drops" }, el("h3", {}, "Found, and not returned"), el("ul", {}, rows.map(row)));
}

function uncounted(run, version) {
  const warnings = searches(run.retrieved.response)
    .map((one) => one.warning)
    .filter(Boolean);
  const preview = [...document.querySelectorAll("#version option")]
    .map((one) => one.value)
    .find((one) => one !== version);
  return el(
    "div",
    { class: "drops" },
    warnings.length > 0 &&
      el(
        "ul",
        { class: "told" },
        warnings.map((one) => el("li", {}, one)),
      ),
    el(
      "p",
      { class: "help" },
      el("code", {}, version),
      warnings.length ? " has these warnings" : " has no warning",
      ", and does not count drops by reason.",
    ),
    preview &&
      button(
        ["Count them by reason, with ", el("code", {}, preview)],
        () => beside(run, "retrieve", { version: preview }),
        {
          class: "quiet",
          "data-key": "counted",
        },
      ),
  );
}

const titleOf = (one) => one.title || one.docKey || one.type;

/** The keys of the documents that an answer cites. */
function citedBy(answer) {
  const ids = new Set(answer?.citations.map((one) => one.chunk_id));
  const documents = answer?.explained.documents ?? [];
  return new Set(documents.filter((one) => ids.has(one.chunk_id)).map((one) => one.doc_key));
}

/** The text of a reference: that of the grounding text, or else the longest text of its source data. */
function excerpt(response, one) {
  const grounded = documentsOf(response).find((each) => String(each?.ref_id) === one.id);
  const texts = Object.values(one.sourceData ?? {}).filter((value) => typeof value === "string");
  return String(grounded?.content ?? texts.reduce((most, text) => (text.length > most.length ? text : most), ""));
}

const textOf = (response) => response.response[0]?.content[0]?.text ?? "";

/** The documents of a grounding text; none if it is a written answer. */
function documentsOf(response) {
  try {
    const found = JSON.parse(textOf(response));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function reference(response, one, place, cited) {
  const key = `reference ${one.id}`;
  const open = state.open === key;
  const source = response.activity?.find((each) => each.id === one.activitySource)?.knowledgeSourceName;
  const ranking = response.activity?.find((each) => each.selected);
  const score = el("span", {}, figure(response, `references.${place}.rerankerScore`, "score"));
  return el(
    "li",
    { class: "document", "data-document": one.docKey ?? null },
    el(
      "button",
      {
        type: "button",
        class: "row",
        "aria-expanded": String(open),
        "data-key": key,
        onclick: () => set({ open: open ? null : key, focus: null }),
      },
      el("span", { class: "rank" }, one.id),
      el(
        "span",
        { class: "name" },
        el("strong", { dir: "auto" }, titleOf(one)),
        el("small", { dir: "auto" }, [one.docKey, source].filter(Boolean).join(" · ")),
      ),
      score,
      !open && el("span", { class: "snippet", dir: "auto" }, short(plain(excerpt(response, one)), 260)),
      el(
        "span",
        { class: "chips" },
        ranking?.selected.includes(one.id) && el("span", { class: "chip" }, "selected by a model"),
        cited.has(one.docKey) && el("span", { class: "chip cited" }, "cited in the answer"),
      ),
    ),
    open && el("div", { class: "opened" }, members(one, `references.${place}`)),
  );
}

function record(one, place) {
  const key = `record ${place}`;
  const open = state.step === key;
  const asked = Object.entries(one).find(([name]) => name.endsWith("Arguments"))?.[1]?.search;
  const cells = [
    el("span", { class: "what" }, el("b", {}, STEPS[one.type] ?? "Search"), asked && ` “${short(asked, 70)}”`),
    el("span", { class: "chips" }, one.error && el("span", { class: "chip differs" }, "failed"), told(one)),
    el("span", { class: "ms" }, el("span", {}, time(one.elapsedMs))),
  ];
  const more = { class: "step record", "aria-expanded": String(open), "data-key": key };
  return el(
    "li",
    {},
    button(cells, () => set({ step: open ? null : key }), more),
    one.warning && !open && el("p", { class: "told" }, one.warning),
    open && members(one, `activity.${place}`),
  );
}

/** What a search found and dropped, as chips. */
function told(one) {
  const chips = Object.entries(one.dropped ?? {}).filter(([, count]) => count);
  return [
    one.count !== undefined && el("span", { class: "chip" }, `${one.count} found`),
    one.threshold && el("span", { class: "chip" }, `threshold ${one.threshold.value} (${one.threshold.setBy})`),
    chips.map(([reason, count]) => el("span", { class: "chip" }, `${count} ${REASONS[reason] ?? reason}`)),
  ];
}

/** Each member of a value, with its name and its value as it is in the response. */
function members(value, path) {
  if (value === null || typeof value !== "object" || !Object.keys(value).length)
    return el(
      "span",
      { "data-from": path, "data-form": "json", dir: "auto" },
      typeof value === "string" ? value : JSON.stringify(value),
    );
  return el(
    "dl",
    { class: "members" },
    Object.entries(value).map(([name, one]) => [el("dt", {}, name), el("dd", {}, members(one, `${path}.${name}`))]),
  );
}

function grounding(response) {
  const text = textOf(response);
  const label = documentsOf(response).length || text === "[]" ? "Grounding text" : "Written answer";
  const path = "response.0.content.0.text";
  return [
    el("h3", {}, label),
    el(
      "pre",
      {
        tabindex: "0",
        role: "group",
        "aria-label": label,
        class: "small",
        dir: "auto",
        "data-from": path,
        "data-form": "json",
      },
      text,
    ),
  ];
}

/** The call, which gives the same response wherever it is made. */
const call = ({ sent, response, error }) => [
  block("The same by curl", curl(sent), "curl"),
  requested(sent),
  block("The response", JSON.stringify(response ?? error, null, 2), "response"),
];

/** The fields that choose for each source of a base whether it is searched. A base with one source needs none. */
export function sourceFields(base, setting) {
  const sources = state.bases.find((one) => one.name === base)?.sources ?? [];
  const chosen = choices(setting);
  const options = { "": "usual", always: "always", never: "never (previews)" };
  const field = ({ name }) =>
    el(
      "label",
      {},
      name,
      el(
        "select",
        { "data-source": name },
        Object.entries(options).map(([value, label]) =>
          el("option", { value, selected: chosen.get(name) === value }, label),
        ),
      ),
    );
  return sources.length > 1 ? sources.map(field) : [];
}
