/* Shows values of the answer. `data-from` has the path of the value. A missing value is shown as "–". */

import { el } from "./element.js";

export const UNKNOWN = "–";
export const NO_ANSWER = "– This call has no answer, so nothing is known of what it did.";

/** The value at a path: dots separate members, `a+b` is a sum, `list[name]` has the elements with a true `name`. */
export function value(answer, path) {
  if (path.includes("+")) return sum(path.split("+").map((one) => value(answer, one)));
  let at = answer;
  for (const name of path.split(".")) {
    const only = /^(\w+)\[(\w+)\]$/.exec(name);
    at = only ? at?.[only[1]]?.filter((one) => one[only[2]]) : at?.[name];
  }
  return at ?? null;
}

const sum = (values) => (values.includes(null) ? null : values.reduce((all, one) => all + one, 0));

/** A duration in milliseconds as text, in ms or s. */
export const time = (ms) => {
  if (ms === null || ms === undefined) return UNKNOWN;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
};

export const score = (number) => (number === null || number === undefined ? UNKNOWN : number.toFixed(2));

const FORMS = {
  time,
  score,
  integer: (number) => (number === null ? UNKNOWN : number.toLocaleString("en")),
  count: (list) => (list === null ? UNKNOWN : list.length.toLocaleString("en")),
  share: (number) => (number === null ? UNKNOWN : `${Math.round(number * 100)} %`),
};

/** The value at a path of an answer, in a format. `unit` is the noun after the number, in the singular. */
export function figure(answer, path, form, unit = "") {
  const found = answer ? value(answer, path) : null;
  const shown = FORMS[form](found);
  const noun = unit && ` ${shown === "1" ? unit : unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`}`;
  return el("span", { "data-from": path, "data-form": form, class: "figure" }, `${shown}${noun}`);
}

/** A number that the page computed or measured. */
export const computed = (name, shown) => el("span", { "data-page": name, class: "figure" }, String(shown));
