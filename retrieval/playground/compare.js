/* Compares a run with the pinned run: settings, times, and ranks of documents. */

import { button, el, short } from "./element.js";
import { computed, time } from "./figure.js";
import { runOf, set } from "./state.js";

const read = (run) => run.answer.explained.documents.filter((one) => one.chunk_id);

const keyed = (one) => `${one.index} ${one.doc_key}`;

const ranks = (run) => new Map(read(run).map((one, place) => [keyed(one), place + 1]));

/** Makes a function that shows the rank of a document in the pinned run. */
export function ranking(run, pinned) {
  const [here, there] = [ranks(run), ranks(pinned)];
  return (one) => {
    const [rank, other] = [here.get(keyed(one)), there.get(keyed(one))];
    if (!rank && !other) return null;
    const moved = !rank || !other ? "differs" : rank === other ? "" : "moved";
    return el(
      "span",
      { class: `chip ${moved}`, "data-there": other ?? "" },
      other ? `pinned: ${other}` : "not in the pinned run",
    );
  };
}

/** The documents that were kept in the pinned run, and that this run did not find. */
export function missingHere(run, pinned) {
  const here = new Set(run.answer.explained.documents.map(keyed));
  const gone = read(pinned)
    .map((one, place) => ({ one, place }))
    .filter(({ one }) => !here.has(keyed(one)));
  if (!gone.length) return null;
  const row = ({ one, place }) =>
    el(
      "li",
      { class: "document dropped" },
      el(
        "p",
        { class: "row" },
        el("span", { class: "rank" }),
        el(
          "span",
          { class: "name" },
          el("strong", { dir: "auto" }, one.title),
          el("small", { dir: "auto" }, one.source),
        ),
        el("span", { class: "chips" }, el("span", { class: "chip differs" }, `pinned: ${place + 1}`)),
      ),
    );
  return [el("h3", {}, "Only in the pinned run"), el("ol", { class: "documents" }, gone.map(row))];
}

/** The line about the pinned run, with the differences between the two runs. */
export function comparison(run, pinned) {
  const said =
    run.id === pinned.id
      ? "This run is pinned. The next one is shown against it."
      : [el("strong", {}, "Against the pinned run: "), `“${short(pinned.question, 60)}” `, differences(run, pinned)];
  const unpin = button("Unpin", () => set({ pinned: null }), { class: "quiet", "data-key": "unpin" });
  return el("div", { class: "comparison" }, el("p", {}, said), unpin);
}

function differences(run, pinned) {
  const names = new Set([...Object.keys(run.settings), ...Object.keys(pinned.settings)]);
  const said = [...names]
    .filter((name) => (run.settings[name] ?? "") !== (pinned.settings[name] ?? ""))
    .map((name) => `${name} ${pinned.settings[name] || "–"} → ${run.settings[name] || "–"}`);
  if (run.base !== pinned.base) said.unshift(`base ${pinned.base} → ${run.base}`);
  const took = ({ clock }) => computed("total", time(clock.total));
  const settings = said.length > 0 && [el("em", {}, said.join(", ")), ". "];
  return [settings, "It took ", took(pinned), ", this one ", took(run), "."];
}

/** The pinned run; null if it is this run, or if one of the two has no answer. */
export function against(run, id) {
  const pinned = runOf(id);
  return pinned?.answer && run?.answer && pinned.id !== run.id ? pinned : null;
}
