/* The state of the page, and the functions to call after a change. A key is only in the storage of the tab. */

import { redraw } from "./element.js";

/** The settings of each call that a turn can make. */
export const OF_CALL = {
  answer: ["threshold", "filter", "followUps", "queries", "chunks", "seconds", "tokens"],
  retrieve: ["threshold", "filter", "effort", "version", "sources"],
};

export const SETTINGS = [...new Set([...OF_CALL.answer, ...OF_CALL.retrieve])];

/** The settings of a run that have a value, as texts. */
export const describe = (settings) =>
  SETTINGS.filter((name) => settings[name]).map((name) => `${name} ${settings[name]}`);

/** The state of the views of a run before the reader opens, moves or searches anything. */
export const CLOSED = { open: null, focus: null, slider: null, sought: "", elsewhere: null, step: null };

const KEY = "playground-key";
const PRICES = "playground-prices";

export const state = {
  bases: [],
  base: "",
  fields: [],
  suggestions: { questions: [], topics: [] },
  runs: [],
  conversation: 0,
  shown: null,
  pinned: null,
  tab: "documents",
  mode: "answer",
  sources: "",
  sheet: false,
  ...CLOSED,
  language: "curl",
  prices: readPrices(),
};

const views = [];

/** Changes the state, and calls every view. */
export function set(change) {
  Object.assign(state, change);
  for (const view of views) view();
}

/** Calls `act` now, and whenever one of the values of `pick` changes. */
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

/** Draws `node` with `draw` now, and whenever one of the values of `pick` changes. */
export const view = (node, pick, draw) => watch(pick, (...values) => redraw(node, [draw(...values)]));

/** Replaces the run with this id by a changed copy, so that views see the change. */
export const change = (id, more) => set({ runs: state.runs.map((run) => (run.id === id ? { ...run, ...more } : run)) });

export const runOf = (id) => state.runs.find((run) => run.id === id) ?? null;

export const isLocal = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** The key of this tab. The browser forgets the key when the tab is closed. The local service has a well-known key. */
export const key = {
  get: () => sessionStorage.getItem(KEY) ?? (isLocal() ? "local-admin-key" : ""),
  set: (value) => sessionStorage.setItem(KEY, value),
};

/** The prices that the reader entered: of a million input and output tokens, and of a thousand ranked queries. */
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
