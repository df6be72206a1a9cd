/* Calls of the service that this page came from, as any client makes them. */

import { AGENTS, NEWEST, key } from "./state.js";

export const ROOT = new URL("..", import.meta.url);

/** The service did not answer at all. */
export class Away extends Error {}

const hex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((one) => one.toString(16).padStart(2, "0")).join("");

/** One call, within a trace of its own: gives the response, the id of the trace and that of the call. */
export async function call(path, { method = "POST", body, accept = "application/json", signal } = {}) {
  const traceId = hex(16);
  const headers = { accept, traceparent: `00-${traceId}-${hex(8)}-01`, "x-ms-client-request-id": traceId };
  if (key.get()) headers["api-key"] = key.get();
  if (body !== undefined) headers["content-type"] = "application/json";
  const said = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  try {
    const response = await fetch(new URL(path, ROOT), said);
    return { response, traceId, requestId: response.headers.get("request-id") ?? "" };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Away("The service does not answer.");
  }
}

/** The error of an answer, whatever its body: status, code, message, details. */
export async function fault(response) {
  const text = await response.text();
  try {
    return { status: response.status, code: "", message: text, details: [], ...JSON.parse(text).error };
  } catch {
    return { status: response.status, code: "", message: text || `The answer has the status ${response.status}.`, details: [] };
  }
}

const listed = async (noun, version) => {
  const { response } = await call(`${noun}?api-version=${version}`, { method: "GET" });
  return response.ok ? { status: 200, value: (await response.json()).value } : { ...(await fault(response)), value: [] };
};

/** The bases with the names and kinds of their sources; or the error, where the caller may not list them. */
export async function bases() {
  const [found, sources] = await Promise.all([listed("knowledgebases", NEWEST), listed("knowledgesources", NEWEST)]);
  const kinds = new Map(sources.value.map((one) => [one.name, one.kind]));
  const sourced = (one) => ({ name: one.name, kind: kinds.get(one.name) ?? "searchIndex" });
  return { ...found, value: found.value.map((one) => ({ name: one.name, sources: one.knowledgeSources.map(sourced) })) };
}

/** The fields that a filter may name, as the MCP tool of the base tells them. */
export async function fields(base) {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const accept = "application/json, text/event-stream";
  const { response } = await call(`knowledgebases/${encodeURIComponent(base)}/mcp`, { body, accept });
  if (!response.ok) return [];
  const described = (await response.json()).result?.tools?.[0]?.description ?? "";
  const found = /Fields that a filter may name: (.+?)\.(?:\s|$)/.exec(described);
  return found ? found[1].split(", ") : [];
}

export { AGENTS };
