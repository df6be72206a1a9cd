/* A link to a question. The part after `#` has the base, the settings and the conversation. Servers do not get it. */

import { SETTINGS } from "./state.js";

/** The part of a link after `#`. */
export function hash({ base, question, before, settings, mode }) {
  const said = new URLSearchParams({ base, q: question });
  if (mode === "retrieve") said.set("mode", mode);
  for (const [name, value] of Object.entries(settings)) if (value !== "") said.set(name, value);
  if (before.length) said.set("before", JSON.stringify(before.map(({ role, text }) => [role, text])));
  return `#${said}`;
}

/** The content of a link. A conversation that cannot be read is left out. */
export function read(text = location.hash) {
  const said = new URLSearchParams(text.slice(1));
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, said.get(name) ?? ""]));
  const mode = said.get("mode") === "retrieve" ? "retrieve" : "answer";
  const [base, question] = [said.get("base") ?? "", said.get("q") ?? ""];
  return { base, question, mode, settings, before: turns(said.get("before")) };
}

function turns(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return found.map(([role, text]) => ({ role: role === "user" ? "user" : "assistant", text: String(text) }));
  } catch {
    return [];
  }
}
