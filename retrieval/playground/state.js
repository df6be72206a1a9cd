/* The question and its settings. They are in the address after `#`, which no server sees; a key never is. */

export const NEWEST = "2026-08-01-preview";
export const AGENTS = "2025-08-01-preview";

const DEFAULTS = { base: "", way: "base", q: "", effort: "", threshold: "", filter: "", mode: "extractiveData", sources: "", below: "1" };
const OTHER = { effort: "", threshold: "", filter: "" };
const KEY = "playground-key";

/** What a link holds: the settings, and those of the other side where two are compared. */
export function read(hash = location.hash) {
  const said = new URLSearchParams(hash.slice(1));
  const taken = (defaults, prefix) =>
    Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, said.get(prefix + name) ?? value]));
  return { ...taken(DEFAULTS, ""), compare: said.get("compare") === "1", other: taken(OTHER, "b.") };
}

/** The part of a link after `#`. */
export function link({ compare, other, ...settings }) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value !== DEFAULTS[name]) said.set(name, value);
  if (compare) {
    said.set("compare", "1");
    for (const [name, value] of Object.entries(other)) if (value !== "") said.set(`b.${name}`, value);
  }
  return `#${said}`;
}

/** The key of this tab. A browser forgets it with the tab; the local service has one that everybody knows. */
export const key = {
  get: () => sessionStorage.getItem(KEY) ?? (isLocal() ? "local-admin-key" : ""),
  set: (value) => sessionStorage.setItem(KEY, value),
};

export const isLocal = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
