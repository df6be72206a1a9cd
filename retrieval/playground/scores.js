/* Each document's score as a mark on the scale from 0 to 4, with the threshold to drag: what would go or stay. */

import { card, el, plural, short } from "./element.js";

const HIGHEST = 4;
const COLUMNS = 80;
const NAMED = 6;

/** The threshold of a call: what was asked for, or what its searches say that they dropped below, or the default. */
export function thresholdOf(settings, told) {
  if (settings.threshold !== "") return Number(settings.threshold);
  const said = told.steps.map((one) => /threshold of ([\d.]+\d|\d)/.exec(one.warning ?? "")?.[1]).find(Boolean);
  return said === undefined ? (settings.way === "answer" ? 0 : 2.5) : Number(said);
}

class Scores extends HTMLElement {
  /** `all` are the documents with and without the threshold; null where only references are known. */
  show(told, threshold, all, onuse) {
    const kept = new Set(told.references.map((one) => one.key));
    const marks = (all ?? told.references).filter((one) => one.score !== null);
    const unranked = told.references.filter((one) => one.score === null).length;
    if (!marks.length) return this.replaceChildren();
    this.marks = marks.sort((a, b) => b.score - a.score);
    this.threshold = threshold;
    this.kept = kept;
    this.onuse = onuse;
    this.said = el("p", { class: "said", "aria-live": "polite" });
    this.list = el("ul", { class: "moved" });
    this.line = el("span", { class: "line" });
    this.use = el("button", { type: "button", class: "quiet", hidden: true, onclick: () => onuse(this.slider.value) });
    this.slider = el("input", { type: "range", min: 0, max: HIGHEST, step: 0.05, "aria-label": "Threshold", oninput: () => this.drag() });
    this.slider.value = threshold;
    const scale = [0, 1, 2, 3, 4].map((one) => el("span", { "--from": `${25 * one}%` }, String(one)));
    const plot = el("div", { class: "plot" }, el("div", { class: "marks" }, this.dots(), this.line), this.slider);
    const legend = el("ul", { class: "legend" }, el("li", { class: "kept" }, "returned"), el("li", { class: "below" }, "found, below the threshold"), el("li", { class: "other" }, "found, dropped for another reason"));
    const note = unranked ? el("p", { class: "note" }, `${plural(unranked, "document")} came without a score: the ranker was away.`) : null;
    this.replaceChildren(card("What a threshold would bring", this.sentence(), plot, el("div", { class: "scale", "aria-hidden": "true" }, scale), legend, this.said, this.list, this.use, note));
    this.drag();
  }

  sentence() {
    const best = this.marks[0].score;
    return `${plural(this.marks.length, "document")} with scores from ${this.marks.at(-1).score.toFixed(2)} to ${best.toFixed(2)}; the threshold was ${this.threshold}. Drag the line, or use the arrow keys.`;
  }

  /** Marks of one column are stacked. */
  dots() {
    const height = new Map();
    return this.marks.map((one) => {
      const column = Math.round((one.score / HIGHEST) * COLUMNS);
      const up = height.get(column) ?? 0;
      height.set(column, up + 1);
      const state = this.kept.has(one.key) ? "kept" : one.score < this.threshold ? "below" : "other";
      one.mark = el("i", { class: state, "--from": `${(100 * column) / COLUMNS}%`, "--up": String(Math.min(up, 11)), title: `${one.score.toFixed(2)} ${short(one.title, 60)}` });
      return one.mark;
    });
  }

  drag() {
    const at = Number(this.slider.value);
    this.line.style.setProperty("--from", `${(100 * at) / HIGHEST}%`);
    this.slider.setAttribute("aria-valuetext", `${at.toFixed(2)} of 4`);
    const stays = (one) => (one.score >= this.threshold ? this.kept.has(one.key) && one.score >= at : one.score >= at);
    const comes = this.marks.filter((one) => !this.kept.has(one.key) && stays(one));
    const goes = this.marks.filter((one) => this.kept.has(one.key) && !stays(one));
    for (const one of this.marks) one.mark.classList.toggle("out", !stays(one));
    const count = this.marks.filter(stays).length;
    const change = comes.length ? `${comes.length} more than now` : goes.length ? `${goes.length} fewer than now` : "as now";
    this.said.textContent = `At ${at.toFixed(2)}: ${plural(count, "document")}, ${change}.`;
    const moved = [...comes.map((one) => ["+", one]), ...goes.map((one) => ["−", one])];
    const lines = moved.slice(0, NAMED).map(([sign, one]) => el("li", { class: sign === "+" ? "comes" : "goes" }, `${sign} ${one.score.toFixed(2)} `, short(one.title)));
    if (moved.length > NAMED) lines.push(el("li", {}, `and ${moved.length - NAMED} more`));
    this.list.replaceChildren(...lines);
    this.use.hidden = !this.onuse || at === this.threshold;
    this.use.textContent = `Ask again with ${at.toFixed(2)}`;
  }
}

customElements.define("play-scores", Scores);
