/* Markdown of an answer as elements: headings, lists, tables, quotations, code. No text becomes markup or a link.

   Markdown signs in a quoted passage are escaped. Escaped pairs of asterisks around a text still make it bold. */

import { el } from "./element.js";

const FENCE = /^(`{3,})/;
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const INLINE = new RegExp(
  [
    /(?:\\?\*){2}(?=\S)([^*]*?[^*\s\\])(?:\\?\*){2}/,
    /\\(.)|(`+)([^]*?[^`])\3(?!`)/,
    /<((?:https?:|mailto:)[^<>\s]+)>|(&lt;)|\[([^[\]\n]+)\]/,
  ]
    .map((one) => one.source)
    .join("|"),
  "g",
);

/** The elements of a text. `cite` makes a citation from a text in brackets, or returns null if it is no citation. */
export function markdown(text, cite) {
  const lines = text.split("\n");
  const blocks = [];
  while (lines.length) {
    if (!lines[0].trim()) lines.shift();
    else blocks.push(block(lines, cite));
  }
  return blocks;
}

/** The first block of the lines. Its lines are removed from `lines`. */
function block(lines, cite) {
  const fence = FENCE.exec(lines[0])?.[1];
  if (fence) return code(lines, fence);
  if (lines[0].startsWith(">"))
    return el(
      "blockquote",
      {},
      markdown(
        take(lines, /^>/)
          .map((one) => one.replace(/^> ?/, ""))
          .join("\n"),
        cite,
      ),
    );
  if (ROW.test(lines[0]) && RULE.test(lines[1] ?? "")) return table(take(lines, ROW), cite);
  const heading = /^(#{1,6})\s+(.*)/.exec(lines[0]);
  if (heading) return lines.shift() && el(`h${Math.min(6, heading[1].length + 2)}`, {}, inline(heading[2], cite));
  if (ITEM.test(lines[0])) return list(lines, cite);
  return el("p", {}, inline(paragraph(lines).join("\n"), cite));
}

/** The first lines that match the pattern. They are removed from `lines`. */
function take(lines, pattern) {
  const end = lines.findIndex((line) => !pattern.test(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

function paragraph(lines) {
  const end = lines.findIndex(
    (line, place) => place > 0 && (!line.trim() || FENCE.test(line) || ITEM.test(line) || /^(?:>|#{1,6}\s)/.test(line)),
  );
  return lines.splice(0, end < 0 ? lines.length : end);
}

function code(lines, fence) {
  const end = lines.findIndex((line, place) => place > 0 && line.trim() === fence);
  const taken = lines.splice(0, end < 0 ? lines.length : end + 1);
  return el("pre", { tabindex: "0" }, taken.slice(1, end < 0 ? undefined : -1).join("\n"));
}

function list(lines, cite) {
  const number = ITEM.exec(lines[0])[1];
  const items = take(lines, ITEM).map((line) => el("li", {}, inline(line.replace(ITEM, ""), cite)));
  return number ? el("ol", { start: number }, items) : el("ul", {}, items);
}

function table([head, , ...rows], cite) {
  const cells = (line) =>
    line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((one) => inline(one.trim(), cite));
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      cells(row).map((one) => el("td", {}, one)),
    ),
  );
  const top = el(
    "tr",
    {},
    cells(head).map((one) => el("th", { scope: "col" }, one)),
  );
  return el("div", { class: "table", tabindex: "0" }, el("table", {}, el("thead", {}, top), el("tbody", {}, body)));
}

function inline(text, cite) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, bold, escaped, , coded, address, less, bracketed] = found;
    parts.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (bold) parts.push(el("strong", {}, inline(bold, cite)));
    else if (escaped) parts.push(escaped);
    else if (coded !== undefined) parts.push(el("code", {}, coded));
    else parts.push(address ?? (less && "<") ?? cite(bracketed, text.slice(0, found.index)) ?? whole);
  }
  return [...parts, text.slice(end)];
}
