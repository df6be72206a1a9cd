/* The page: reads the form, asks, and hands what is told to the views. */

import "./waterfall.js";
import "./dropped.js";
import "./references.js";
import "./answer.js";
import "./evidence.js";
import "./result.js";
import "./copy.js";
import { ask } from "./ask.js";
import { summary } from "./compare.js";
import { copied, el, plural, short, time } from "./element.js";
import { bases, fields } from "./service.js";
import { isLocal, key, link, read } from "./state.js";

const at = (id) => document.getElementById(id);
const EFFORTS = { "": "as configured", auto: "auto: the least that suffices", minimal: "minimal: the question as it stands, no model", low: "low: a plan", medium: "medium: a plan, a judge, one follow-up" };
const SETTINGS = ["way", "mode", "effort", "threshold", "filter", "sources", "q"];
const EXAMPLES = ["Why is the street grid of Phoenix so sharply visible from space?", "Which fires and flares glow where no city is?", "How do satellites measure light at night?"];

let known = [];
let turns = [];
let preceding = [];
let seen = [];
let kinds = new Map();
let running = null;

const settings = () => ({
  ...Object.fromEntries(SETTINGS.map((name) => [name, at(name).value.trim()])),
  base: at("base").hidden ? at("base-name").value.trim() : at("base").value,
  below: at("below").checked ? "1" : "0",
  compare: at("compare").checked,
  other: { effort: at("b-effort").value, threshold: at("b-threshold").value, filter: at("b-filter").value.trim() },
});

function write(said) {
  for (const name of SETTINGS) at(name).value = said[name];
  at("below").checked = said.below === "1";
  at("compare").checked = said.compare;
  for (const [name, value] of Object.entries(said.other)) at(`b-${name}`).value = value;
}

/** What the base has; without the right to list, what the caller names. */
function sources({ base, sources: named }) {
  const found = known.find((one) => one.name === base)?.sources;
  return found ?? named.split(",").map((one) => one.trim()).filter(Boolean).map((name) => ({ name, kind: kinds.get(name) ?? "searchIndex" }));
}

async function connect(wanted) {
  const found = await bases().catch(() => ({ status: 0, value: [] }));
  known = found.value;
  const listed = known.length > 0;
  at("base").hidden = !listed;
  at("base-name").hidden = listed;
  at("sources-field").hidden = listed;
  at("base").replaceChildren(...known.map((one) => el("option", {}, one.name)));
  if (wanted && listed && !known.some((one) => one.name === wanted)) at("base").prepend(el("option", {}, wanted));
  if (wanted) (listed ? at("base") : at("base-name")).value = wanted;
  const said = { 0: "The service does not answer. Is it running?", 200: listed ? "" : "There is no knowledge base yet." };
  const asksOnly = found.status === 403 && /right to manage/.test(found.message);
  at("connection").textContent = asksOnly ? "This key may ask, but not list the bases: name yours." : said[found.status] ?? `The bases cannot be listed: ${found.message} Name yours, or enter another key.`;
  at("connection").classList.toggle("plain", asksOnly);
  at("sign-in").hidden = isLocal() || found.status !== 401;
  await help();
}

/** The fields that a filter may name, and filters by values that were seen. */
async function help() {
  const { base } = settings();
  const names = base ? await fields(base).catch(() => []) : [];
  at("fields").replaceChildren(...(names.length ? ["Fields: ", ...names.map((name) => el("button", { type: "button", class: "field-name", onclick: () => begin(name) }, name))] : []));
  const values = names.flatMap((name) => [...new Set(seen.map((one) => one.data[name]).filter((value) => typeof value === "string" || typeof value === "number"))].slice(0, 8).map((value) => `${name} eq ${typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : value}`));
  at("filters").replaceChildren(...values.map((value) => el("option", { value })));
}

function begin(name) {
  const field = at("filter");
  field.value = field.value ? `${field.value} and ${name} eq ` : `${name} eq `;
  field.focus();
}

/** What a version cannot state is off; the second side is there where two are compared. */
function arrange() {
  const { way, compare } = settings();
  at("mode").disabled = way !== "base";
  for (const id of ["effort", "b-effort"]) at(id).disabled = way !== "base";
  for (const id of ["threshold", "b-threshold"]) at(id).disabled = way === "agent";
  at("other").hidden = !compare;
  document.body.classList.toggle("comparing", compare);
}

/** A threshold or a filter is that of a source: one has to be named, or is known from an answer. */
function unnamed(said) {
  const lacking = said.way !== "answer" && (said.threshold !== "" || said.filter !== "") && !sources(said).length;
  at("progress").textContent = lacking ? "A threshold or a filter needs the names of the knowledge sources. Ask once without, or name them." : "";
  if (lacking) at("more").open = true;
  return lacking;
}

