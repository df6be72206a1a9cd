/* Connects the parts of the page with the state. Each view shows a part of the state. */

import { code } from "./code.js";
import { against, comparison } from "./compare.js";
import { conversation } from "./conversation.js";
import { documents } from "./documents.js";
import { el } from "./element.js";
import { read } from "./link.js";
import { prices } from "./money.js";
import { retrieved, sourceFields } from "./retrieved.js";
import { answer, ask, example, given, retrieve, stop } from "./run.js";
import { bases, fields, warnings } from "./service.js";
import { CLOSED, describe, isLocal, key, OF_CALL, runOf, set, state, view, watch } from "./state.js";
import { steps } from "./steps.js";
import { chosen, recorded, suggest, suggestions } from "./welcome.js";

const at = (id) => document.getElementById(id);
const TABS = ["documents", "steps", "code", "retrieve"];
const isWorking = (run) => run.phase === "working" || run.retrieved?.phase === "working";
const working = () => state.runs.some(isWorking);

const shown = () => runOf(state.shown);

/** Whether a question was asked in this conversation. */
const asked = () => state.runs.some((run) => run.conversation === state.conversation);

function draw() {
  view(at("turns"), (one) => [one.runs, one.shown, one.pinned, one.prices, one.bases], conversation);
  view(
    at("suggestions"),
    (one) => [one.suggestions, one.base, one.bases, asked()],
    (found, base, listed, any) => (any ? [] : suggestions(found, base, listed)),
  );
  view(
    at("compared"),
    (one) => [shown(), runOf(one.pinned)],
    (run, pinned) => run && pinned && comparison(run, pinned),
  );
  view(
    at("panel"),
    (one) => [shown(), one.tab, one.pinned, one.language, ...Object.keys(CLOSED).map((name) => one[name])],
    panel,
  );
  watch(
    (one) => [one.tab, one.shown],
    () => (at("panel").scrollTop = 0),
  );
  watch(
    (one) => [one.open, one.focus],
    () => document.querySelector(".row[aria-expanded=true]")?.scrollIntoView({ block: "nearest" }),
  );
  watch((one) => [one.runs, one.tab, one.sheet, one.conversation], arrange);
  watch((one) => [one.mode], switchMode);
  view(
    at("sources"),
    (one) => [one.base, one.bases],
    (base) => sourceFields(base, state.sources),
  );
  watch(
    ({ runs }) => [runs.at(-1)?.id, runs.at(-1)?.phase, runs.at(-1)?.text, runs.at(-1)?.retrieved?.phase],
    () => follow(state.runs.at(-1)),
  );
  view(
    at("about"),
    () => [shown()],
    (run) => (run ? `About “${run.question}”` : "Ask, and see here what happened."),
  );
}

const top = (node) => node.getBoundingClientRect().top;
let placed = null;

/** Scrolls to a new turn, until the turn begins at the top or is complete. After that, only the reader scrolls. */
function follow(run) {
  if (!["working", "done", "failed", "unanswered"].includes(run?.phase) || placed === run.id) return;
  const turn = at("turns").lastElementChild;
  turn.scrollIntoView({ block: "start" });
  if (!isWorking(run) || top(turn) < top(at("scroll")) + 24) placed = run.id;
}

function panel(run, tab, pinned, language) {
  if (!run || run.phase === "given")
    return el("p", { class: "empty" }, run ? "This turn came with a link; how it was answered is not in it." : "");
  if (tab === "retrieve") return retrieved(run);
  if (run.phase === "unanswered" && tab !== "code")
    return el("p", { class: "empty" }, "Only retrieve was called for this turn: Retrieve has the response.");
  if (tab === "documents") return documents(run, against(run, pinned));
  return tab === "steps" ? steps(run, against(run, pinned)) : code(run, language);
}

/** Updates fields, buttons and tabs from the state. */
function arrange() {
  const busy = working();
  at("ask").hidden = busy;
  at("stop").hidden = !busy;
  for (const tab of TABS) {
    at(`tab-${tab}`).setAttribute("aria-selected", String(state.tab === tab));
    at(`tab-${tab}`).tabIndex = state.tab === tab ? 0 : -1;
  }
  at("panel").setAttribute("aria-labelledby", `tab-${state.tab}`);
  document.body.classList.toggle("sheet", state.sheet);
  at("fresh").hidden = !asked();
}

async function connect(wanted) {
  const found = await bases().catch(() => ({ status: 0, value: [] }));
  const base = wanted || chosen(found.value);
  set({ bases: found.value, base });
  const names = [...new Set([...found.value.map((one) => one.name), ...(wanted ? [wanted] : [])])];
  const listed = found.value.length > 0;
  at("base").hidden = !listed;
  at("base-name").hidden = listed;
  at("base").replaceChildren(...names.map((name) => el("option", {}, name)));
  (listed ? at("base") : at("base-name")).value = base;
  const said = {
    0: "The service does not answer.",
    200: listed ? "" : "There is no knowledge base yet.",
    403: "This key may not list the bases: name yours.",
  };
  at("connection").textContent = said[found.status] ?? `The bases cannot be listed: ${found.message}`;
  at("sign-in").hidden = isLocal() || found.status !== 401;
  warn(await warnings().catch(() => []));
  await about(base);
}

/** Shows what was left out of the files that were loaded. */
function warn(found) {
  at("warnings").hidden = !found.length;
  at("left-out").replaceChildren(...found.map((one) => el("li", { dir: "auto" }, one)));
}

