/* The request as code: curl, Python of each generation of Microsoft's SDK, JavaScript, MCP. The key is never in it. */

import { request } from "./ask.js";
import { copied, el } from "./element.js";
import { ROOT } from "./service.js";

const KEY = "YOUR-KEY";
const json = (value, by = 0) => JSON.stringify(value, null, by);
const ascii = (text) => text.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** A literal of Python: JSON with nothing beyond ASCII, and no pairs of surrogates, which Python keeps apart. */
const literal = (text) => ascii(json(text).replace(/[\u{10000}-\u{10ffff}]/gu, (one) => `\\U${one.codePointAt(0).toString(16).padStart(8, "0")}`));
const endpoint = () => ROOT.href.replace(/\/$/, "");

function curl(settings, turns, sources) {
  const { path, accept, body } = request(settings, turns, sources);
  const data = json(body).replaceAll("'", "'\\''");
  return `curl -sN '${endpoint()}/${path}' \\\n  -H 'api-key: ${KEY}' -H 'Content-Type: application/json' -H 'Accept: ${accept.split(",")[0]}' \\\n  -d '${data}'`;
}

const messages = (turns, message, content) => `[${turns.map(({ role, text }) => `${message}(role="${role}", content=[${content}(text=${literal(text)})])`).join(",\n    ")}]`;
const narrowed = ({ filter, threshold }) => [filter && `filter_add_on=${literal(filter)}`, threshold !== "" && `reranker_threshold=${threshold}`].filter(Boolean);

/** 11.6.0b12: one index, in 2025-05-01-preview. */
function python2025May(settings, turns, sources) {
  const source = sources[0]?.name ?? "YOUR-INDEX";
  return `# pip install azure-search-documents==11.6.0b12
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent.models import (
    KnowledgeAgentIndexParams, KnowledgeAgentMessage, KnowledgeAgentMessageTextContent, KnowledgeAgentRetrievalRequest,
)

client = KnowledgeAgentRetrievalClient(${literal(endpoint())}, ${literal(settings.base)}, AzureKeyCredential("${KEY}"))
messages = ${messages(turns, "KnowledgeAgentMessage", "KnowledgeAgentMessageTextContent")}
index = KnowledgeAgentIndexParams(${[`index_name=${literal(source)}`, ...narrowed(settings)].join(", ")})
result = client.retrieve(KnowledgeAgentRetrievalRequest(messages=messages, target_index_params=[index]))
print(result.response[0].content[0].text)`;
}

/** 11.7.0b1: knowledge sources, in 2025-08-01-preview, which can state a filter alone. */
function python2025August(settings, turns, sources) {
  const chosen = settings.filter ? sources.map(({ name }) => `SearchIndexKnowledgeSourceParams(knowledge_source_name=${literal(name)}, filter_add_on=${literal(settings.filter)})`) : [];
  return `# pip install azure-search-documents==11.7.0b1
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent.models import (
    KnowledgeAgentMessage, KnowledgeAgentMessageTextContent, KnowledgeAgentRetrievalRequest, SearchIndexKnowledgeSourceParams,
)

client = KnowledgeAgentRetrievalClient(${literal(endpoint())}, ${literal(settings.base)}, AzureKeyCredential("${KEY}"))
messages = ${messages(turns, "KnowledgeAgentMessage", "KnowledgeAgentMessageTextContent")}
sources = [${chosen.join(", ")}]
result = client.retrieve(KnowledgeAgentRetrievalRequest(messages=messages, knowledge_source_params=sources))
print(result.response[0].content[0].text)`;
}

/** From 11.7.0b2 on: knowledge bases. 12.0.0 has intents, and neither a conversation nor an effort above minimal. */
const bases = (version) => (settings, turns, sources) => {
  const input = version === "12.0.0" || settings.effort === "minimal" ? intents(turns) : conversation(turns);
  const more = version === "12.0.0" ? [] : stated(settings, version);
  const chosen = narrowed(settings);
  const params = chosen.length ? sources.map(({ name }) => `SearchIndexKnowledgeSourceParams(${[`knowledge_source_name=${literal(name)}`, ...chosen].join(", ")})`) : [];
  const members = [input.code, ...more, `knowledge_source_params=[${params.join(", ")}]`, "include_activity=True"];
  const words = [...input.words, ...(more.join().match(/Knowledge\w+ReasoningEffort/g) ?? []), "KnowledgeBaseRetrievalRequest", "SearchIndexKnowledgeSourceParams"];
  const named = version === "11.7.0b2" ? `${literal(settings.base)}, AzureKeyCredential("${KEY}")` : `AzureKeyCredential("${KEY}"), knowledge_base_name=${literal(settings.base)}`;
  return `# pip install azure-search-documents==${version}
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient
from azure.search.documents.knowledgebases.models import (
    ${words.join(",\n    ")},
)

client = KnowledgeBaseRetrievalClient(${literal(endpoint())}, ${named})
request = KnowledgeBaseRetrievalRequest(
    ${members.join(",\n    ")},
)
result = client.retrieve(request)
print(result.response[0].content[0].text)`;
};

