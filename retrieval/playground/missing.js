/* Finds a document that the reader misses: in the list, among the dropped documents, or in the index. */

import { button, el, short } from "./element.js";
import { computed, figure } from "./figure.js";
import { named, passedOver, reasonOf } from "./documents.js";
import { search } from "./service.js";
import { set, state } from "./state.js";
import { passing } from "./threshold.js";

/** Makes the test whether the key, title or source of a document contains all of these words. */
function means(words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (one) => parts.every((part) => `${one.doc_key} ${one.title} ${one.source}`.toLowerCase().includes(part));
}

/** The search field, and the answer below it. */
export function seek(run) {
  const { sought, elsewhere } = state;
  const input = (event) => set({ sought: event.target.value, elsewhere: null });
  const field = el("input", {
    id: "sought",
    "data-key": "sought",
    type: "search",
    dir: "auto",
    value: sought,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: "words of its title, or its key",
    oninput: input,
  });
  return el(
    "div",
    { class: "seek" },
    el("label", { for: "sought" }, "Where is my document?"),
    field,
    el("div", { role: "status" }, sought.trim() && verdict(run, sought.trim(), elsewhere)),
  );
}

function verdict(run, words, elsewhere) {
  const found = run.answer.explained.documents
    .map((one, place) => ({ one, place }))
    .filter(({ one }) => means(words)(one));
  if (!found.length) return absent(run, words, elsewhere);
  const shown = found.slice(0, 3).map(({ one, place }) =>
    el(
      "li",
      {},
      button(short(named(one)[0]), () => set({ open: one.doc_key, focus: null }), {
        class: "link",
        "data-key": `found ${one.doc_key}`,
      }),
      ": ",
      where(run, one, place),
    ),
  );
  return el(
    "ul",
    {},
    shown,
    found.length > 3 && el("li", {}, ["and ", computed("more", found.length - 3), " more with these words"]),
  );
}

function where(run, one, place) {
  const at = `explained.documents.${place}`;
  const scored = ["found with the score ", figure(run.answer, `${at}.score`, "score")];
  if (one.chunk_id)
    return ["number ", computed("rank", place + 1), ", ", scored, ". ", passedOver(run, one) ?? "Selected."];
  if (one.reason !== "threshold") return [scored, `, and dropped: ${reasonOf(one)}.`];
  return [
    scored,
    ", below the threshold ",
    figure(run.answer, `${at}.threshold`, "score"),
    ". It would pass at ",
    passing(one),
    ".",
  ];
}

function absent(run, words, elsewhere) {
  const { filter } = run.settings;
  const taken = filter && [" The filter ", el("code", {}, filter), " may have taken it away."];
  const said = el("p", {}, "No sub-query of this run found it.", taken);
  if (elsewhere) return [said, el("p", {}, elsewhere)];
  const base = state.bases.find((one) => one.name === run.base);
  return [
    said,
    base &&
      button("Look for it in the index: one more ranked query", () => look(base, words), {
        class: "quiet",
        "data-key": "look",
      }),
  ];
}

/** Searches the index for the words, without the run's filter and with the threshold 0. */
async function look(base, words) {
  set({ elsewhere: "Searching…" });
  const found = await search(base, words).catch(() => null);
  const titled = (one) => ({
    doc_key: one.docKey,
    source: Object.values(one.sourceData ?? {})
      .filter((value) => typeof value === "string" && value.length < 300)
      .join(" "),
    title: "",
  });
  const hit = found?.find((one) => means(words)(titled(one)));
  const there = [
    `It is in the index, as ${hit?.docKey}: a search for “${words}” finds it. `,
    "The sub-queries of this run are far from what it says, or the filter excludes it.",
  ];
  const nowhere =
    "A search for these words finds no such document either. Is it in the index, with these words in its title or key?";
  if (state.sought.trim() === words)
    set({ elsewhere: found === null ? "This call was refused." : hit ? there : nowhere });
}
