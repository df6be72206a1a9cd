/* Elements are made here and nowhere else: what a document or a model says becomes text, never markup. */

/** An element. `on…` attributes are listeners, `--…` are CSS variables; children that are no nodes become text. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A card with a heading, a sentence that answers the question which the card is for, and its content. */
export function card(title, sentence, ...children) {
  return el("section", { class: "card" }, el("h3", {}, title), sentence && el("p", { class: "lead" }, sentence), ...children);
}

export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Puts a text on the clipboard, which browsers offer over https and on this machine alone, and says so on the button. */
export async function copied(button, text) {
  button.dataset.label ??= button.textContent;
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  button.textContent = done ? "Copied" : "The browser does not let it";
  setTimeout(() => (button.textContent = button.dataset.label), 1500);
}

/** Milliseconds for people. */
export const time = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`);

/** A short form of a long text, whole characters only. */
export const short = (text, most = 90) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