const intents = (turns) => ({ code: `intents=[KnowledgeRetrievalSemanticIntent(search=${literal(turns.at(-1).text)})]`, words: ["KnowledgeRetrievalSemanticIntent"] });
const conversation = (turns) => ({ code: `messages=${messages(turns, "KnowledgeBaseMessage", "KnowledgeBaseMessageTextContent")}`, words: ["KnowledgeBaseMessage", "KnowledgeBaseMessageTextContent"] });

/** The effort and the output of a call, where the version can state them. */
function stated({ effort, mode }, version) {
  const kind = effort === "auto" && version === "11.7.0b2" ? "" : effort;
  const said = kind && `retrieval_reasoning_effort=KnowledgeRetrieval${kind[0].toUpperCase()}${kind.slice(1)}ReasoningEffort()`;
  return [said, mode === "answerSynthesis" && effort !== "minimal" && 'output_mode="answerSynthesis"'].filter(Boolean);
}

/** 13: intents and no conversation, as in 2026-04-01. */
function javascript(settings, turns, sources) {
  const { body } = request({ ...settings, way: "base", effort: "minimal" }, turns, sources);
  const intents = body.intents.map((one) => ({ ...one, kind: "semantic" }));
  const asked = { intents, includeActivity: true, knowledgeSourceParams: body.knowledgeSourceParams ?? [] };
  return `// npm install @azure/search-documents@13
import { AzureKeyCredential, KnowledgeRetrievalClient } from "@azure/search-documents";

const client = new KnowledgeRetrievalClient(${literal(endpoint())}, ${literal(settings.base)}, new AzureKeyCredential("${KEY}")${ROOT.protocol === "http:" ? ", { allowInsecureConnection: true }" : ""});
const result = await client.retrieve(${ascii(json(asked, 2))});
console.log(result.response[0].content[0].text);`;
}

function mcp(settings, turns) {
  const url = `${endpoint()}/knowledgebases/${encodeURIComponent(settings.base)}/mcp`;
  const given = { messages: turns.map(({ role, text }) => ({ role, content: text })) };
  if (settings.filter) given.filter = settings.filter;
  if (settings.threshold !== "") given.rerankerThreshold = Number(settings.threshold);
  const server = { mcpServers: { [settings.base]: { type: "http", url, headers: { "api-key": KEY } } } };
  const called = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "knowledge_base_retrieve", arguments: given } };
  return `${json(server, 2)}\n\n# what a client then posts\n${json(called, 2)}`;
}

const LANGUAGES = {
  curl, "Python 11.6.0b12": python2025May, "Python 11.7.0b1": python2025August, "Python 11.7.0b2": bases("11.7.0b2"),
  "Python 12.0.0": bases("12.0.0"), "Python 12.1.0b2": bases("12.1.0b2"), JavaScript: javascript, MCP: mcp,
};

class Copy extends HTMLElement {
  show(settings, turns, sources) {
    const offered = settings.way === "answer" ? ["curl"] : Object.keys(LANGUAGES);
    const code = el("pre", { tabindex: "0", "aria-label": "The request as code" });
    const select = el("select", { "aria-label": "Language", onchange: () => write() }, offered.map((one) => el("option", {}, one)));
    const write = () => (code.textContent = LANGUAGES[select.value](settings, turns, sources));
    const button = el("button", { type: "button", class: "quiet", onclick: () => copied(button, code.textContent) }, "Copy");
    this.replaceChildren(el("details", { class: "card" }, el("summary", {}, "The request as code"), el("div", { class: "line-up" }, select, button), code));
    write();
  }
}

customElements.define("play-copy", Copy);
