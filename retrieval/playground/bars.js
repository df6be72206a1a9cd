/* The bars of a run, on a time axis from the click to the last byte. Waiting also has a bar. */

export const NAMES = {
  route: "decide whether to search",
  plan: "plan",
  answer: "read and answer",
};

/** The most milliseconds by which the clocks of the service and of this page may differ. */
const SLACK = 30;

/** The bars, each { key, name, kind, start, ms, record, search, place }; start and ms are milliseconds from the click.

    `placed` is false if the clocks differ or the start is unknown. The bars then begin with the call. */
export function bars(run) {
  const records = run.answer?.activity ?? run.live.activity;
  const total = run.clock.total ?? run.now ?? 0;
  const elapsed = Math.max(0, ...records.map((one) => one.started_ms + one.elapsed_ms));
  const before = offset(run, total, elapsed);
  const shift = before ?? 0;
  const found = records.flatMap((record, place) => of(record, place, shift, run));
  if (!run.answer) found.push(...running(run.live).map((step) => under(step, total)));
  found.sort((one, two) => one.start - two.start);
  if (before !== null) found.unshift(waiting("before", "sending, and the service's way in", 0, first(found, before)));
  const end = shift + elapsed;
  const label = !run.answer
    ? found.some((one) => one.running)
      ? null
      : "waiting"
    : before === null
      ? "the way there and back, not told apart"
      : "rendering, and the way back";
  if (total > end && label) found.push(waiting("after", label, end, total - end));
  return { bars: found, total: Math.max(total, end), placed: before !== null };
}

/** The steps that have begun and not ended. A step that is asked twice has ended as often as it has records. */
export const running = ({ begun, activity }) =>
  begun.filter(
    ({ step }, place) =>
      begun.slice(0, place + 1).filter((one) => one.step === step).length >
      activity.filter((one) => one.step === step && one.prompt).length,
  );

const under = ({ step, started_ms: start }, total) => ({
  key: `running ${step} ${start}`,
  name: NAMES[step] ?? step,
  kind: "model",
  start,
  ms: Math.max(0, total - start),
  running: true,
});

const first = (found, before) => Math.max(before, Math.min(...found.map((one) => one.start)));

const waiting = (key, name, start, ms) => ({ key, name, kind: "waiting", start, ms: Math.max(0, ms) });

/** The milliseconds from the click to the start of the call at the service; null if they are not known. */
function offset(run, total, elapsed) {
  const started = run.answer?.explained.started_at;
  if (!started) return null;
  const found = Date.parse(started) - run.clock.click;
  return found < -SLACK || found + elapsed > total + SLACK
    ? null
    : Math.min(Math.max(0, found), Math.max(0, total - elapsed));
}

function of(record, place, shift, run) {
  const start = shift + record.started_ms;
  if (record.type === "step") {
    const kind = record.prompt ? "model" : "rules";
    return [
      {
        key: `step ${place}`,
        name: NAMES[record.step] ?? record.step,
        kind,
        start,
        ms: record.elapsed_ms,
        record,
        place,
        from: `activity.${place}.elapsed_ms`,
      },
    ];
  }
  const searches = run.answer?.explained.searches ?? [];
  return record.searches.map((search, at) => {
    const position = searches.findIndex((one) => one.round === record.round && one.search === at);
    const made = searches[position];
    return {
      key: `search ${place} ${at}`,
      name: search.query,
      kind: record.round ? "follow" : "search",
      record: search,
      position,
      start: made ? shift + made.started_ms : start,
      ms: search.elapsed_ms,
      made,
      place,
      at,
      from: `activity.${place}.searches.${at}.elapsed_ms`,
    };
  });
}
