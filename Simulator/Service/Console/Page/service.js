// @ts-check
// Requests to the simulator service.

/** @typedef {{id: number, milliseconds: number, kind: string, detail: string, display?: string}} SessionEvent */

let token = "";

/**
 * @param {string} text
 */
export const useToken = (text) => { token = text; };

/** A failed request. */
export class ServiceError extends Error {
  /**
   * @param {number} status the HTTP status; 0 when the server did not answer.
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {{[name: string]: string}} more
 */
const headers = (more) => (token ? { ...more, Authorization: "Bearer " + token } : more);

/** The time for an answer, in milliseconds: a read takes none in the session, other requests let it work. */
const limits = { read: 5000, change: 60000 };

/**
 * Sends a request, and gives up when the server does not answer.
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @param {{accept?: string, type?: string, signal?: AbortSignal}} [options] `type` is that of a body that is no JSON.
 * @returns {Promise<any>} the JSON value, the text, or the picture as a Blob.
 */
export async function ask(method, path, body, options = {}) {
  const fields = headers(options.accept ? { Accept: options.accept } : {});
  if (body !== undefined) fields["Content-Type"] = options.type || "application/json";
  /** @type {Response} */
  let answer;
  /** @type {any} */
  let value;
  try {
    answer = await fetch(path, {
      method,
      headers: fields,
      body: body === undefined || options.type ? body : JSON.stringify(body),
      signal: options.signal || AbortSignal.timeout(method === "GET" ? limits.read : limits.change),
    });
    if (answer.status === 204) return null;
    const type = answer.headers.get("content-type") || "";
    value = type.startsWith("application/json") ? await answer.json() :
      type.startsWith("image/") ? await answer.blob() : await answer.text();
  } catch (error) {
    throw new ServiceError(0, "no_answer", "the server does not answer");
  }
  if (answer.ok) return value;
  const problem = value && value.error ? value.error : { code: "unknown", message: answer.statusText };
  throw new ServiceError(answer.status, problem.code, problem.message + (problem.fix ? "; " + problem.fix : ""));
}

/**
 * Calls `take` with the events of a session as they happen, until the stream ends. Not an EventSource, which cannot
 * send a token.
 * @param {string} session
 * @param {number} last the last known event.
 * @param {(events: SessionEvent[]) => void} take
 * @param {AbortSignal} signal
 */
export async function stream(session, last, take, signal) {
  const answer = await fetch("/v1/sessions/" + session + "/events", {
    headers: headers({ Accept: "text/event-stream", "Last-Event-ID": String(last) }),
    signal,
  });
  if (!answer.ok || !answer.body) throw new ServiceError(answer.status, "no_events", "no events");
  const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await pieces.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() || "";
    const events = blocks.flatMap((block) => {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      return data ? [JSON.parse(data.slice(6))] : [];
    });
    if (events.length) take(events);
  }
}

/**
 * Asks the server again and again whether it is there. It has 0.5 seconds between two questions and 1 second for an
 * answer, so a dead server is noticed within 2 seconds.
 * @param {(isThere: boolean) => void} tell
 */
export async function watch(tell) {
  let wasBusy = false;
  for (;;) {
    const began = performance.now();
    try {
      await ask("GET", "/v1", undefined, { signal: AbortSignal.timeout(1000) });
      wasBusy = false;
      tell(true);
    } catch (error) {
      const isAnswer = error instanceof ServiceError && error.status > 0;
      // A page that was too busy to hear an answer asks once more, at once.
      if (!isAnswer && !wasBusy && performance.now() - began > 1300) {
        wasBusy = true;
        continue;
      }
      wasBusy = false;
      tell(isAnswer);
    }
    await new Promise((done) => setTimeout(done, 500));
  }
}
