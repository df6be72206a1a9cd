/* One answer, whole: its numbers, and every view of it. */

import { everything } from "./ask.js";
import { ranked } from "./told.js";
import { changes } from "./compare.js";
import { el, plural, time } from "./element.js";
import { find } from "./find.js";
import { spent } from "./prices.js";
import { thresholdOf } from "./scores.js";

const VIEWS = ["facts", "error", "play-answer", "play-evidence", "play-waterfall", "play-scores", "play-dropped", "play-references"];

class Result extends HTMLElement {
  /** `title` names the side where two are compared; `onuse` asks again with a threshold. */
  begin({ title, settings, sources, onuse }) {
    Object.assign(this, { settings, sources, onuse, all: null, told: null, other: null });
    this.views = Object.fromEntries(VIEWS.map((name) => [name, document.createElement(name.includes("-") ? name : "div")]));
    this.views.error.setAttribute("role", "alert");
    this.replaceChildren(...(title ? [el("h2", { class: "side" }, title)] : []), ...VIEWS.map((name) => this.views[name]));
  }

  /** What is known so far. */
  show(told) {
    this.told = told;
    this.threshold = thresholdOf(this.settings, told);
    this.views.facts.replaceChildren(facts(told));
    this.views.error.replaceChildren(...(told.error ? [failure(told.error)] : []));
    this.views["play-waterfall"].show(told);
    this.views["play-dropped"].show(told);
    if (!told.done || told.error) return;
    const jump = (...place) => this.views["play-references"].jump(...place);
    this.views["play-answer"].show(told, jump);
    this.views["play-evidence"].show(told, jump);
    this.scores();
    this.references();
  }

  /** Asks for the documents below the threshold too, and for no more than that. */
  async below() {
    const texts = ranked(this.told);
    if (this.told.error || !texts.length) return;
    const found = await everything(this.settings, texts, this.sources).catch(() => null);
    const kept = new Set(this.told.references.map((one) => one.key));
    this.all = found && [...this.told.references, ...found.filter((one) => !kept.has(one.key))];
    this.scores();
  }

  scores() {
    this.views["play-scores"].show(this.told, this.threshold, this.all, this.onuse);
  }

  references() {
    const { settings, told, threshold, sources } = this;
    const ask = (words) => find(words, { settings, told, threshold, all: this.all, sources }).catch(() => ["The service does not answer."]);
    this.views["play-references"].show(told, { find: ask, changes: this.other ? changes(told, this.other) : new Map() });
  }

  /** Marks what differs from another answer. */
  compared(other) {
    this.other = other;
    this.views.facts.replaceChildren(facts(this.told, other));
    if (!this.told.error) this.references();
  }
}

/** The numbers of an answer, and how they differ from another one's. */
function facts(told, other = null) {
  const [here, there] = [numbers(told), other && numbers(other)];
  const items = Object.entries(here).map(([name, value]) => el("div", { class: there && there[name] !== value ? "differs" : null }, el("dt", {}, name), el("dd", {}, value)));
  const ids = told.traceId ? el("p", { class: "ids" }, "Trace ", el("code", {}, told.traceId), told.requestId && [" · request ", el("code", {}, told.requestId)]) : null;
  return el("section", { class: "card facts" }, el("dl", {}, items), ids);
}

function numbers(told) {
  const cost = spent(told);
  return {
    Time: time(told.wall),
    Documents: plural(told.references.length, "reference"),
    Searches: plural(cost.searches, "search").replace(/searchs$/, "searches"),
    Model: cost.calls ? plural(cost.calls, "call") : "no call",
    Tokens: cost.calls ? `${cost.tokensIn.toLocaleString("en")} in, ${cost.tokensOut.toLocaleString("en")} out` : "none",
    Cost: `$${cost.dollars.toFixed(4)}`,
  };
}

function failure({ status, code, message, target, details }) {
  const hint = { 401: "Enter a key above.", 403: "Enter another key above; this one is not accepted, or may not do this.", 404: "Choose another base: this one is not here.", 429: "Wait a moment, and ask again." }[status];
  const away = code === "Away" && "Is it running? Ask again when it is: the question and the settings are kept.";
  const more = (details ?? []).filter((one) => one.message !== message).map((one) => el("li", {}, one.message));
  return el("section", { class: "card problem" }, el("h3", {}, code === "Stopped" ? "Stopped" : status ? `Refused with ${status} ${code}` : "No answer"), el("p", {}, message), more.length > 0 && el("ul", {}, more), target && el("p", {}, "At ", el("code", {}, target)), (hint || away) && el("p", { class: "note" }, hint || away));
}

customElements.define("play-result", Result);