/** Reads the fields of the base for filters. On the local host, also suggests questions, because a search is free. */
async function about(base) {
  set({ fields: [], suggestions: { questions: [], topics: [] } });
  const naming = base ? fields(base).catch(() => []) : [];
  if (isLocal() && state.bases.length) suggest(base);
  const names = await naming;
  if (state.base !== base) return;
  set({ fields: names });
  at("fields").textContent = names.length ? `Fields: ${names.join(", ")}` : "";
}

/** Changes the base, and begins a new conversation. No earlier turn is sent to the new base. */
async function choose(base) {
  set({ base, sources: "", conversation: state.conversation + 1 });
  await about(base);
}

/** Shows the settings that have a value in the heading of the form. */
function summarise() {
  const said = describe(settings());
  at("summary").textContent = said.length ? `Settings: ${said.join(", ")}` : "Settings";
}

/** The settings of the call `mode`, as texts. */
const settings = (mode = state.mode) => Object.fromEntries(OF_CALL[mode].map((name) => [name, setting(name)]));

const setting = (name) => (name === "sources" ? chosenSources() : at(name).value.trim());

const chosenSources = () =>
  [...document.querySelectorAll("[data-source]")]
    .filter((one) => one.value)
    .map((one) => `${one.dataset.source}:${one.value}`)
    .join(",");

/** Shows the fields of the next call. Hidden fields are disabled, so that no wrong value stops the form. */
function switchMode(mode) {
  for (const node of document.querySelectorAll("[data-mode]")) {
    node.hidden = node.dataset.mode !== mode;
    for (const field of node.querySelectorAll("input, select")) field.disabled = node.hidden;
  }
  at("composer").elements.mode.value = mode;
  summarise();
}

/** A question that is asked before the bases are listed waits for them. */
let connecting = Promise.resolve();
const connected = (wanted) => (connecting = connect(wanted));

async function submit() {
  if (!state.base) await connecting;
  const question = at("question").value.trim();
  if (working()) return;
  if (!state.base) return at("base").hidden ? at("base-name").focus() : at("base").focus();
  if (!question || !at("composer").reportValidity()) return at("question").focus();
  at("question").value = "";
  await ask({ base: state.base, question, settings: settings(), mode: state.mode });
  const run = shown();
  if (run?.phase === "failed" || run?.retrieved?.phase === "failed") at("question").value ||= question;
  at("question").focus({ preventScroll: true });
}

function listen() {
  at("composer").addEventListener("submit", (event) => (event.preventDefault(), submit()));
  at("question").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  at("more").addEventListener("input", summarise);
  at("mode").addEventListener("change", ({ target }) => set({ mode: target.value }));
  at("stop").addEventListener("click", stop);
  at("base").addEventListener("change", () => choose(at("base").value));
  at("base-name").addEventListener("change", () => choose(at("base-name").value.trim()));
  at("fresh").addEventListener("click", () => (set({ conversation: state.conversation + 1 }), at("question").focus()));
  at("key").addEventListener("input", () => key.set(at("key").value.trim()));
  at("access").addEventListener(
    "submit",
    (event) => (event.preventDefault(), key.set(at("key").value.trim()), connected(state.base)),
  );
  at("close").addEventListener("click", () => set({ sheet: false }));
  for (const name of TABS) at(`tab-${name}`).addEventListener("click", () => set({ tab: name, sheet: true }));
  at("tabs").addEventListener("keydown", turn);
  document.addEventListener("keydown", (event) => event.key === "Escape" && state.sheet && set({ sheet: false }));
  document.addEventListener("picked", ({ detail }) => ((at("question").value = detail.question), submit()));
  document.addEventListener("again", ({ detail }) => again(detail));
  document.addEventListener("beside", ({ detail }) => beside(detail));
}

/** Asks the question of the shown run again, with a changed setting. */
function again(changed) {
  const run = shown();
  if (!working())
    ask({ base: run.base, question: run.question, settings: { ...run.settings, ...changed } }, run.before);
}

/** Makes the other call for the question of a run, with the run's own threshold and filter. */
function beside({ id, call, changed }) {
  if (working()) return;
  const run = runOf(id);
  set({ ...CLOSED, shown: id, ...(call === "retrieve" && { tab: "retrieve", sheet: true }) });
  if (call === "answer") return answer(id);
  const { threshold = "", filter = "" } = run.settings;
  const sources = run.base === state.base ? chosenSources() : "";
  return retrieve(id, { ...settings("retrieve"), sources, ...run.retrieved?.settings, threshold, filter, ...changed });
}

/** Arrow keys go from tab to tab. */
function turn(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const tab = TABS[(TABS.indexOf(state.tab) + by + TABS.length) % TABS.length];
  set({ tab });
  at(`tab-${tab}`).focus();
}

/** Gives a field the value of a link. A version or a source that is not offered here stays as it is. */
function fill(name, value) {
  if (name === "sources") return;
  const field = at(name);
  if (field.options && ![...field.options].some((one) => one.value === value)) return;
  field.value = value;
}

async function begin() {
  const said = read();
  for (const [name, value] of Object.entries(said.settings)) fill(name, value);
  set({ mode: said.mode, sources: said.settings.sources });
  at("key").value = key.get();
  at("prices").replaceChildren(...prices().flat());
  listen();
  draw();
  const runs = said.before.flatMap((one, place, all) =>
    one.role === "user" ? [given(said.base, one.text, all[place + 1]?.text ?? "")] : [],
  );
  if (!said.question) {
    const found = await recorded().catch(() => null);
    if (found) runs.push(example(found));
    set({ runs, shown: runs.at(-1)?.id ?? null });
  } else set({ runs });
  await connected(said.base);
  if (said.question) {
    at("question").value = said.question;
    await submit();
  }
}

begin();
