/* Where the time went: every step of a call as a bar on one axis. */

import { card, el, plural, time } from "./element.js";

const KINDS = { model: "Model", search: "Search", follow: "Follow-up", rank: "Ranking", rules: "Rules" };

class Waterfall extends HTMLElement {
  show(told) {
    const steps = [...told.steps].sort((a, b) => a.start - b.start || a.id - b.id);
    if (!steps.length) return this.replaceChildren();
    const end = Math.max(told.wall, ...steps.map((one) => one.start + (one.ms ?? 0)), 1);
    const rows = [whole(told, end), ...steps.map((one) => row(one, end))];
    const used = [...new Set(steps.map((one) => one.kind))];
    const legend = el("ul", { class: "legend" }, used.map((kind) => el("li", { class: kind }, KINDS[kind])));
    this.replaceChildren(card("Where the time went", sentence(told, steps), axis(end), el("ol", { class: "bars" }, rows), legend));
  }
}

/** The answer to "why was this slow?". Searches run at once, so the longest chain is what a caller waits for. */
function sentence(told, steps) {
  const timed = steps.filter((one) => one.ms !== undefined);
  if (!told.done || !timed.length) return `${plural(steps.filter((one) => one.ms === undefined).length, "step")} under way.`;
  const slowest = timed.filter((one) => one.kind !== "rank").reduce((a, b) => (b.ms > a.ms ? b : a), timed[0]);
  const rest = Math.max(0, told.wall - covered(timed));
  const share = (ms) => `${time(ms)}, ${Math.round((100 * ms) / Math.max(told.wall, 1))} % of the call`;
  const step = `the slowest step, ${KINDS[slowest.kind].toLowerCase()} “${slowest.label}”`;
  if (slowest.ms >= rest) return `Most of it was ${step}: ${share(slowest.ms)}. ${time(rest)} were in no step: the network, and the way in and out.`;
  return `Most of it was in no step: ${share(rest)}, for the network, the way in and out, and in a first call for what is loaded. In ${step}: ${time(slowest.ms)}.`;
}

/** Milliseconds in which at least one step ran. */
function covered(steps) {
  let [sum, end] = [0, 0];
  for (const one of [...steps].sort((a, b) => a.start - b.start)) {
    sum += Math.max(0, one.start + one.ms - Math.max(end, one.start));
    end = Math.max(end, one.start + one.ms);
  }
  return sum;
}

const bar = (kind, from, ms, end) =>
  el("span", { class: "track" }, el("span", { class: `bar ${kind}${ms === undefined ? " running" : ""}`, "--from": `${(100 * from) / end}%`, "--long": `${(100 * (ms ?? end - from)) / end}%` }));

const whole = (told, end) =>
  el("li", {}, el("span", { class: "name" }, "The whole call, as this page waited"), bar("whole", 0, told.wall, end), el("span", { class: "ms" }, time(told.wall)));

function row(one, end) {
  const name = el("span", { class: "name", title: one.label }, el("b", {}, KINDS[one.kind]), " ", one.label);
  const said = one.ms === undefined ? "…" : time(one.ms);
  return el("li", { class: one.error ? "failed" : null }, name, bar(one.error ? "error" : one.kind, one.start, one.ms, end), el("span", { class: "ms" }, said), one.error && el("span", { class: "why" }, one.error.message ?? one.error.code));
}

/** About five ticks at round numbers. */
function axis(end) {
  const raw = end / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const every = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
  const ticks = [];
  for (let at = 0; at <= end * 0.97; at += every) ticks.push(el("span", { "--from": `${(100 * at) / end}%` }, time(at)));
  return el("div", { class: "axis", "aria-hidden": "true" }, el("span", { class: "ticks" }, ticks));
}

customElements.define("play-waterfall", Waterfall);
