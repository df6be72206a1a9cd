/* The plan and what became of it: each sub-query with what it found, what was returned, and what was dropped and why. */

import { card, el, plural, time } from "./element.js";

const REASONS = {
  threshold: "below the threshold", duplicate: "duplicates", limit: "over the limit of documents", excluded: "excluded by their words",
  filter: "outside the filter", error: "lost with an error", budget: "over the tokens of the grounding (still references)",
};

const HEADS = ["Sub-query", "Found", "Returned", "Dropped", "Time"];

class Dropped extends HTMLElement {
  show(told) {
    const searches = told.steps.filter((one) => one.search);
    if (!searches.length) return this.replaceChildren();
    const head = el("tr", {}, HEADS.map((one) => el("th", { scope: "col" }, one)));
    const table = el("table", {}, el("thead", {}, head), el("tbody", {}, searches.map((one) => row(one, told))));
    this.replaceChildren(card("The plan, and what became of it", sentence(told, searches), table, note(told)));
  }
}

function sentence(told, searches) {
  const by = { model: "A model planned", rules: "Rules planned" }[told.planner] ?? "Planned:";
  const follow = searches.filter((one) => one.kind === "follow").length;
  const failed = searches.filter((one) => one.error).length;
  const less = told.effort === "low" && ["auto", "medium"].includes(told.asked) ? ` was enough for ${told.asked}: there was nothing to follow up` : "";
  const effort = told.effort ? ` Effort: ${told.effort}${less}.` : "";
  return `${by} ${plural(searches.length - follow, "sub-query").replace(/querys$/, "queries")}${follow ? `, and ${follow} followed up` : ""}.${failed ? ` ${failed} failed; the results of the others are here.` : ""}${effort}`;
}

const note = (told) => told.warning && el("p", { class: "note" }, told.warning);

function row(one, told) {
  const { text, source, filter, found, dropped, kept, ranked } = one.search;
  const returned = kept ?? told.references.filter((each) => each.step === one.id).length;
  const lost = Object.entries(dropped).filter(([, count]) => count).map(([reason, count]) => el("li", {}, el("b", {}, String(count)), ` ${REASONS[reason] ?? reason}`));
  const what = el("th", { scope: "row" }, text, el("small", {}, `${one.kind === "follow" ? "follow-up in" : "in"} ${source}${ranked ? "" : ", without the ranker"}`, filter && el("code", {}, filter)), one.error && el("p", { class: "why" }, one.error.message ?? one.error.code));
  const cells = [found ?? "…", one.ms === undefined ? "…" : returned, lost.length ? el("ul", { class: "reasons" }, lost) : "none", one.ms === undefined ? "…" : time(one.ms)];
  return el("tr", { class: one.error ? "failed" : null }, what, cells.map((cell, place) => el("td", { "data-label": HEADS[place + 1] }, typeof cell === "number" ? String(cell) : cell)));
}

customElements.define("play-dropped", Dropped);
