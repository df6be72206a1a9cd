/* The answer with citations that jump to their place in the text; or the grounding text, where no answer was asked for. */

import { card, el, plural } from "./element.js";

const CITED = /\[ref_id:(\d+)\]/g;

class Answer extends HTMLElement {
  show(told, jump) {
    if (told.answer !== null) return this.replaceChildren(card("Answer", written(told), el("div", { class: "answer" }, told.citations.length ? listed(told, jump) : numbered(told, jump))));
    if (!told.grounding) return this.replaceChildren();
    const tokens = Math.ceil(new TextEncoder().encode(told.grounding).length / 4);
    const grounded = told.references.filter((one) => one.grounded).length;
    const text = el("details", {}, el("summary", {}, `Read it: about ${tokens.toLocaleString("en")} tokens`), el("pre", { tabindex: "0", "aria-label": "Grounding text" }, told.grounding));
    this.replaceChildren(card("Grounding", `What your model would be given: ${grounded} of ${plural(told.references.length, "reference")}, whole, in this order.`, text));
  }
}

const written = (told) => (told.steps.some((one) => one.kind === "model" && one.label === "write the answer") ? "Written by a model from the references." : "The best passages of the references, read by nobody; no model was asked.");

/** Citations of retrieve: `[ref_id:0]`; the passage after one, or what is quoted before it, is marked in its document. */
function numbered({ answer }, jump) {
  const parts = [];
  let end = 0;
  for (const found of answer.matchAll(CITED)) {
    const before = answer.slice(end, found.index);
    const quotes = [...before.matchAll(/“([^”]+)”/g)];
    end = found.index + found[0].length;
    const passage = answer.slice(end).match(/^\n\n> (.+)/);
    parts.push(before, cite(Number(found[1]) + 1, () => jump(found[1], (passage ?? quotes.at(-1))?.[1] ?? "")));
  }
  return [...parts, answer.slice(end)];
}

/** Citations of the answer operation: `[1]`, the first of its sources, but not in code; to what is quoted before it. */
function listed({ answer, citations, sources, references }, jump) {
  const parts = [];
  const left = [...citations];
  let end = 0;
  for (const found of answer.matchAll(/\\.|(`{3,})\n[^]*?\n\1|`[^`\n]+`|\[(\d+)\]/g)) {
    const source = sources[found[2] - 1];
    const cited = left.filter((one) => one.source === source);
    const before = answer.slice(end, found.index);
    const one = cited.find((each) => each.quote && before.includes(each.quote)) ?? cited[0];
    const reference = references.find((each) => each.chunk === one?.chunk_id);
    if (!reference) continue;
    if (cited.length > 1) left.splice(left.indexOf(one), 1);
    parts.push(before, cite(found[2], () => jump(reference.id, "", one.start, one.end), source));
    end = found.index + found[0].length;
  }
  return [...parts, answer.slice(end)];
}

const cite = (number, onclick, name = `reference ${number}`) => el("button", { type: "button", class: "cite", "aria-label": `Citation: ${name}`, onclick }, String(number));

customElements.define("play-answer", Answer);
