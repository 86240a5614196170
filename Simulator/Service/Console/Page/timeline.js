// @ts-check
// The timeline: till, card, journal, host, and store side by side, and what was to be seen after each event.
import { showEvent, showMoment } from "./details.js";
import { $, button, enable, list, make, onPress, say, set } from "./dom.js";
import { explain, row, text } from "./lanes.js";
import { act, at, look, onChange, open, refreshList, seen, state, tell } from "./model.js";
import { ask } from "./service.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */

/** The most rows on the page. */
const most = 400;
/** @type {string} */
let drawn = "";
/** @type {string} the event whose details are shown. */
let detailed = "";
/** The number of rows before the shown ones. */
let earlier = 0;

/** The events that the filter lets through. */
function wanted() {
  const sought = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean),
    withCard = $("apdus").checked;
  return state.events.filter((event) => (withCard || event.kind !== "apdu") &&
    sought.every(( /** @type {string} */ word) => (event.kind + " " + event.detail + " " + text(event))
    .toLowerCase().includes(word)));
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
  const key = [state.source, begin, end, events.at(-1)?.id, $("filter").value, $("apdus").checked].join();
  if (key !== drawn) {
    const isAtEnd = $("log").scrollTop + $("log").clientHeight >= $("log").scrollHeight - 40;
    drawn = key;
    list($("log"), events.slice(begin, end), (event) => state.source + "-" + event.id, row);
    if (isAtEnd && !state.cursor) $("log").scrollTop = $("log").scrollHeight;
  }
  say($("count"), last + " events" + (events.length < last ? ", " + events.length + " shown" : "") + (earlier ?
    ", the newest " + (end - begin) + " of them here" : "") + (view && view.eventHash && view.events === last ?
    "; hash " + view.eventHash.slice(0, 8) : ""));
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
  say($("live"), state.record ? "End" : "Present");
  say($("place"), state.record ? "After event " + cursor + " of " + last + "." : state.cursor ?
    "Looking back: after event " + state.cursor + " of " + last + ". The session stands at event " + last + "." :
    isPaused ? "Paused after event " + view.pausedAfter + "; the session stands at event " + last + "." :
    "At the present: event " + last + ".");
  set($("place"), "data-state", state.record ? null : state.cursor ? "past" : isPaused ? "paused" : null);
  const words = view ? view.breakpoints || [] : [];
  list($("breakpoints"), words, ( /** @type {string} */ word) => word, ( /** @type {string} */ word) =>
    make("li", {}, make("code", {}, word), button("✕", () => setBreakpoints(words.filter(( /** @type {string} */
      other) => other !== word)), { "aria-label": "Remove the breakpoint " + word })));
}

/**
 * @param {SessionEvent | undefined} event
 */
function drawDetails(event) {
  showMoment($("moment"), seen());
  const key = event ? state.source + "-" + event.id : "";
  if (key === detailed) return;
  detailed = key;
  showEvent($("detail"), event);
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
export function show(event) {
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
    ", where it is paused. It has the same events; their hash is " + made.eventHash.slice(0, 8) + ".");
});

export function start() {
  explain($("log"));
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