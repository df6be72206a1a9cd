/* Two answers to one question: what differs, document by document. */

import { plural } from "./element.js";

/** Each key of `told` whose place is another one in `other`, or that `other` lacks. */
export function changes(told, other) {
  const places = new Map(other.references.map((one, place) => [one.key, place]));
  const found = new Map();
  for (const [place, one] of told.references.entries()) {
    const there = places.get(one.key);
    if (there === undefined) found.set(one.key, { kind: "only", text: "only here" });
    else if (there !== place) found.set(one.key, { kind: "moved", text: `there ${there + 1}` });
  }
  return found;
}

/** One sentence about two answers. */
export function summary(one, two) {
  if (one.error || two.error) return "One of the two was refused.";
  const [keys, others] = [one, two].map((told) => new Set(told.references.map((each) => each.key)));
  const shared = [...keys].filter((key) => others.has(key)).length;
  const faster = Math.abs(one.wall - two.wall) < 0.1 * Math.max(one.wall, two.wall) ? "Both took about as long." : `${one.wall < two.wall ? "A" : "B"} was faster.`;
  return `${plural(shared, "document")} in both, ${keys.size - shared} only in A, ${others.size - shared} only in B. ${faster}`;
}
