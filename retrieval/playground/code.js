/* The call of a run as code, with its address and its body or MCP message. The code uses standard libraries only. */

import { button, copying, el } from "./element.js";
import { request } from "./request.js";
import { ROOT } from "./service.js";
import { set } from "./state.js";

const KEY = "YOUR-KEY";
const address = (path) => new URL(path, ROOT).href;

/** A value as JSON in ASCII. The JSON of a string is also a literal in Python, JavaScript, C# and Java. */
const json = (value, indent) =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export const curl = ({ path, body }) => `curl -s '${address(path)}' \\
  -H 'api-key: ${KEY}' -H 'Content-Type: application/json' \\
  -d '${json(body).replaceAll("'", "'\\''")}'`;

const python = ({ path, body }) => `import json
import urllib.request

body = json.loads(${json(json(body))})
request = urllib.request.Request(
    ${json(address(path))},
    data=json.dumps(body).encode(),
    headers={"api-key": "${KEY}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(answer${shown(path)
  .map((one) => `[${json(one)}]`)
  .join("")})`;

const javascript = ({ path, body }) => `const response = await fetch(${json(address(path))}, {
  method: "POST",
  headers: { "api-key": "${KEY}", "Content-Type": "application/json" },
  body: JSON.stringify(${json(body, 2).replaceAll("\n", "\n  ")}),
});
if (!response.ok) throw new Error(await response.text());
const answer = await response.json();
console.log(answer${shown(path)
  .map((one) => `[${json(one)}]`)
  .join("")});`;

const csharp = ({ path, body }) => `using System.Net.Http;
using System.Text;
using System.Text.Json;

using var client = new HttpClient();
client.DefaultRequestHeaders.Add("api-key", "${KEY}");
var body = ${json(json(body))};
var content = new StringContent(body, Encoding.UTF8, "application/json");
using var response = await client.PostAsync(${json(address(path))}, content);
response.EnsureSuccessStatusCode();
using var answer = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
Console.WriteLine(answer.RootElement${shown(path).map(property).join("")}.GetString());`;

const java = ({ path, body }) => `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Ask {
  public static void main(String[] arguments) throws Exception {
    String body = ${json(json(body))};
    HttpRequest request = HttpRequest.newBuilder(URI.create(${json(address(path))}))
        .header("api-key", "${KEY}")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    System.out.println(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
  }
}`;

const property = (one) => (typeof one === "number" ? `[${one}]` : `.GetProperty(${json(one)})`);

/** The members on the way to the text of an answer or of a response. */
const shown = (path) => (path.startsWith("agents/") ? ["answer_markdown"] : ["response", 0, "content", 0, "text"]);

/** The message that an MCP client posts to the address of the agent. */
function mcp(sent, run) {
  const called = { question: run.question, ...(run.settings.filter && { filter: run.settings.filter }) };
  return JSON.stringify(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "answer", arguments: called } },
    null,
    2,
  );
}

/** The parts of the request for which the MCP tool has no argument. */
function lacking({ body }, run) {
  const limits = Object.keys(body.limits ?? {});
  return [
    run.before.length > 0 && "the conversation before the question",
    limits.length > 0 && limits.join(", "),
    "detail=explained",
  ].filter(Boolean);
}

const LANGUAGES = { curl, python, javascript, csharp, java, mcp };
const NAMES = { curl: "curl", python: "Python", javascript: "JavaScript", csharp: "C#", java: "Java", mcp: "MCP" };

export function code(run, chosen) {
  const made = run.phase === "unanswered" ? run.retrieved : null;
  const sent = made?.sent ?? request(run);
  const languages = Object.keys(LANGUAGES).filter((one) => !made || one !== "mcp");
  const language = languages.includes(chosen) ? chosen : "curl";
  const text = LANGUAGES[language](sent, run);
  const answer = made ? (made.response ?? made.error) : (run.answer ?? run.error);
  const { traceId, requestId } = made ?? run;
  return [
    el(
      "div",
      { class: "languages", role: "group", "aria-label": "Language" },
      languages.map((one) =>
        button(NAMES[one], () => set({ language: one }), {
          class: "quiet",
          "aria-pressed": String(one === language),
          "data-key": `in ${one}`,
        }),
      ),
    ),
    el(
      "p",
      { class: "lead" },
      language === "mcp"
        ? [
            "Posted to ",
            el("code", {}, address(`agents/${encodeURIComponent(run.base)}/mcp`)),
            " with the header api-key. The tool cannot state: ",
            lacking(sent, run).join("; "),
            ".",
          ]
        : [
            "Exactly this call. ",
            !made && [el("code", {}, "detail=explained"), " is for this page: without it the answer is shorter."],
          ],
    ),
    block("The call as code", text, "code"),
    requested(sent),
    answer && block("The answer", JSON.stringify(answer, null, 2), "answer"),
    traceId &&
      el(
        "p",
        { class: "key" },
        "Trace ",
        el("code", {}, traceId),
        requestId && [" · request ", el("code", {}, requestId)],
      ),
  ];
}

/** The address and the body of a call. */
export function requested({ path, body }) {
  const text = JSON.stringify(body, null, 2);
  return block("The request", `POST ${address(path)}\n\n${text}`, "request", text);
}

export const block = (title, text, name, copied = text) =>
  el(
    "section",
    { class: "code", "data-code": name },
    el("h3", {}, title),
    copying("Copy", () => copied, { "data-key": `copy ${name}`, "aria-label": `Copy: ${title}` }),
    el("pre", { tabindex: "0", role: "group", "aria-label": title }, text),
  );
