// Drives one of Microsoft's unmodified search clients for JavaScript: `node knowledge_base.mjs PACKAGES ADDRESS [API-VERSION]`, over
// http.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, address, speaking] = process.argv.slice(2);
const sdk = createRequire(join(packages, "package.json"))("@azure/search-documents");
// A caller who sets the version by hand, below what the client checks itself.
const policy = {
  name: "speaking",
  sendRequest(request, next) {
    if (speaking) request.url = request.url.replace(/([?&]api-version=)[^&]*/, `$1${speaking}`);
    return next(request);
  },
};
const options = { allowInsecureConnection: true, additionalPolicies: [{ policy, position: "perCall" }] };
const client = new sdk.SearchIndexClient(address, new sdk.AzureKeyCredential("local-admin-key"), options);
const older = "retrieveKnowledge" in sdk.KnowledgeRetrievalClient.prototype;
const [source, base] = ["source-js", "base-js"];
const question = "Why is the street grid of Phoenix so sharply visible from space?";

async function listed(found) {
  const names = [];
  for await (const one of found) names.push(one.name);
  return names.sort();
}

async function failure(call) {
  try {
    await call();
  } catch (error) {
    return { name: error.name, status: error.statusCode };
  }
  throw new Error("It did not fail.");
}

const definition = {
  name: source,
  kind: "searchIndex",
  description: "first",
  searchIndexParameters: { searchIndexName: "earth_at_night", sourceDataFields: [{ name: "title" }] },
};
const put = older
  ? () => client.createOrUpdateKnowledgeSource(source, definition)
  : () => client.createOrUpdateKnowledgeSource(definition);
const seen = { source: (await put()).name };
const members = { name: base, models: [], knowledgeSources: [{ name: source }] };
const created = await client.createOrUpdateKnowledgeBase(base, { ...members, description: "first" });
const updated = await client.createOrUpdateKnowledgeBase(base, { ...members, description: "second" });
const stale = { ...members, etag: created.etag };
seen.base = { description: (await client.getKnowledgeBase(base)).description, changed: created.etag !== updated.etag };
seen.stale = await failure(() => client.createOrUpdateKnowledgeBase(base, stale, { onlyIfUnchanged: true }));
seen.listed = await listed(client.listKnowledgeBases());
seen.sources = await listed(client.listKnowledgeSources());
seen.status = (await client.getKnowledgeSourceStatus(source)).synchronizationStatus;
const asked = new sdk.KnowledgeRetrievalClient(address, base, new sdk.AzureKeyCredential("local-dev-key"), options);
const request = {
  intents: [{ type: "semantic", kind: "semantic", search: question }],
  includeActivity: true,
  knowledgeSourceParams: [
    {
      kind: "searchIndex",
      knowledgeSourceName: source,
      filterAddOn: "page_number eq '105'",
      includeReferences: true,
      includeReferenceSourceData: true,
      rerankerThreshold: 1,
    },
  ],
};
const answer = await (older ? asked.retrieveKnowledge(request) : asked.retrieve(request));
seen.answer = {
  text: JSON.parse(answer.response[0].content[0].text).map((one) => one.ref_id),
  activity: answer.activity.map((one) => one.type),
  references: answer.references.map(({ type, docKey, rerankerScore }) => ({ type, docKey, scored: rerankerScore > 1 })),
};
await client.deleteKnowledgeBase(base);
await client.deleteKnowledgeSource(source);
seen.left = await listed(client.listKnowledgeSources());
console.log(JSON.stringify(seen));
