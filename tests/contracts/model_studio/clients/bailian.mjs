// Drives Alibaba's unmodified SDK for Node and prints what it saw, as one JSON object: `node bailian.mjs PACKAGES ENDPOINT`.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, endpoint] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const bailian = require("@alicloud/bailian20231229");
const { Config } = require("@alicloud/openapi-core").$OpenApiUtil;
const Client = bailian.default;

const base = { indexId: "earth-at-night", query: "Phoenix street grid" };
const calls = {
  plain: base,
  rich: {
    ...base,
    denseSimilarityTopK: 50,
    sparseSimilarityTopK: 60,
    enableReranking: true,
    rerank: [new bailian.RetrieveRequestRerank({ modelName: "gte-rerank-hybrid" })],
    rerankMinScore: 0.05,
    rerankTopN: 2,
    searchFilters: [{ page_number: '["104","105"]' }],
  },
  nested: {
    ...base,
    rerankTopN: 20,
    searchFilters: [
      { _operator: "OR", _conditions: [{ page_number: ["104"] }, { page_number: { like: "10_" } }] },
      { page_number: { neq: "103" } },
    ],
  },
  nothing: { ...base, searchFilters: [{ page_number: "104" }, { page_number: "105" }] },
  unranked: { ...base, enableReranking: false, rerankTopN: 3 },
  hostile: { ...base, query: "q *~+/ 百 'x'!() %25 \u2028 😀" },
  rewritten: {
    indexId: "earth-at-night",
    query: "And what about it at night?",
    enableRewrite: true,
    queryHistory: [
      new bailian.RetrieveRequestQueryHistory({ role: "user", content: "What lights up the Nile delta?" }),
      new bailian.RetrieveRequestQueryHistory({ role: "assistant", content: "Its towns do." }),
    ],
  },
};
const failures = {
  "wrong secret": ["local-ak", "guess", "llm-local", base],
  "unknown key": ["nobody", "local-secret", "llm-local", base],
  "unknown workspace": ["local-ak", "local-secret", "llm-other", base],
  "unknown index": ["local-ak", "local-secret", "llm-local", { ...base, indexId: "nothing" }],
  "empty query": ["local-ak", "local-secret", "llm-local", { ...base, query: "" }],
  "too many": ["local-ak", "local-secret", "llm-local", { ...base, rerankTopN: 21 }],
};

function client(accessKeyId, accessKeySecret) {
  return new Client(new Config({ accessKeyId, accessKeySecret, endpoint, protocol: "http" }));
}

function facts({ statusCode, body }) {
  const { code, message, status, success, requestId, data } = body;
  const nodes = data.nodes.map((node) => [node.text, node.score, node.metadata]);
  return { status_code: statusCode, code, message, status, success, request_id: requestId, nodes };
}

const seen = { failures: {} };
for (const [name, parameters] of Object.entries(calls)) {
  const made = new bailian.RetrieveRequest(parameters);
  seen[name] = facts(await client("local-ak", "local-secret").retrieve("llm-local", made));
}
for (const [name, [key, secret, workspace, parameters]] of Object.entries(failures)) {
  try {
    await client(key, secret).retrieve(workspace, new bailian.RetrieveRequest(parameters));
  } catch (error) {
    const { code, statusCode, requestId, data } = error;
    const told = requestId ?? data?.RequestId ?? null;
    seen.failures[name] = { class: error.name, code, status: statusCode, message: error.message, request_id: told };
  }
}
console.log(JSON.stringify(seen));
