/* What stayed, as a list that opens; and the answer to "why is my document not there?". */

import { card, el, plural, short } from "./element.js";

class References extends HTMLElement {
  /** `find` asks where a document is; it gives a sentence. `changes` marks what differs from another answer, by key. */
  show(told, { find, changes = new Map() }) {
    this.rows = new Map();
    const rows = told.references.map((one, place) => this.row(one, place, changes.get(one.key)));
    const sentence = told.references.length ? `${plural(told.references.length, "document")}. Open one to read it.` : null;
    const list = told.references.length ? el("ol", { class: "references" }, rows) : el("p", { class: "empty" }, nothing(told));
    this.replaceChildren(card("References", sentence, list, search(find)));
  }

  row(one, place, change) {
    const text = el("div", { class: "text" });
    const score = el("span", { class: "score" }, one.score === null ? "—" : one.score.toFixed(2));
    const title = el("summary", {}, el("span", { class: "rank" }, String(place + 1)), score, el("span", { class: "title" }, short(one.title, 110)), change && el("span", { class: `change ${change.kind}` }, change.text));
    const details = el("details", { ontoggle: () => details.open && !text.firstChild && this.write(one, text) }, title, text);
    const item = el("li", {}, details);
    this.rows.set(one.id, { one, details, text });
    return item;
  }

  write(one, text, from = 0, to = 0) {
    const found = one.text ?? "";
    const marked = to > from ? [found.slice(0, from), el("mark", {}, found.slice(from, to)), found.slice(to)] : [found];
    const more = Object.entries(one.data).filter(([, value]) => value !== one.text && value !== one.title && value !== null);
    const fields = more.length ? el("dl", {}, more.map(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "string" ? value : JSON.stringify(value))])) : null;
    const key = el("p", { class: "key" }, el("code", {}, one.key), one.rationale && ` · ${one.rationale}`, one.grounded === false && " · not in the grounding text: over its budget");
    text.replaceChildren(key, el("p", { class: "words" }, marked), fields ?? "");
  }

  /** Opens a reference at a place in its text, and goes there. */
  jump(id, quote = "", from = 0, to = 0) {
    const row = this.rows?.get(id);
    if (!row) return;
    const at = quote ? row.one.text.indexOf(quote) : -1;
    this.write(row.one, row.text, at >= 0 ? at : from, at >= 0 ? at + quote.length : to);
    row.details.open = true;
    const goal = row.text.querySelector("mark") ?? row.details;
    row.details.querySelector("summary").focus({ preventScroll: true });
    goal.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }
}

function nothing(told) {
  const searches = told.steps.filter((one) => one.search);
  const found = searches.reduce((sum, one) => sum + (one.search.found ?? 0), 0);
  if (!searches.length) return "Nothing was searched.";
  if (!found) return "The sub-queries found no document at all. Is the index empty, or does the filter take everything away?";
  return `${plural(found, "document")} came, and none was good enough. Drag the threshold above to see what a lower one would bring.`;
}

function search(find) {
  const input = el("input", { type: "search", "aria-label": "A document's key, or words of its title", placeholder: "A key, or words of its title" });
  const verdict = el("div", { class: "verdict", "aria-live": "polite" });
  const look = async (event) => {
    event.preventDefault();
    if (!input.value.trim()) return;
    verdict.replaceChildren("Looking…");
    verdict.replaceChildren(...(await find(input.value.trim())).map((line) => el("p", {}, line)));
  };
  return el("form", { class: "find", onsubmit: look }, el("h4", {}, "Why is my document not there?"), el("div", { class: "line-up" }, input, el("button", { type: "submit", class: "quiet" }, "Find out")), verdict);
}

customElements.define("play-references", References);
