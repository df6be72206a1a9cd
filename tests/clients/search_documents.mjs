// Drives Microsoft's unmodified search clients for JavaScript over an index: `node search_documents.mjs PACKAGES ADDRESS KEY`.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, address, key] = process.argv.slice(2);
const sdk = createRequire(join(packages, "package.json"))("@azure/search-documents");
const options = { allowInsecureConnection: true };
const credential = new sdk.AzureKeyCredential(key);
const indexes = new sdk.SearchIndexClient(address, credential, options);
const boats = new sdk.SearchClient(address, "boats", credential, options);

async function all(found) {
  const list = [];
  for await (const one of found) list.push(one);
  return list;
}

const created = await indexes.createIndex({
  name: "boats",
  fields: [
    { name: "id", type: "Edm.String", key: true, filterable: true },
    { name: "story", type: "Edm.String", searchable: true, analyzerName: "en.lucene" },
    {
      name: "vector",
      type: "Collection(Edm.Single)",
      searchable: true,
      vectorSearchDimensions: 3,
      vectorSearchProfileName: "near",
    },
  ],
  suggesters: [{ name: "sg", searchMode: "analyzingInfixMatching", sourceFields: ["story"] }],
  vectorSearch: {
    algorithms: [{ name: "graph", kind: "hnsw" }],
    vectorizers: [
      {
        vectorizerName: "model",
        kind: "azureOpenAI",
        parameters: { resourceUrl: "https://models.invalid", deploymentId: "d", modelName: "m", apiKey: "hunter2" },
      },
    ],
    profiles: [{ name: "near", algorithmConfigurationName: "graph", vectorizerName: "model" }],
  },
});
const updated = await indexes.createOrUpdateIndex({ ...created, description: "all of them" });
await indexes.createSynonymMap({ name: "words", synonyms: ["ketch, yawl"] });
await indexes.createAlias({ name: "fleet", indexes: ["boats"] });
await boats.uploadDocuments([
  { id: "1", story: "A ketch has two masts.", vector: [1, 0, 0] },
  { id: "2", story: "A punt has none.", vector: [0, 1, 0] },
]);
const marked = { highlightPreTag: "<b>", highlightPostTag: "</b>" };
const statistics = await indexes.getServiceStatistics();
const seen = {
  names: await all(indexes.listIndexesNames()),
  listed: (await all(indexes.listIndexes())).map((one) => one.name),
  maps: await indexes.listSynonymMapsNames(),
  aliases: (await all(indexes.listAliases())).map((one) => one.name),
  same: { ...updated, eTag: created.eTag, description: created.description },
  created,
  statistics: (await indexes.getIndexStatistics("boats")).documentCount,
  counted: [statistics.counters.documentCounter.usage, statistics.counters.aliasCounter.usage],
  found: (await all((await boats.search("masts")).results)).map((one) => one.document.id),
  suggested: (await boats.suggest("ket", "sg", marked)).results.map((one) => one.text),
  completed: (await boats.autocomplete("ket", "sg", marked)).results,
  document: await boats.getDocument("1", { selectedFields: ["id"] }),
  count: await boats.getDocumentsCount(),
  analyzed: (await indexes.analyzeText("boats", { text: "two masts", analyzerName: "en.lucene" })).tokens.length,
};
await indexes.deleteAlias("fleet");
await indexes.deleteIndex("boats");
console.log(JSON.stringify({ ...seen, left: await all(indexes.listIndexesNames()) }));
