// Asks a knowledge base by @azure/search-documents 13.0.0, which sends no `messages`: each intent is one search.
import { AzureKeyCredential, KnowledgeRetrievalClient } from "@azure/search-documents";

const endpoint = process.env.RETRIEVAL_ENDPOINT ?? "http://localhost:7071";
const key = new AzureKeyCredential(process.env.RETRIEVAL_API_KEY ?? "");
const options = { allowInsecureConnection: endpoint.startsWith("http:") };
const client = new KnowledgeRetrievalClient(endpoint, "earth-at-night", key, options);

const question = process.argv[2] ?? "Why is the street grid of Phoenix so sharply visible from space?";
const answer = await client.retrieve({ intents: [{ type: "semantic", search: question }] });
for (const { title, content } of JSON.parse(answer.response[0].content[0].text).slice(0, 2)) {
  console.log(`${title}: ${content.slice(0, 78)}…`);
}
