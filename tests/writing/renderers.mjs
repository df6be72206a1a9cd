// What renderers make of Markdown: JSON lines in, JSON lines out, for each text and renderer the images, the pieces of
// raw HTML, where links lead, and the HTML. The folder with the packages is the one argument.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const MarkdownIt = require("markdown-it");
const commonmark = require("commonmark");
const { marked } = require("marked");

const guessing = new MarkdownIt({ html: true, linkify: true });
guessing.linkify.set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true });
const plain = new MarkdownIt({ html: true, linkify: false });

function byMarkdownIt(renderer, text) {
  const found = { images: 0, html: 0, links: [], shown: renderer.render(text) };
  const visit = (tokens) => {
    for (const token of tokens) {
      if (token.type === "image") found.images += 1;
      if (token.type.startsWith("html_")) found.html += 1;
      if (token.type === "link_open") found.links.push(token.attrGet("href"));
      visit(token.children ?? []);
    }
  };
  visit(renderer.parse(text, {}));
  return found;
}

function byCommonmark(text) {
  const document = new commonmark.Parser().parse(text);
  const found = { images: 0, html: 0, links: [], shown: new commonmark.HtmlRenderer().render(document) };
  const walker = document.walker();
  for (let event = walker.next(); event; event = walker.next()) {
    if (!event.entering) continue;
    if (event.node.type === "image") found.images += 1;
    if (event.node.type.startsWith("html_")) found.html += 1;
    if (event.node.type === "link") found.links.push(event.node.destination);
  }
  return found;
}

function byMarked(text) {
  const found = { images: 0, html: 0, links: [], shown: marked.parse(text, { gfm: true }) };
  marked.walkTokens(marked.lexer(text, { gfm: true }), (token) => {
    if (token.type === "image") found.images += 1;
    if (token.type === "html") found.html += 1;
    if (token.type === "link") found.links.push(token.href);
  });
  return found;
}

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  console.log(
    JSON.stringify([byMarkdownIt(guessing, text), byMarkdownIt(plain, text), byCommonmark(text), byMarked(text)]),
  );
}
