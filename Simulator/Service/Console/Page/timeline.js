// @ts-check
// The timeline: till, card, journal, host, and store side by side, and what was to be seen after each event.
import { $, button, enable, list, make, onPress, say, set } from "./dom.js";
import { decoding, tree } from "./decoding.js";
import { act, at, look, onChange, open, refreshList, seen, state, tell } from "./model.js";
import { words } from "./moment.js";
import { ask } from "./service.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */

const lanes = ["Till", "Reader and card", "Journal", "Host", "Store"];
/** @type {{[kind: string]: number}} */
const laneOf = {
  step: 0,
  step_ended: 0,
  action: 0,
  act: 0,
  crash: 0,
  start: 0,
  print: 0,
  update: 1,
  saving: 2,
  journal: 2,
  receipt: 2,
  print_job: 2,
  capture: 2,
  disk_refused: 2,
  host: 3,
  authorizing: 3,
  site: 4,
};
/** The most rows on the page. */
const most = 400;
/** @type {string} */
let drawn = "";
/** @type {string} the event whose details are shown. */
let detailed = "";
/** The number of rows before the shown ones. */
let earlier = 0;

/**
 * @param {SessionEvent} event
 */
const lane = (event) => laneOf[event.kind] ?? 1;

/**
 * @param {SessionEvent} event
 */
function text(event) {
  const { kind, detail } = event;
  if (kind === "apdu") {
    const [command, answer] = detail.split(" ");
    return instruction(command) + " → " + (/^[0-9A-F*]+$/.test(answer) ? answer.slice(-4) : words(detail.slice(command
      .length + 1)));
  }
  return words(kind) + (detail ? " " + (kind === "kernel" ? words(detail) : detail) : "");
}

/** @type {{[ins: string]: string}} */
const instructions = {
  A4: "SELECT",
  B2: "READ RECORD",
  A8: "GET PROCESSING OPTIONS",
  AE: "GENERATE AC",
  CA: "GET DATA",
  20: "VERIFY",
  82: "EXTERNAL AUTHENTICATE",
  84: "GET CHALLENGE",
  88: "INTERNAL AUTHENTICATE",
  C0: "GET RESPONSE",
  24: "PIN CHANGE",
  "1E": "APPLICATION BLOCK",
  "18": "APPLICATION UNBLOCK",
  "16": "CARD BLOCK",
  DA: "PUT DATA",
  DC: "UPDATE RECORD",
};

/**
 * @param {string} command
 */
const instruction = (command) => instructions[command.slice(2, 4)] || "command " + command.slice(0, 8);

/** The events that the filter lets through. */
function wanted() {
  const sought = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean),
    withCard = $("apdus").checked;
  return state.events.filter((event) => (withCard || event.kind !== "apdu") &&
    sought.every(( /** @type {string} */ word) => (event.kind + " " + event.detail + " " + text(event))
    .toLowerCase().includes(word)));
}

/**
 * @param {SessionEvent} event
 */
function row(event) {
  const place = lane(event);
  const element = make("li", { role: "option", id: "event-" + event.id, class: "lane" + place + " kind-" + event
      .kind, "data-id": event.id },
    make("span", { class: "id" }, event.id), make("span", { class: "time" }, (event.milliseconds / 1000).toFixed(
    3)),
    make("span", { class: "lane" }, lanes[place]), make("span", { class: "text" }, text(event)));
  element.title = event.detail;
  return element;
}

function draw() {
  const view = state.view,
    last = state.events.length;
  const events = wanted();
  const cursorPlace = state.cursor ? events.findIndex((event) => event.id >= state.cursor) : -1;
  let end = events.length;
  if (cursorPlace >= 0 && cursorPlace < events.length - most) end = cursorPlace + most / 2;
  const begin = Math.max(0, end - most);
  earlier = begin;
  const key = [state.session, begin, end, events.at(-1)?.id, $("filter").value, $("apdus").checked].join();
  if (key !== drawn) {
    const isAtEnd = $("log").scrollTop + $("log").clientHeight >= $("log").scrollHeight - 40;
    drawn = key;
    list($("log"), events.slice(begin, end), (event) => state.session + "-" + event.id, row);
    if (isAtEnd && !state.cursor) $("log").scrollTop = $("log").scrollHeight;
  }
  say($("count"), last + " events" + (events.length < last ? ", " + events.length + " shown" : "") + (earlier ?
    ", the newest " + (end - begin) + " of them here" : ""));
  const cursor = state.cursor || last;
  for (const element of $("log").querySelectorAll("[aria-selected=true]"))
    if (element.dataset.id !== String(cursor)) set(element, "aria-selected", "false");
  const selected = document.getElementById("event-" + cursor);
  if (selected) set(selected, "aria-selected", "true");
  set($("log"), "aria-activedescendant", selected ? selected.id : null);
  drawStepping(view, last);
  drawDetails(state.events[cursor - 1]);
}

/**
 * @param {any} view
 * @param {number} last
 */
