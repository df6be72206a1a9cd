// Drives one of Microsoft's unmodified search clients for JavaScript over sources whose index Azure's ingestion makes:
// `node knowledge_kinds.mjs PACKAGES ADDRESS KINDS [API-VERSION]`, with the kinds as a JSON array.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, address, kinds, speaking] = process.argv.slice(2);
const sdk = createRequire(join(packages, "package.json"))("@azure/search-documents");
const policy = {
  name: "speaking",
  sendRequest(request, next) {
    if (speaking) request.url = request.url.replace(/([?&]api-version=)[^&]*/, `$1${speaking}`);
    return next(request);
  },
};
const options = { additionalPolicies: [{ policy, position: "perCall" }] };
const client = new sdk.SearchIndexClient(address, new sdk.AzureKeyCredential("local-admin-key"), options);
const older = "retrieveKnowledge" in sdk.KnowledgeRetrievalClient.prototype;
const question = "Why is the street grid of Phoenix so sharply visible from space?";
const members = {
  azureBlob: { connectionString: "ResourceId=/a;", containerName: "c" },
  indexedSharePoint: {
    connectionString: "SharePointOnlineEndpoint=https://a.sharepoint.com;",
    containerName: "useQuery",
  },
  indexedOneLake: { fabricWorkspaceId: "w", lakehouseId: "l" },
};

async function listed(found) {
  const names = [];
  for await (const one of found) names.push(one?.name); // undefined: a kind that this client does not know
  return names;
}

async function drive(kind) {
  const name = kind.toLowerCase();
  const definition = { name, kind, [`${kind}Parameters`]: members[kind] };
  const seen = {};
  const put = (description) => {
    const body = { ...definition, description };
    return older ? client.createOrUpdateKnowledgeSource(name, body) : client.createOrUpdateKnowledgeSource(body);
  };
  await put("first");
  await put("second");
  const got = await client.getKnowledgeSource(name);
  seen.got = [got.kind, got.description];
  seen.listed = (await listed(client.listKnowledgeSources())).includes(name);
  seen.status = (await client.getKnowledgeSourceStatus(name)).synchronizationStatus;
  const base = `base-${name}`;
  await client.createOrUpdateKnowledgeBase(base, { name: base, models: [], knowledgeSources: [{ name }] });
  const asked = new sdk.KnowledgeRetrievalClient(address, base, new sdk.AzureKeyCredential("local-dev-key"), options);
  const params = { kind, knowledgeSourceName: name, includeReferences: true, rerankerThreshold: 0 };
  const intent = { type: "semantic", kind: "semantic", search: question };
  const request = { intents: [intent], includeActivity: true, knowledgeSourceParams: [params] };
  const answer = await (older ? asked.retrieveKnowledge(request) : asked.retrieve(request));
  const record = answer.activity.find((one) => one.type === kind);
  const { type, blobUrl, docUrl } = answer.references[0];
  seen.answer = { arguments: record[`${kind}Arguments`]?.search === question, type, place: blobUrl ?? docUrl };
  await client.deleteKnowledgeBase(base);
  await client.deleteKnowledgeSource(name);
  seen.left = (await listed(client.listKnowledgeSources())).includes(name);
  return seen;
}

const seen = {};
for (const kind of JSON.parse(kinds)) seen[kind] = await drive(kind);
console.log(JSON.stringify(seen));
