/* The cost of a run, at the prices that the reader entered. Without prices, no cost is shown. */

import { el } from "./element.js";
import { value } from "./figure.js";
import { keepPrices, state } from "./state.js";

const PARTS = [
  ["in", "totals.input_tokens", 1e6],
  ["out", "totals.output_tokens", 1e6],
  ["ranked", "explained.searches[ranked]", 1e3],
];
const LABELS = { in: "a million tokens in", out: "a million tokens out", ranked: "a thousand ranked queries" };

/** The cost of an answer as text; null without a price or an answer. */
export function cost(answer, prices) {
  const priced = PARTS.filter(([name]) => prices[name] !== "");
  if (!answer || !priced.length) return null;
  const of = ([name, path, per]) => ((value(answer, path).length ?? value(answer, path)) * Number(prices[name])) / per;
  return `$${priced
    .map(of)
    .reduce((all, one) => all + one, 0)
    .toFixed(4)}`;
}

/** The fields in which prices are entered. */
export function prices() {
  const field = (name) =>
    el(
      "label",
      {},
      `Price of ${LABELS[name]}`,
      el("input", {
        type: "number",
        min: 0,
        step: "any",
        "data-price": name,
        value: state.prices[name],
        oninput: (event) => keepPrices({ ...state.prices, [name]: event.target.value }),
      }),
    );
  return [
    el("p", { class: "help" }, "In dollars, kept in this browser. What is left empty is not counted."),
    Object.keys(LABELS).map(field),
  ];
}