function drawStepping(view, last) {
  const isPaused = !!view && view.pausedAfter !== undefined,
    isThere = !!view && state.isThere;
  const cursor = state.cursor || last;
  enable($("firstevent"), cursor > 1);
  enable($("back"), cursor > 1);
  enable($("forward"), state.cursor > 0);
  enable($("live"), state.cursor > 0);
  enable($("repeat"), isThere && last > 0);
  enable($("pause"), isThere && !isPaused);
  enable($("step"), isThere && isPaused);
  enable($("continue"), isThere && isPaused);
  say($("place"), state.cursor ? "Looking back: after event " + state.cursor + " of " + last +
    ". The session stands at event " + last + "." :
    isPaused ? "Paused after event " + view.pausedAfter + "; the session stands at event " + last + "." :
    "At the present: event " + last + ".");
  set($("place"), "data-state", state.cursor ? "past" : isPaused ? "paused" : null);
  const words = view ? view.breakpoints || [] : [];
  list($("breakpoints"), words, ( /** @type {string} */ word) => word, ( /** @type {string} */ word) =>
    make("li", {}, make("code", {}, word), button("✕", () => setBreakpoints(words.filter(( /** @type {string} */
      other) => other !== word)), { "aria-label": "Remove the breakpoint " + word })));
}

/**
 * @param {SessionEvent | undefined} event
 */
function drawDetails(event) {
  const moment = seen();
  list($("moment"), /** @type {[string, string][]} */ ([
      ["Display", moment.screen.replace("\n", " ") || "dark"],
      ["Card", Object.values(moment.cards).some(Boolean) ? "in the reader" : "not in the reader"],
      ["Till", !moment.runs ? "crashed" : moment.step || "idle"],
      ["Journal", moment.journal.map((entry) => "attempt " + entry.name + ": " + entry.states.join(" → ")).join(
        "; ") || "empty"],
    ]), ([name]) => name, ([name]) => make("div", {}, make("dt", {}, name), make("dd")), (element, [, value]) =>
    say(element.children[1], value));
  const key = event ? state.session + event.id : "";
  if (key === detailed) return;
  detailed = key;
  const place = $("detail");
  if (!event) return place.replaceChildren(make("p", { class: "note" }, "No event."));
  const title = make("h3", {}, "Event " + event.id + ": " + words(event.kind));
  const time = make("p", { class: "note" }, (event.milliseconds / 1000).toFixed(3) + " s on the session's clock, " +
    lanes[lane(event)].toLowerCase());
  const raw = make("p", { class: "raw" }, make("code", {}, event.detail || "no details"));
  place.replaceChildren(title, time, raw);
  if (event.kind !== "apdu") return;
  const waiting = make("p", { class: "note" }, "Decoding…");
  place.append(waiting);
  decoding(event.id).then((decoded) => waiting.replaceWith(tree(decoded)), (error) => say(waiting, error.message));
}

/**
 * @param {string[]} events
 */
const setBreakpoints = (events) => act(() => ask("PUT", at("/breakpoints"), { events }));

/**
 * Lets the session continue.
 * @param {any} body
 */
const go = (body) => act(() => ask("POST", at("/continue"), body));

/**
 * Moves to the next shown event in a direction.
 * @param {number} direction
 */
function move(direction) {
  const events = wanted(),
    cursor = state.cursor || state.events.length + (direction < 0 && !state.cursor ? 1 : 0);
  const from = state.cursor || state.events.length;
  const next = direction < 0 ? events.filter((event) => event.id < from).at(-1) : events.find((event) => event.id >
    cursor);
  show(next ? next.id : direction < 0 ? from : 0);
}

/**
 * Looks at an event and scrolls to it.
 * @param {number} event
 */
function show(event) {
  look(event >= state.events.length ? 0 : event);
  queueMicrotask(() => document.getElementById("event-" + (event || state.events.length))
?.scrollIntoView({ block: "nearest" }));
}

/**
 * @param {KeyboardEvent} event
 */
function type(event) {
  /** @type {{[key: string]: () => void}} */
  const moves = { ArrowUp: () => move(-1), ArrowDown: () => move(1), Home: () => show(wanted()[0]?.id || 0),
  End: () => show(0), Escape: () => show(0) };
  const known = moves[event.key];
  if (!known || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  known();
}

/** Repeats the session up to the event that the page looks at, in a new session. */
const again = () => act(async () => {
  const event = state.cursor || state.events.length;
  const made = await ask("POST", at("/repeat"), { event });
  location.hash = "session=" + made.id;
  await open(made.id);
  await refreshList();
  tell("This is session " + made.id + ", repeated from its seed up to event " + event +
    ", where it is paused. It has the same events.");
});

export function start() {
  $("log").addEventListener("click", ( /** @type {Event} */ event) => {
    const element = /** @type {HTMLElement} */ (event.target).closest("li");
    if (element) show(Number(element.dataset.id));
  });
  $("log").addEventListener("keydown", type);
  onPress($("firstevent"), () => show(wanted()[0]?.id || 0));
  onPress($("back"), () => move(-1));
  onPress($("forward"), () => move(1));
  onPress($("live"), () => show(0));
  onPress($("repeat"), again);
  onPress($("pause"), () => go({ events: 1 }).then(() => {
    if (state.view && state.view.pausedAfter === undefined) tell("The session pauses after its next event.");
  }));
  onPress($("step"), () => go({ events: 1 }));
  onPress($("continue"), () => go({}));
  $("breakform").addEventListener("submit", ( /** @type {Event} */ event) => {
    event.preventDefault();
    const word = $("breakpoint").value.trim();
    if (!word || !state.view) return;
    $("breakpoint").value = "";
    setBreakpoints([...(state.view.breakpoints || []).filter(( /** @type {string} */ other) => other !== word),
      word
    ]);
  });
  for (const id of ["filter", "apdus"]) $(id).addEventListener("input", draw);
  onChange(draw);
}