/* The list of documents of a run: first the kept documents, then the dropped ones with the reasons. */

import { missingHere, ranking } from "./compare.js";
import { el, marked, plain, short } from "./element.js";
import { computed, figure, NO_ANSWER } from "./figure.js";
import { seek } from "./missing.js";
import { set, state } from "./state.js";
import { fate, line, passing, thresholdOf } from "./threshold.js";

const REASONS = {
  threshold: "below the threshold",
  limit: "a round keeps the best sixteen, whatever the settings",
  budget: "too long for the tokens that were left",
  "not needed": "a model called others sufficient",
  near_duplicate: "a better document says the same",
  duplicate: "found twice",
  empty: "has no text",
  known: "read already",
  error: "could not be read",
  excluded: "excluded",
};

/** The reason why a document was dropped, in words. */
export const reasonOf = ({ reason }) => REASONS[reason] ?? "–";

/** The most documents that are selected for the answer of a run. */
const most = ({ settings }) => Number(settings.chunks || 8);

/** Why a kept document was not selected; null for a selected document and for a dropped one. */
export function passedOver({ answer, settings }, { chunk_id: id }) {
  if (!id || answer.selected.some((one) => one.id === id)) return null;
  if (answer.evidence?.by === "model") return "Not selected: a model read it, and chose others.";
  const places = most({ settings });
  if (answer.selected.length < places) return "Not selected; the answer does not say why.";
  return ["Not selected: an answer takes at most ", computed("most", places), " (Documents, in the settings)."];
}

export function documents(run, pinned) {
  const { answer } = run;
  const { slider, open } = state;
  if (!answer)
    return el("p", { class: "empty" }, run.phase === "working" ? "The documents come with the answer." : NO_ANSWER);
  const found = answer.explained.documents;
  if (!found.length) return [answer.route.should_run_rag && seek(run), nothing(answer)];
  const threshold = thresholdOf(answer);
  const at = slider ?? threshold;
  const places = found.map((one, place) => ({ one, place }));
  const other = pinned && ranking(run, pinned);
  const row = ({ one, place }) => item(run, one, place, { at, threshold, open: open === one.doc_key, other });
  const read = places.filter(({ one }) => one.chunk_id && !passedOver(run, one));
  const over = places.filter(({ one }) => passedOver(run, one));
  const left = places.filter(({ one }) => !one.chunk_id && one.reason !== "threshold");
  const below = places.filter(({ one }) => one.reason === "threshold");
  return [
    seek(run),
    el(
      "p",
      { class: "lead" },
      figure(answer, "explained.documents", "count", "document"),
      " found, ",
      figure(answer, "selected", "count"),
      " selected, ",
      figure(answer, "sources", "count", "source"),
      " cited. ",
      order(answer),
    ),
    el("ol", { class: "documents" }, read.map(row)),
    over.length > 0 && [el("h3", {}, "Kept, and not selected"), el("ol", { class: "documents" }, over.map(row))],
    left.length > 0 && [el("h3", {}, "Found, and not kept"), el("ol", { class: "documents" }, left.map(row))],
    line(run, threshold, at, most(run)),
    below.length > 0 && el("ol", { class: "documents below" }, below.map(row)),
    pinned && missingHere(run, pinned),
  ];
}

const order = ({ explained }) =>
  explained.order === "turns"
    ? "The sub-queries take turns: the best of each, then the second of each."
    : "Best score first.";

function nothing({ route, explained }) {
  if (!route.should_run_rag) return el("p", { class: "empty" }, "Nothing was searched: this needed no documents.");
  const filtered = explained.searches.length ? "The sub-queries found no document." : "Nothing was searched.";
  return el(
    "p",
    { class: "empty" },
    `${filtered} A filter, or the rights of the caller, may leave none; Steps has each search.`,
  );
}

function item(run, one, place, { at, threshold, open, other }) {
  const would = fate(one, at, threshold);
  const cited = citations(run.answer, one);
  const over = passedOver(run, one);
  const words = [...new Set(one.searches.flatMap((each) => each.words))];
  const rank = one.chunk_id ? String(place + 1) : "";
  return el(
    "li",
    {
      class: ["document", over && "over", !one.chunk_id && "dropped", would && would.replace(" ", "-")]
        .filter(Boolean)
        .join(" "),
      "data-document": one.doc_key,
    },
    el(
      "button",
      {
        type: "button",
        class: "row",
        "aria-expanded": String(open),
        "data-key": `document ${one.doc_key}`,
        onclick: () => set({ open: open ? null : one.doc_key, focus: null }),
      },
      el("span", { class: "rank" }, rank),
      el(
        "span",
        { class: "name" },
        el("strong", { dir: "auto" }, named(one)[0]),
        el("small", { dir: "auto" }, named(one)[1]),
      ),
      figure(run.answer, `explained.documents.${place}.score`, "score"),
      !open && el("span", { class: "snippet", dir: "auto" }, marked(around(plain(one.text), words), words)),
      el(
        "span",
        { class: "chips" },
        cited.length > 0 && el("span", { class: "chip cited" }, "cited"),
        one.searches.map((each) => chip(each.search)),
        !one.chunk_id && el("span", { class: "chip" }, reasonOf(one)),
        over && el("span", { class: "chip" }, "not selected"),
        would && el("span", { class: "chip would" }, would),
        other?.(one),
      ),
    ),
    open && opened(run, one, place, words),
  );
}

