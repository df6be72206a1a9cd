/* How sure the judge is, part by part: what the documents say, by which of them, and what is missing. */

import { card, el, plural } from "./element.js";

class Evidence extends HTMLElement {
  show(told, jump) {
    const { evidence } = told;
    if (!evidence) return this.replaceChildren();
    const percent = Math.round(100 * evidence.confidence);
    const sentence = `${evidence.is_sufficient ? "Enough" : "Not enough"} for an answer, judged by ${evidence.by === "model" ? "a model" : "rules"}: confidence ${percent} %.`;
    const meter = el("div", { class: "meter", role: "img", "aria-label": `Confidence ${percent} %` }, el("span", { "--long": `${percent}%` }));
    const parts = (evidence.parts ?? []).map((one) => el("li", { class: one.is_answered ? "there" : "lacking" }, el("b", {}, one.is_answered ? "Answered: " : "Not answered: "), one.text, " ", numbers(one, told, jump)));
    const points = (evidence.key_points ?? []).map((one) => el("li", {}, one.text, " ", numbers(one, told, jump)));
    this.replaceChildren(card("Evidence, part by part", sentence, meter, parts.length > 1 && [el("h4", {}, "What was asked"), el("ul", {}, parts)], el("h4", {}, "What the documents say"), el("ol", { class: "points" }, points), signals(evidence.signals), questions("Still missing", evidence.missing_info_questions), questions("Followed up with", evidence.followup_queries)));
  }
}

/** What of a part says where it is: a button for each chunk. */
const numbers = (point, told, jump) =>
  (point.chunk_ids ?? []).map((id) => {
    const place = told.references.findIndex((one) => one.chunk === id);
    const one = told.references[place];
    return one && el("button", { type: "button", class: "cite", "aria-label": `Evidence: reference ${place + 1}`, onclick: () => jump(one.id, point.text) }, String(place + 1));
  });

/** What the rules' confidence comes from. */
const signals = (found) => Object.keys(found ?? {}).length > 0 && el("details", {}, el("summary", {}, "What the confidence comes from"), el("dl", { class: "signals" }, Object.entries(found).map(([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, String(value))])));

const questions = (title, found = []) => found.length > 0 && [el("h4", {}, `${title} (${plural(found.length, "part")})`), el("ul", {}, found.map((one) => el("li", {}, typeof one === "string" ? one : (one.question ?? one.query ?? one.text ?? ""))))];

customElements.define("play-evidence", Evidence);
