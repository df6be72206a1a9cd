/* The threshold of the run, and the effect of another threshold on its documents. */

import { button, el } from "./element.js";
import { computed, figure, score } from "./figure.js";
import { set } from "./state.js";

/** The threshold, if all ranked searches had the same one; null otherwise. */
export function thresholdOf({ explained }) {
  const found = new Set(explained.searches.filter((one) => one.ranked).map((one) => one.threshold));
  return found.size === 1 ? [...found][0] : null;
}

/** Whether a document passes the threshold `at`. A document without a score always passes. */
const passes = (one, at) => one.score === null || one.score >= at;

/** The effect of another threshold on a document. A document with another drop reason stays dropped. */
export function fate(one, at, threshold) {
  if (threshold === null || at === threshold) return "";
  if (one.reason === "threshold") return passes(one, at) && "would pass";
  return one.chunk_id && !passes(one, at) && "would go";
}

/** The highest threshold of the slider at which a document passes. */
export const passing = (one) => computed("passing", score(Math.floor(one.score * 20) / 20));

/** The line above the documents below the threshold, with a slider. `most` is the most documents that are selected. */
export function line(run, threshold, at, most) {
  if (threshold === null)
    return el("div", { class: "line" }, el("p", {}, "Threshold –: the searches had none, or different ones."));
  const move = (event) => set({ slider: Number(event.target.value) });
  const again = () => document.dispatchEvent(new CustomEvent("again", { detail: { threshold: String(at) } }));
  const first = run.answer.explained.searches.findIndex((one) => one.ranked);
  return el(
    "div",
    { class: "line" },
    el(
      "label",
      { for: "slider" },
      "Threshold ",
      figure(run.answer, `explained.searches.${first}.threshold`, "score"),
      " in force",
    ),
    el("input", {
      id: "slider",
      "data-key": "slider",
      type: "range",
      min: 0,
      max: 4,
      step: 0.05,
      value: at,
      oninput: move,
    }),
    el("p", { role: "status" }, at === threshold ? now(run, threshold) : then(run.answer, at, threshold, most)),
    at !== threshold &&
      el(
        "span",
        { class: "buttons" },
        button(["Ask again with ", computed("at", score(at))], again, { "data-key": "again", class: "quiet" }),
        button("Back", () => set({ slider: null }), { "data-key": "back", class: "quiet" }),
      ),
  );
}

function now({ answer }, threshold) {
  if (!threshold) return "It is the lowest there is, and drops nothing. A higher one would.";
  const below = answer.explained.documents.filter((one) => one.reason === "threshold").length;
  const hint = "Move it to see what another would do.";
  const were = below === 1 ? "was" : "were";
  return below ? [computed("below", below), ` ${were} below it. ${hint}`] : `Nothing was below it. ${hint}`;
}

/** The effect of another threshold on the numbers of passing and of selected documents. */
function then({ explained, selected }, at, threshold, most) {
  const fates = explained.documents.map((one) => [fate(one, at, threshold), one]);
  const come = fates.filter(([would]) => would === "would pass").length;
  const gone = new Set(fates.filter(([would]) => would === "would go").map(([, one]) => one.chunk_id));
  const here = ["At ", computed("at", score(at)), ": "];
  const same = ", if the same sub-queries are searched.";
  const [count, chosen] = [computed("selected", selected.length), selected.filter((one) => gone.has(one.id)).length];
  if (come) {
    const kept = explained.documents.filter((one) => one.chunk_id).length;
    const then = computed("then", Math.min(most, kept + come));
    return [here, computed("come", come), " more would pass; selected are ", count, " now, then at most ", then, same];
  }
  if (!gone.size) return [here, "the same documents", same];
  const others = gone.size - chosen;
  return [
    here,
    computed("chosen", chosen),
    " of the ",
    count,
    " selected would be dropped",
    others > 0 && [", and ", computed("others", others), " that were not selected"],
    same,
  ];
}
