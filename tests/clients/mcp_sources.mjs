// Drives Microsoft's unmodified search client for JavaScript over a source that is an MCP server, a kind that it has no
// class for: `node mcp_sources.mjs PACKAGES ADDRESS SERVER API-VERSION`. What it leaves out of a request a policy puts
// in, which clients take as an option; what it leaves out of an answer `onResponse` has.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, address, server, speaking] = process.argv.slice(2);
const sdk = createRequire(join(packages, "package.json"))("@azure/search-documents");
let parameters; // what the policy puts into a definition
const policy = {
  name: "speaking",
  sendRequest(request, next) {
    request.url = request.url.replace(/([?&]api-version=)[^&]*/, `$1${speaking}`);
    if (parameters && request.method === "PUT" && request.url.includes("knowledgesources"))
      request.body = JSON.stringify({ ...JSON.parse(request.body), mcpServerParameters: parameters });
    return next(request);
  },
};
const options = { additionalPolicies: [{ policy, position: "perCall" }] };
const client = new sdk.SearchIndexClient(address, new sdk.AzureKeyCredential("local-admin-key"), options);
const seen = {};
const whole = (name) => ({ onResponse: (raw) => (seen[name] = JSON.parse(raw.bodyAsText)) });
const own = { serverURL: server, tools: [{ name: "search" }] };
const definition = { name: "tools", kind: "mcpServer", description: "first", mcpServerParameters: own };

async function listed() {
  const names = [];
  for await (const source of client.listKnowledgeSources()) names.push(source?.name ?? null);
  return names;
}

seen.alone = await client.createOrUpdateKnowledgeSource(definition).then(
  () => null,
  (error) => [error.statusCode, error.message],
);
parameters = own;
seen.put = (await client.createOrUpdateKnowledgeSource(definition)) ?? null;
await client.createOrUpdateKnowledgeSource({ ...definition, description: "second" });
seen.got = (await client.getKnowledgeSource("tools", whole("gotWhole"))) ?? null;
seen.listed = await listed();
await client.createOrUpdateKnowledgeBase("base", { name: "base", models: [], knowledgeSources: [{ name: "tools" }] });
const asked = new sdk.KnowledgeRetrievalClient(address, "base", new sdk.AzureKeyCredential("local-dev-key"), options);
const params = { kind: "mcpServer", knowledgeSourceName: "tools", includeReferenceSourceData: true };
const request = { intents: [{ type: "semantic", search: "roads" }], includeActivity: true, knowledgeSourceParams: [params] };
const answer = await asked.retrieve(request, whole("answerWhole"));
const members = (value) => Object.keys(value).filter((name) => value[name] !== undefined).sort();
const record = answer.activity.find((one) => one.type === "mcpServer");
seen.answer = { record: members(record), reference: members(answer.references[0]), data: answer.references[0].sourceData };
await client.deleteKnowledgeBase("base");
await client.deleteKnowledgeSource("tools");
seen.left = await listed();
console.log(JSON.stringify(seen));