/** `before` are the turns that the question follows. */
async function submit(before = []) {
  if (at("ask").hidden) return;
  const said = settings();
  if (!said.base) return (at("base").hidden ? at("base-name") : at("base")).focus();
  if (!said.q) return at("q").focus();
  if (unnamed(said)) return at("sources").focus();
  history.replaceState(null, "", link(said));
  at("share").hidden = false;
  const asked = [...before, { role: "user", text: said.q }];
  preceding = before;
  at("results").classList.toggle("two", said.compare);
  running = new AbortController();
  busy(true);
  at("progress").textContent = "Asking…";
  const began = performance.now();
  const clock = setInterval(() => (at("clock").textContent = time(performance.now() - began)), 100);
  const sides = said.compare ? [["A", said], ["B", { ...said, ...said.other }]] : [["", said]];
  const shown = sides.map(() => document.createElement("play-result"));
  at("results").replaceChildren(...shown);
  try {
    const told = await Promise.all(sides.map(([title, of], place) => one(shown[place], title, of, asked)));
    finish(said, asked, told, shown);
  } finally {
    clearInterval(clock);
    at("clock").textContent = "";
    busy(false);
  }
}

async function one(result, title, said, asked) {
  result.begin({ title, settings: said, sources: sources(said), onuse: said.way === "agent" ? null : (threshold) => again(title, threshold) });
  let last;
  await ask(said, asked, sources(said), (told) => {
    last = told;
    result.show(told);
    if (!told.done) at("progress").textContent = progress(told);
  }, running.signal);
  learn(said, last);
  result.sources = sources(settings());
  if (said.below === "1") await result.below();
  return last;
}

function progress({ steps }) {
  const ended = steps.filter((step) => step.ms !== undefined).length;
  return steps.length ? `${ended} of ${plural(steps.length, "step")} done.` : "Asking…";
}

function finish(said, asked, told, shown) {
  if (told.length === 2) {
    shown.forEach((result, place) => result.compared(told[1 - place]));
    at("progress").textContent = summary(...told);
  } else at("progress").textContent = told[0].error ? "" : `Done: ${plural(told[0].references.length, "reference")}.`;
  document.querySelector("play-copy").show(said, asked, sources(said));
  if (told[0].error) return;
  turns = told[0].answer ? [...asked, { role: "assistant", text: told[0].answer }] : asked;
  at("follow").hidden = false;
  at("turns").replaceChildren(...turns.map((turn) => el("li", { class: turn.role }, short(turn.text, 200))));
}

/** Values and sources that an answer shows help with the next filter. */
function learn(said, told) {
  seen = [...told.references, ...seen].slice(0, 200);
  const searched = said.way === "answer" ? [] : told.steps.filter((step) => step.search);
  kinds = new Map(searched.map((step) => [step.search.source, step.search.kind]));
  if (!at("sources-field").hidden && !at("sources").value) at("sources").value = [...kinds.keys()].join(", ");
  help();
}

/** The same question with another threshold. */
function again(side, threshold) {
  at(side === "B" ? "b-threshold" : "threshold").value = threshold;
  submit(preceding);
}

function busy(is) {
  at("ask").hidden = is;
  at("stop").hidden = !is;
  at("results").setAttribute("aria-busy", String(is));
  if (document.activeElement === document.body || document.activeElement.hidden) at(is ? "stop" : "ask").focus({ preventScroll: true });
}

for (const id of ["effort", "b-effort"]) at(id).replaceChildren(...Object.entries(EFFORTS).map(([value, text]) => el("option", { value }, text)));
at("examples").replaceChildren(...EXAMPLES.map((text) => el("li", {}, el("button", { type: "button", class: "quiet", onclick: () => { at("q").value = text; submit(); } }, text))));
at("asking").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
at("asking").addEventListener("change", arrange);
at("q").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(); });
at("stop").addEventListener("click", () => running?.abort());
at("follow").addEventListener("click", () => submit(turns));
at("share").addEventListener("click", () => copied(at("share"), location.href));
at("base").addEventListener("change", help);
at("base-name").addEventListener("change", help);
at("access").addEventListener("submit", (event) => { event.preventDefault(); key.set(at("key").value.trim()); connect(settings().base); });

/** Does what a link says. */
async function follow() {
  const said = read();
  write(said);
  at("more").open = matchMedia("(min-width: 901px)").matches || said.compare;
  arrange();
  await connect(said.base);
  if (said.q) submit();
}

addEventListener("hashchange", follow);
at("key").value = key.get();
await follow();
