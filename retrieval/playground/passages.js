/* An answer without a model: the sentence of its best passage that is closest to the question, before the passages. */

import { el, plain } from "./element.js";

const ENDS = /(?<=[.!?])\s+|(?<=[。！？؟])|\n\s*\n|\n(?=\s*[-*|#>])/u;
const CODE = /[|{}]|^\s*[#>]|[?？؟]$/u;
const SHORTEST = 25;
const LONGEST = 500;

/** The closest sentence with a citation, and the passages with their labels; `cite` makes the citation. */
export function passages(run, blocks, cite) {
  const found = closest(run.answer);
  blocks[0]?.classList.add("help");
  return el(
    "div",
    { class: "answer passages" },
    found && el("p", { class: "closest" }, found.text, " ", cite(found.citation)),
    blocks,
  );
}

/** The sentence with the rarest words of the question, and the next one if there is room; null if there is none. */
function closest({ citations: [citation], explained: { documents } }) {
  const best = documents.find((one) => one.chunk_id && one.chunk_id === citation?.chunk_id);
  if (!best || !citation.quote) return null;
  const words = [...new Set(best.searches.flatMap((each) => each.words))];
  const texts = documents.map((one) => one.text.toLowerCase());
  const rarity = new Map(
    words.map((word) => [word, 1 / texts.filter((text) => text.includes(word.toLowerCase())).length]),
  );
  const sentences = citation.quote.split(ENDS).map((one) => plain(one).trim());
  const weights = sentences.map((one) => (isSentence(one) ? weight(one, rarity) : 0));
  const at = weights.indexOf(Math.max(...weights));
  return weights[at] > 0 ? { text: from(sentences, at), citation } : null;
}

const isSentence = (text) => text.length >= SHORTEST && text.length <= LONGEST && !CODE.test(text);

function weight(sentence, rarity) {
  const has = new Set(sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return [...rarity].reduce((sum, [word, rare]) => sum + (has.has(word.toLowerCase()) ? rare : 0), 0);
}

/** The sentence at a place, and the next one if there is room. */
function from(sentences, at) {
  const [text, next] = sentences.slice(at, at + 2);
  return next && isSentence(next) && text.length + next.length < LONGEST ? `${text} ${next}` : text;
}
