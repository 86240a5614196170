// @ts-check
// The state of the page: one session, its events, and where the reader of the page looks.
import { ask, ServiceError, stream } from "./service.js";
import { beginning, momentAfter, take } from "./moment.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */

/** The state. Only this module changes it. */
export const state = {
  /** @type {string} the ID of the session; empty for none. */
  session: "",
  /** @type {any} the session as the server last described it. */
  view: null,
  /** @type {any} the played scenario that is shown in place of a session; null for none. */
  record: null,
  /** Where the events come from: a name of each session and of each played scenario. */
  source: "",
  /** @type {any[]} */
  payments: [],
  /** @type {any[]} all sessions. */
  sessions: [],
  /** @type {any} */
  catalogue: { cards: [], readerModels: [], issuerRules: [] },
  /** @type {SessionEvent[]} */
  events: [],
  /** @type {{id: number, total: string, paid: boolean}[]} the orders that were unpaid when the session began. */
  orders: [],
  /** The card that this page put into the reader; empty when another client did. */
  inserted: "",
  /** The moment after the newest event. */
  now: beginning(),
  /** @type {number} the event that the page looks back at; 0 for the present. */
  cursor: 0,
  /** @type {string} the chosen payment. */
  payment: "",
  isThere: true,
  /** The number of requests under way. */
  busy: 0,
  message: "",
  isError: false,
  /** The number of events that had happened when the message was shown. */
  messageEvent: 0,
};

/** @type {(() => void)[]} */
const drawers = [];
let isPlanned = false;

/**
 * Calls `draw` after each change.
 * @param {() => void} draw
 */
export const onChange = (draw) => { drawers.push(draw); };

/** Draws the page soon. */
export function changed() {
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    for (const draw of drawers) draw();
  });
}

/** What is to be seen: now, or after the event that the page looks back at. */
export const seen = () => (state.cursor ? momentAfter(state.events, state.cursor) : state.now);

/** Whether the session's controls work: it is there, at the present, and not paused. */
export const isLive = () => !!state.view && state.isThere && !state.cursor && state.view.pausedAfter === undefined;

/**
 * @param {string} path
 */
export const at = (path) => "/v1/sessions/" + state.session + path;
export const reader = () => state.view.readers[0];
/**
 * @param {string} path
 */
export const readerAt = (path) => at("/readers/" + encodeURIComponent(reader().name) + path);

/**
 * @param {string} text
 * @param {boolean} [isError]
 */
export function tell(text, isError = false) {
  [state.message, state.isError, state.messageEvent] = [text, isError, state.events.length];
  changed();
}

// One after the other: keys must come in the order in which they were pressed.
/** @type {Promise<any>} */
let tail = Promise.resolve();

/**
 * Performs work after earlier work, then reads the session again.
 * @param {() => Promise<any>} work
 */
export function act(work) {
  state.busy++;
  tail = tail.then(async () => {
    try {
      tell("");
      await work();
    } catch (error) {
      fail(error);
    } finally {
      await refresh();
      // Its own events may arrive later.
      if (state.view) state.messageEvent = Math.max(state.messageEvent, state.view.events);
      state.busy--;
    }
  });
  return tail;
}

/**
 * @param {any} error
 */
function fail(error) {
  // A pause is shown by itself.
  if (error.code === "paused") return;
  tell(error.message, true);
}

/** The readings of the session that have begun, and the newest one that is shown. */
let [readings, shownReading] = [0, 0];

/** Reads the session again. */
export async function refresh() {
  const session = state.session,
    reading = ++readings;
  if (!session) return changed();
  try {
    const [view, payments] = [await ask("GET", at("")), await ask("GET", at("/payments"))];
    // An answer that a later one has overtaken says how the session was before.
    if (session !== state.session || reading < shownReading) return;
    shownReading = reading;
    [state.view, state.payments] = [view, payments];
    const running = payments.find(( /** @type {any} */ entry) => entry.running);
    if (running) state.payment = running.id;
    if (!payments.some(( /** @type {any} */ entry) => entry.id === state.payment)) state.payment = payments.at(-1)
      ?.id || "";
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unknown_session") {
      leave();
      tell("The session has ended. Choose another one, or make a new one.", true);
    } else if (error instanceof ServiceError && error.status) fail(error);
  }
  changed();
}

/** Reads the list of sessions again. */
export async function refreshList() {
  try { state.sessions = await ask("GET", "/v1/sessions"); } catch { /* shown by the other requests */ }
  changed();
}

/** @type {AbortController | null} */
let feed = null;

/** Shows no session. */
export function leave() {
  feed?.abort();
  feed = null;
  Object.assign(state, { session: "", source: "", view: null, record: null, payments: [], events: [],
    now: beginning(), cursor: 0,
    payment: "", orders: [], inserted: "" });
}

/**
 * Shows a session.
 * @param {string} session
 */
export async function open(session) {
  leave();
  state.session = state.source = session;
  listen(session);
  await refreshOrders();
  await refresh();
}

/** The number of played scenarios. */
let records = 0;

/**
 * Shows a played scenario in place of a session.
 * @param {any} played
 */
export function openRecord(played) {
  leave();
  const events = played.events;
  Object.assign(state, { record: played, source: "played " + ++records, events,
    now: momentAfter(events, events.length) });
  changed();
}

/** Reads the orders of the session's store, if it has one. */
export async function refreshOrders() {
  try {
    const store = await ask("GET", at("/store"));
    state.orders = store.orders.filter((/** @type {any} */ order) => store.unpaid.includes(order.id));
  } catch {
    state.orders = [];
  }
}

/** Forgets the events, for a session that began anew. */
function forget() {
  [state.events, state.now, state.cursor] = [[], beginning(), 0];
}

/**
 * @param {SessionEvent[]} events
 */
function add(events) {
  for (const event of events) {
    // A stream that begins anew repeats events.
    if (event.id !== state.events.length + 1) continue;
    state.events.push(event);
    take(state.now, event);
    // What was said about an earlier step is no longer true.
    if (event.kind === "step" && !state.busy && event.id > state.messageEvent) state.message = "";
  }
}

/**
 * @param {string} session
 */
async function listen(session) {
  const own = feed = new AbortController();
  /** @type {any} */
  let timer = null;
  while (feed === own) {
    try {
      await stream(session, state.events.length, (events) => {
        if (feed !== own) return;
        if (events[0].id === 1 && state.events.length) forget();
        add(events);
        changed();
        clearTimeout(timer);
        if (!state.busy) timer = setTimeout(refresh, 50);
      }, own.signal);
      // It ended with its session, which may have been reset.
      if (feed === own) forget();
      refresh();
    } catch { /* tried again below */ }
    await new Promise((done) => setTimeout(done, 500));
  }
}

/**
 * Looks back at an event; 0 for the present.
 * @param {number} event
 */
export function look(event) {
  const last = state.events.length;
  state.cursor = event <= 0 || event > last ? 0 : event;
  // It is about the present.
  if (state.cursor) state.message = "";
  changed();
}