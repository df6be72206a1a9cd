/* How sure the judge is, if anybody judged: what the documents say, by which of them, and what is missing. */

import { card, el, plural } from "./element.js";

class Evidence extends HTMLElement {
  show(told, jump) {
    const { evidence } = told;
    if (!evidence) return this.replaceChildren();
    const points = (evidence.key_points ?? []).map((one) => el("li", {}, one.text, " ", numbers(one, told, jump)));
    this.replaceChildren(card("Evidence", sentence(evidence), meter(evidence.confidence), points.length > 0 && [el("h4", {}, "What the documents say"), el("ol", { class: "points" }, points)], questions("Still missing", evidence.missing_info_questions), questions("Followed up with", evidence.followup_queries)));
  }
}

const percent = (share) => `${Math.round(100 * share)} %`;

const sentence = ({ is_sufficient, confidence, confidence_kind }) => {
  if (confidence_kind === "calibrated") return `${is_sufficient ? "Enough" : "Perhaps enough"} for an answer, by the best score and this index's calibration: ${percent(confidence)}.`;
  if (is_sufficient === null) return "Nobody judged whether this is enough for an answer.";
  return `${is_sufficient ? "Enough" : "Not enough"} for an answer, judged by a model${confidence === undefined ? "." : `: confidence ${percent(confidence)}.`}`;
};

const meter = (share) => share !== undefined && el("div", { class: "meter", role: "img", "aria-label": `Confidence ${percent(share)}` }, el("span", { "--long": `${Math.round(100 * share)}%` }));

/** What of a part says where it is: a button for each chunk. */
const numbers = (point, told, jump) =>
  (point.chunk_ids ?? []).map((id) => {
    const place = told.references.findIndex((one) => one.chunk === id);
    const one = told.references[place];
    return one && el("button", { type: "button", class: "cite", "aria-label": `Evidence: reference ${place + 1}`, onclick: () => jump(one.id, point.text) }, String(place + 1));
  });

const questions = (title, found = []) => found.length > 0 && [el("h4", {}, `${title} (${plural(found.length, "part")})`), el("ul", {}, found.map((one) => el("li", {}, typeof one === "string" ? one : (one.question ?? one.query ?? one.text ?? ""))))];

customElements.define("play-evidence", Evidence);
