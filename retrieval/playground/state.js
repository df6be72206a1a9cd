/* The state of the page, all of it, and who is told when it changes. A key is in the tab's storage and nowhere else. */

import { redraw } from "./element.js";

export const SETTINGS = ["threshold", "filter", "followUps", "queries", "chunks", "seconds", "tokens"];

/** The settings of a run that somebody set, as text. */
export const describe = (settings) =>
  SETTINGS.filter((name) => settings[name]).map((name) => `${name} ${settings[name]}`);

/** What nobody has opened, moved or sought of a run. */
export const CLOSED = { open: null, focus: null, slider: null, sought: "", elsewhere: null, step: null };

const KEY = "playground-key";
const PRICES = "playground-prices";

export const state = {
  bases: [],
  base: "",
  fields: [],
  suggestions: [],
  runs: [],
  conversation: 0,
  shown: null,
  pinned: null,
  tab: "documents",
  sheet: false,
  ...CLOSED,
  language: "curl",
  prices: readPrices(),
};

const views = [];

/** Changes the state, and draws again what shows it. */
export function set(change) {
  Object.assign(state, change);
  for (const view of views) view();
}

/** Does something now, and whenever one of the values of `pick` is another. */
export function watch(pick, act) {
  let last = null;
  const refresh = () => {
    const values = pick(state);
    if (last && values.every((value, place) => value === last[place])) return;
    last = values;
    act(...values);
  };
  views.push(refresh);
  refresh();
}

/** Draws `node` by `draw` whenever one of the values of `pick` is another. */
export const view = (node, pick, draw) => watch(pick, (...values) => redraw(node, [draw(...values)]));

/** The run of that id, with a change: a run is never changed in its place, so that views see that it is another. */
export const change = (id, more) => set({ runs: state.runs.map((run) => (run.id === id ? { ...run, ...more } : run)) });

export const runOf = (id) => state.runs.find((run) => run.id === id) ?? null;

export const isLocal = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** The key of this tab. A browser forgets it with the tab; the local service has one that everybody knows. */
export const key = {
  get: () => sessionStorage.getItem(KEY) ?? (isLocal() ? "local-admin-key" : ""),
  set: (value) => sessionStorage.setItem(KEY, value),
};

/** The prices that the reader entered: for a million tokens in and out, and for a thousand ranked queries. */
function readPrices() {
  try {
    return { in: "", out: "", ranked: "", ...JSON.parse(localStorage.getItem(PRICES)) };
  } catch {
    return { in: "", out: "", ranked: "" };
  }
}

export function keepPrices(prices) {
  localStorage.setItem(PRICES, JSON.stringify(prices));
  set({ prices });
}
