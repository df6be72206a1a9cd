/* The start of the page: chooses a base, suggests questions from its documents, and loads a finished run. */

import { button, el } from "./element.js";
import { suggested } from "./questions.js";
import { search } from "./service.js";
import { isLocal, set, state } from "./state.js";

const SAMPLE = "earth-at-night";

/** The base that is chosen first. Any other base comes before the sample. */
export const chosen = (bases) => bases.find((one) => one.name !== SAMPLE)?.name ?? bases[0]?.name ?? "";

/** The finished run that explains the page. */
export const recorded = async () => (await import("./example.js")).default;

/** Suggests questions for the base, from one search. If a search is not free, the reader starts it with a button. */
export async function suggest(name) {
  const base = state.bases.find((one) => one.name === name);
  const found = base && (await search(base, "*").catch(() => null));
  if (state.base === name) set({ suggestions: suggested((found ?? []).map((one) => one.sourceData ?? {})) });
}

export function suggestions({ questions, topics }, base, bases) {
  if (questions.length || topics.length)
    return [list(`Ask ${base}:`, questions), list(questions.length ? "Or a topic:" : `Topics of ${base}:`, topics)];
  if (isLocal() || !bases.length) return null;
  return button("Suggest questions: one ranked query", () => suggest(base), { class: "quiet" });
}

function list(label, texts) {
  const choices = texts.map((one) =>
    el(
      "li",
      {},
      button(one, () => pick(one), { class: "link" }),
    ),
  );
  return texts.length > 0 && el("div", {}, el("p", { class: "help" }, label), el("ul", {}, choices));
}

const pick = (question) => document.dispatchEvent(new CustomEvent("picked", { detail: { question } }));
