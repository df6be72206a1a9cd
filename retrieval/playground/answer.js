/* The answer with citations that jump to their place in the text; or the grounding text, where no answer was asked for. */

import { card, el, plural } from "./element.js";

const CITED = /\[ref_id:(\d+)\]/g;

class Answer extends HTMLElement {
  show(told, jump) {
    if (told.answer !== null) return this.replaceChildren(card("Answer", written(told), el("div", { class: "answer" }, told.citations.length ? labelled(told, jump) : numbered(told, jump))));
    if (!told.grounding) return this.replaceChildren();
    const tokens = Math.ceil(new TextEncoder().encode(told.grounding).length / 4);
    const grounded = told.references.filter((one) => one.grounded).length;
    const text = el("details", {}, el("summary", {}, `Read it: about ${tokens.toLocaleString("en")} tokens`), el("pre", { tabindex: "0", "aria-label": "Grounding text" }, told.grounding));
    this.replaceChildren(card("Grounding", `What your model would be given: ${grounded} of ${plural(told.references.length, "reference")}, whole, in this order.`, text));
  }
}

const written = (told) => (told.steps.some((one) => one.kind === "model" && one.label === "write the answer") ? "Written by a model from the references." : "Put together by rules from sentences of the references; no model was asked.");

/** Citations of retrieve: `[ref_id:0]`; what is quoted before one is marked in its document. */
function numbered({ answer }, jump) {
  const parts = [];
  let end = 0;
  for (const found of answer.matchAll(CITED)) {
    const before = answer.slice(end, found.index);
    const quotes = [...before.matchAll(/“([^”]+)”/g)];
    parts.push(before, cite(Number(found[1]) + 1, () => jump(found[1], quotes.at(-1)?.[1] ?? "")));
    end = found.index + found[0].length;
  }
  return [...parts, answer.slice(end)];
}

/** Citations of the answer operation: `[source]`, each with the range that it was checked against. */
function labelled({ answer, citations, references }, jump) {
  const parts = [];
  const left = [...citations];
  let end = 0;
  for (const label of answer.matchAll(/\[([^\]\n]{3,400})\]/g)) {
    const place = left.findIndex((one) => one.source === label[1].replaceAll("`", ""));
    if (place < 0) continue;
    const [one] = left.splice(place, 1);
    const number = references.findIndex((each) => each.chunk === one.chunk_id);
    if (number < 0) continue;
    parts.push(answer.slice(end, label.index), cite(number + 1, () => jump(references[number].id, "", one.start, one.end)));
    end = label.index + label[0].length;
  }
  return [...parts, answer.slice(end)];
}

const cite = (number, onclick) => el("button", { type: "button", class: "cite", "aria-label": `Citation: reference ${number}`, onclick }, String(number));

customElements.define("play-answer", Answer);
