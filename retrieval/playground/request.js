/* The request of a question: what is sent for a conversation with its settings, and nothing else. */

const LIMITS = {
  threshold: "rerankerThreshold",
  followUps: "maxFollowUps",
  queries: "maxQueries",
  chunks: "maxChunks",
  seconds: "maxRuntimeInSeconds",
  tokens: "maxTokens",
};

const message = ({ role, text }) => ({ role, content: [{ type: "text", text }] });

/** The path and the body. `before` are the turns that the question follows; what nobody set is left out. */
export function request({ base, question, before, settings }) {
  const body = { messages: [...before, { role: "user", text: question }].map(message) };
  if (settings.filter) body.filter = settings.filter;
  const limits = Object.entries(LIMITS).filter(([name]) => settings[name] !== "");
  if (limits.length) body.limits = Object.fromEntries(limits.map(([name, member]) => [member, Number(settings[name])]));
  return { path: `agents/${encodeURIComponent(base)}/answer?detail=explained`, body };
}
