/* Calls the service that sent this page, like any other client. */

import { key } from "./state.js";

export const ROOT = new URL("..", import.meta.url);
const VERSION = "2026-08-01-preview";

const hex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((one) => one.toString(16).padStart(2, "0")).join("");

/** One call with its own trace. Returns the response, the trace id and the request id. */
export async function call(path, { method = "POST", body, accept = "application/json", signal } = {}) {
  const traceId = hex(16);
  const headers = { accept, traceparent: `00-${traceId}-${hex(8)}-01`, "x-ms-client-request-id": traceId };
  if (key.get()) headers["api-key"] = key.get();
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(new URL(path, ROOT), { method, headers, signal, body: text });
  return { response, traceId, requestId: response.headers.get("request-id") ?? "" };
}

/** The status, code, message and details of an error answer. Any body is accepted. */
export async function fault(response) {
  const text = await response.text();
  const error = { status: response.status, code: "", message: text, details: [] };
  try {
    return { ...error, ...JSON.parse(text).error };
  } catch {
    return { ...error, message: text || `The answer has the status ${response.status}.` };
  }
}

async function listed(noun) {
  const { response } = await call(`${noun}?api-version=${VERSION}`, { method: "GET" });
  if (!response.ok) return { ...(await fault(response)), value: [] };
  return { status: 200, value: (await response.json()).value };
}

/** The bases with their effort and the names and kinds of their sources; the error if the caller may not list bases. */
export async function bases() {
  const [found, sources] = await Promise.all([listed("knowledgebases"), listed("knowledgesources")]);
  const kinds = new Map(sources.value.map((one) => [one.name, one.kind]));
  const sourced = ({ name }) => ({ name, kind: kinds.get(name) ?? "searchIndex" });
  return {
    ...found,
    value: found.value.map((one) => ({
      name: one.name,
      sources: one.knowledgeSources.map(sourced),
      effort: one.retrievalReasoningEffort?.kind ?? null,
    })),
  };
}

/** What was left out of the files that the service loaded, as sentences. */
export async function warnings() {
  const { response } = await call("ready", { method: "GET" });
  return (await response.json()).warnings ?? [];
}

/** The fields that a filter may name, from the description of the base's MCP tool. */
export async function fields(base) {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const accept = "application/json, text/event-stream";
  const { response } = await call(`knowledgebases/${encodeURIComponent(base)}/mcp`, { body, accept });
  if (!response.ok) return [];
  const described = (await response.json()).result?.tools?.[0]?.description ?? "";
  const found = /Fields that a filter may name: (.+?)\.(?:\s|$)/.exec(described);
  return found ? found[1].split(", ") : [];
}

/** All documents that one search finds without a model and with the threshold 0; null if the call is refused. */
export async function search({ name, sources }, text) {
  const chosen = { includeReferences: true, includeReferenceSourceData: true, rerankerThreshold: 0 };
  const body = {
    intents: [{ type: "semantic", search: text }],
    retrievalReasoningEffort: { kind: "minimal" },
    maxOutputSizeInTokens: 1_000_000,
    knowledgeSourceParams: sources.map((one) => ({ knowledgeSourceName: one.name, kind: one.kind, ...chosen })),
  };
  const { response } = await call(`knowledgebases/${encodeURIComponent(name)}/retrieve?api-version=${VERSION}`, {
    body,
  });
  return response.ok ? (await response.json()).references : null;
}
