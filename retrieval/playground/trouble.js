/* The errors of a run, with advice for each. */

import { el, short } from "./element.js";

const BY_STATUS = {
  400: "Correct the filter or the settings, and ask again.",
  401: "Enter a key at the top.",
  403: "Enter another key at the top: this one is not accepted, or may not do this.",
  404: "Choose another base: this one is not here.",
  413: "Ask something shorter, or begin a new conversation.",
  429: "Wait a moment, and ask again.",
  502: "The doctor (GET doctor) tells what is wrong behind the service.",
  503: "The log of the service names the settings that are missing.",
  504: "Give it more seconds in the settings, or ask again.",
};
const BY_CODE = {
  BackendRefused: BY_STATUS[400],
  Stopped: "Ask again when you like: the question is kept.",
  Away: "Is it running? The question and the settings are kept.",
};
const BY_LIMIT = {
  runtime: "Time ran out before every step was done. Give it more seconds in the settings.",
  tokens: "Tokens ran out before every step was done. Give it more tokens in the settings.",
  reply: "The model's answer broke off. What it had written so far is shown. Ask again.",
};
const OTHERWISE = "Open the step under Steps. If it goes on, the doctor (GET doctor) tells what is wrong.";

/** The error of a call without an answer. */
export function refusal({ error }) {
  const more = (error.details ?? [])
    .filter((one) => one.message !== error.message)
    .map((one) => el("li", {}, one.message));
  return el(
    "div",
    { class: "trouble", role: "alert" },
    el(
      "strong",
      {},
      error.status !== 0
        ? ["Refused", error.status].filter(Boolean).join(": ")
        : error.code === "Stopped"
          ? "Stopped"
          : "No answer",
    ),
    el("p", {}, error.message),
    more.length > 0 && el("ul", {}, more),
    error.target && el("p", {}, "At ", el("code", {}, error.target)),
    el("p", {}, BY_CODE[error.code] ?? BY_STATUS[error.status] ?? BY_STATUS[502]),
  );
}

/** The errors, reached limits and unfounded figures of a call that still has an answer. */
export function troubles({ activity, ended_by: limits, unfounded_figures: figures }) {
  const steps = activity.filter((one) => one.error).map((one) => failed(one.step, one.error));
  const searches = activity
    .flatMap((one) => one.searches ?? [])
    .filter((one) => one.error)
    .map((one) => failed(`search “${short(one.query, 60)}”`, one.error));
  const ended = limits.map((limit) => BY_LIMIT[limit]);
  const unfounded = figures.map(
    (one) => `The figure ${one.figure} stands in no source that is cited with it. Check it.`,
  );
  const found = [...steps, ...searches, ...ended, ...unfounded];
  return found.length
    ? el(
        "ul",
        { class: "trouble" },
        found.map((one) => el("li", {}, one)),
      )
    : null;
}

const failed = (what, { message }) => `The step ${what} failed: ${message} ${OTHERWISE}`;