export const chip = (search) => el("span", { class: `chip q${search % 5}` }, `Q${search + 1}`);

/** The two parts of a document's label: the title with the headings, and the file or the key. */
export function named({ source, title, doc_key }) {
  const [file, headings] = source.split(`, ${title}`);
  return headings === undefined ? [title, doc_key] : [title + headings.replaceAll(" > ", " › "), file];
}

const citations = (answer, one) => answer.citations.filter((each) => each.chunk_id === one.chunk_id && one.chunk_id);

/** The part of a text around the first of these words. */
function around(text, words) {
  const places = words.map((word) => text.indexOf(word)).filter((at) => at >= 0);
  const at = Math.min(...places, text.length);
  const from = at < 160 || at === text.length ? 0 : text.indexOf(" ", at - 60) + 1;
  return (from ? "… " : "") + short(text.slice(from), 260);
}

/** The explanation of a document's rank or of its drop, and the text of the document. */
function opened(run, one, place, words) {
  const { documents: all } = run.answer.explained;
  const next = one.chunk_id ? all[place + 1] : null;
  const chosen = run.answer.selected.find((each) => each.id === one.chunk_id);
  const at = `explained.documents.${place}`;
  return el(
    "div",
    { class: "opened" },
    el("h3", {}, one.chunk_id ? "Why it stands here" : "Why it was dropped"),
    el(
      "ul",
      {},
      one.searches.map((each, order) =>
        el(
          "li",
          {},
          chip(each.search),
          ` “${short(textOf(run.answer, each.search))}” found it at rank `,
          figure(run.answer, `${at}.searches.${order}.rank`, "integer"),
          " with the score ",
          figure(run.answer, `${at}.searches.${order}.score`, "score"),
          each.words.length
            ? [". It has the words ", el("em", {}, each.words.join(", ")), "."]
            : ". None of its words stand in the title, the headings or the text.",
        ),
      ),
      !one.chunk_id && el("li", {}, dropped(run, one, at)),
      next?.chunk_id &&
        el(
          "li",
          {},
          `The next one, “${short(named(next)[0])}”, has the score `,
          figure(run.answer, `explained.documents.${place + 1}.score`, "score"),
          next.score === one.score ? " too. The answer does not say what decides between equal scores." : ".",
        ),
      chosen && el("li", {}, "Selected: ", el("em", {}, chosen.rationale)),
      passedOver(run, one) && el("li", {}, passedOver(run, one)),
    ),
    el(
      "div",
      { class: "text", dir: "auto", tabindex: "0", role: "group", "aria-label": `Text of ${one.title}` },
      text(run, one, words),
    ),
    el("p", { class: "key" }, "Document key ", el("code", {}, one.doc_key), " in ", el("code", {}, one.index)),
  );
}

function dropped(run, one, at) {
  if (one.reason !== "threshold") return `Dropped: ${reasonOf(one)}.`;
  return [
    "Dropped: its score ",
    figure(run.answer, `${at}.score`, "score"),
    " is below the threshold ",
    figure(run.answer, `${at}.threshold`, "score"),
    ". It would pass at ",
    passing(one),
    ".",
  ];
}

/** The text of a sub-query, by its index in the list of searches. */
function textOf(answer, search) {
  const { round, search: place } = answer.explained.searches[search];
  return answer.activity.find((one) => one.type === "round" && one.round === round).searches[place].query;
}

/** The text of a document. The quoted sentence is marked, or else the words of the searches. */
function text(run, one, words) {
  const focus = state.focus ?? citations(run.answer, one).find((each) => each.quote);
  const all = [...one.text];
  if (!focus?.quote || focus.end - focus.start >= all.length) return marked(one.text, words);
  const part = (from, to) => all.slice(from, to).join("");
  return [part(0, focus.start), el("mark", {}, part(focus.start, focus.end)), part(focus.end)];
}
