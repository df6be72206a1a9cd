/* Where a document is that somebody misses: an answer in sentences, from what the sub-queries find without a threshold. */

import { everything } from "./ask.js";
import { plural, short } from "./element.js";
import { ranked } from "./told.js";

/** Whether a document is meant by its key or by words of its title. */
const means = (words) => {
  const parts = words.toLowerCase().split(/\s+/);
  return (one) => one.key.toLowerCase() === words.toLowerCase() || parts.every((part) => `${one.key} ${one.title}`.toLowerCase().includes(part));
};

/** Sentences about the document that the words mean. */
export async function find(words, { settings, told, threshold, all, sources }) {
  const meant = means(words);
  const place = told.references.findIndex(meant);
  if (place >= 0) return [`It is there: number ${place + 1} of ${told.references.length}, “${short(told.references[place].title)}”${scored(told.references[place])}.`];
  const texts = ranked(told);
  const found = all ?? (await everything(settings, texts, sources)) ?? [];
  const hit = found.find(meant);
  if (hit) return hit.score !== null && hit.score < threshold ? below(hit, threshold, found) : beyond(hit, told);
  if (settings.filter) {
    const unfiltered = ((await everything(settings, texts, sources, { filter: "" })) ?? []).find(meant);
    if (unfiltered) return [`The filter takes it away. Without ${settings.filter} the same sub-queries find “${short(unfiltered.title)}”${scored(unfiltered)}.`];
  }
  const alone = ((await everything(settings, [words], sources, { filter: "" })) ?? []).find(meant);
  const said = `No sub-query finds it among its best ${plural(found.length || 50, "document")}.`;
  if (alone) return [said, `It is in the index: a search for “${words}” finds “${short(alone.title)}”. So the question's words, or the sub-queries above, are far from what it says.`];
  return [said, "A search for these words does not find it either. Is it in the index, with these words in its key or title?"];
}

const scored = (one) => (one.score === null ? "" : `, with the score ${one.score.toFixed(2)}`);

function below(hit, threshold, found) {
  const at = Math.floor(hit.score * 20) / 20;
  const others = found.filter((one) => one !== hit && one.score >= at && one.score < threshold).length;
  return [
    `It was found and dropped: “${short(hit.title)}” scored ${hit.score.toFixed(2)}, below the threshold of ${threshold}.`,
    `The sub-query “${short(hit.query)}” found it. A threshold of ${at.toFixed(2)} would bring it, and ${plural(others, "other document")} with it.`,
  ];
}

function beyond(hit, told) {
  const reasons = Object.assign({}, ...told.steps.filter((one) => one.search).map((one) => one.search.dropped));
  const likely = Object.keys(reasons).filter((one) => one !== "threshold" && one !== "budget");
  const why = likely.length ? `The searches dropped documents for: ${likely.join(", ")}.` : "The answer selects the most useful documents, and others came before it.";
  return [`It was found${scored(hit)}, over the threshold, and is not returned.`, why];
}
