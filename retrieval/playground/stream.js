/* Reads server-sent events while they arrive: https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** Each event of a body, as { event, data }. `data` is parsed JSON. */
export async function* events(body) {
  let rest = "";
  for await (const text of chunks(body)) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const found = event(block);
      if (found) yield found;
    }
  }
}

async function* chunks(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

function event(block) {
  const lines = block.split("\n");
  const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
  const data = lines
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice(6))
    .join("\n");
  return name && data ? { event: name, data: JSON.parse(data) } : null;
}
