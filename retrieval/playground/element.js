/* All elements are made in this module. Texts of documents and models become text, never markup. */

const PARAGRAPHS = new Set("p ul ol h2 h3 h4 h5 h6 td th dd".split(" "));

/** An element. `on…` attributes are listeners, `--…` are CSS variables; other children than nodes become text.

    Each paragraph, list and cell is written from left to right or from right to left, as its own text is. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (PARAGRAPHS.has(tag)) node.dir = "auto";
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node[name] = value;
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

/** The children in one flat list, without null, undefined and false. */
const present = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/** A button. */
export const button = (label, onclick, attributes = {}) =>
  el("button", { type: "button", onclick, ...attributes }, label);

/** Copies a text to the clipboard, and shows the result on the button. Browsers allow this over https and locally. */
async function copied(node, text) {
  const label = node.textContent;
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  node.textContent = done ? "Copied" : "The browser refuses";
  setTimeout(() => (node.textContent = label), 1500);
}

/** A button that copies the result of `text`. */
export const copying = (label, text, attributes = {}) =>
  button(label, (event) => copied(event.currentTarget, text()), { class: "quiet", ...attributes });

/** The beginning of a long text, without half characters. */
export const short = (text, most = 90) =>
  [...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text;

/** A text without the most common Markdown signs, for an excerpt. */
export const plain = (text) =>
  text
    .replace(/\[([^[\]\n]+)\]\([^()\s]*\)/g, "$1")
    .replace(/`+|\*\*/g, "")
    .replace(/\|+|-{3,}|^[#>]+ /gm, " ");

/** A text with some of its words marked; `words` are compared without case. */
export function marked(text, words) {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  if (!wanted.size) return [text];
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => (wanted.has(part.toLowerCase()) ? el("mark", {}, part) : part));
}

const LISTENERS = ["onclick", "oninput"];

/** Gives `node` new children. Nodes with the same tag are updated in place, so that they keep the focus. */
export function redraw(node, children) {
  const fresh = present(children);
  const old = [...node.childNodes];
  fresh.forEach((child, place) => {
    const next = child instanceof Node ? child : document.createTextNode(child);
    if (place >= old.length) node.append(next);
    else if (old[place].nodeName !== next.nodeName) old[place].replaceWith(next);
    else if (old[place] !== next) become(old[place], next);
  });
  for (const child of old.slice(fresh.length)) child.remove();
}

function become(node, fresh) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  for (const { name } of [...node.attributes])
    if (name !== "style" && !fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (name !== "style" && node.getAttribute(name) !== value) node.setAttribute(name, value);
  if (node.style.cssText !== fresh.style.cssText) node.style.cssText = fresh.style.cssText;
  if (node.nodeName === "INPUT" && node !== document.activeElement) node.value = fresh.value;
  for (const name of LISTENERS) node[name] = fresh[name];
  redraw(node, [...fresh.childNodes]);
}
