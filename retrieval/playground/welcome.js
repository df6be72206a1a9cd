/* The start of the page: chooses a base, suggests questions from its titles and values, and loads a finished run. */

import { button, el } from "./element.js";
import { search } from "./service.js";
import { isLocal, set, state } from "./state.js";

const SAMPLE = "earth-at-night";

/** The base that is chosen first. Any other base comes before the sample. */
export const chosen = (bases) => bases.find((one) => one.name !== SAMPLE)?.name ?? bases[0]?.name ?? "";

/** The finished run that explains the page. */
export const recorded = async () => (await import("./example.js")).default;

/** Suggests questions for the base, from one search. If a search is not free, the reader starts it with a button. */
export async function suggest(name, fields) {
  const base = state.bases.find((one) => one.name === name);
  const [found, names] = await Promise.all([base && search(base, "*").catch(() => null), fields]);
  if (state.base === name)
    set({
      suggestions: found
        ? questions(
            found.map((one) => one.sourceData ?? {}),
            names,
          )
        : [],
    });
}

function questions(documents, fields) {
  const titles = distinct(documents.map((one) => one.heading_path?.split(" > ").at(-1) || one.title)).filter(
    (one) => /\S\s\S/.test(one) && one.length < 60,
  );
  const spread = titles.filter((_, place) => place % Math.max(1, Math.floor(titles.length / 3)) === 0).slice(0, 3);
  const facet = repeated(documents, fields);
  const asked = spread.map((one) => `What does “${one}” say?`);
  return facet && asked.length ? [...asked.slice(0, 2), `What is there about ${facet}?`] : asked;
}

const distinct = (values) => [...new Set(values.filter((one) => typeof one === "string" && one))];

/** A value of a filterable field. Several documents have this value, but not all. */
function repeated(documents, fields) {
  for (const field of fields) {
    const values = documents
      .map((one) => one[field])
      .filter((one) => typeof one === "string" && /[^\d\W]{3}/.test(one));
    const found = values.find(
      (one) => values.filter((each) => each === one).length > 1 && values.some((each) => each !== one),
    );
    if (found) return found;
  }
  return null;
}

export function suggestions(questions, base, bases) {
  if (questions.length)
    return [
      el("p", { class: "help" }, `Ask ${base}:`),
      el(
        "ul",
        {},
        questions.map((one) =>
          el(
            "li",
            {},
            button(one, () => pick(one), { class: "link" }),
          ),
        ),
      ),
    ];
  if (isLocal() || !bases.length) return null;
  return button("Suggest questions: one ranked query", () => suggest(base, state.fields), { class: "quiet" });
}

const pick = (question) => document.dispatchEvent(new CustomEvent("picked", { detail: { question } }));
