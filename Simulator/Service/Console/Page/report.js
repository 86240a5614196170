// @ts-check
// A recorded session in a page of its own, with its events and their decodings in the page. Needs no server.
import { decodeWith } from "./decoding.js";
import { showEvent, showMoment } from "./details.js";
import { $, enable, onPress, say, set } from "./dom.js";
import { explain, row, text } from "./lanes.js";
import { momentAfter } from "./moment.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */

/** @type {{events: SessionEvent[], decodings: {[event: string]: any}}} */
const { events, decodings } = JSON.parse($("session").textContent);
decodeWith(String, async (event) => {
  if (!decodings[event]) throw new Error("This exchange cannot be decoded.");
  return decodings[event];
});

/** @type {HTMLElement[]} */
const rows = events.map(row);
/** What the search looks through. */
const texts = events.map((event) => (event.kind + " " + event.detail + " " + text(event)).toLowerCase());
/** The place of the shown event. */
let cursor = 0;

/**
 * Shows the event at a place, which is the first or the last one at the ends.
 * @param {number | undefined} place
 */
function show(place) {
  if (place === undefined || !events[place]) return;
  if (cursor !== place) set(rows[cursor], "aria-selected", "false");
  cursor = place;
  set(rows[cursor], "aria-selected", "true");
  set($("log"), "aria-activedescendant", rows[cursor].id);
  rows[cursor].scrollIntoView({ block: "nearest" });
  const event = events[cursor];
  say($("place"), "After event " + event.id + " of " + events.length);
  showMoment($("moment"), momentAfter(events, event.id));
  showEvent($("detail"), event);
  drawButtons();
}

/** The places of the events that the filter lets through. */
const wanted = () => rows.flatMap((element, place) => (element.hidden ? [] : [place]));

const moves = {
  first: () => show(wanted()[0]),
  back: () => show(wanted().filter((place) => place < cursor).at(-1)),
  forward: () => show(wanted().find((place) => place > cursor)),
  last: () => show(wanted().at(-1)),
};

function drawButtons() {
  const places = wanted();
  const [isBehind, isBefore] = [places.some((place) => place < cursor), places.some((place) => place > cursor)];
  for (const id of ["firstevent", "back"]) enable($(id), isBehind);
  for (const id of ["forward", "lastevent"]) enable($(id), isBefore);
}

function filter() {
  const sought = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean),
    withCard = $("apdus").checked;
  events.forEach((event, place) => {
    rows[place].hidden = (!withCard && event.kind === "apdu") ||
      !sought.every(( /** @type {string} */ word) => texts[place].includes(word));
  });
  drawButtons();
}

/** @type {{[key: string]: () => void}} */
const keys = { ArrowUp: moves.back, ArrowLeft: moves.back, ArrowDown: moves.forward, ArrowRight: moves.forward,
  Home: moves.first, End: moves.last };
$("log").addEventListener("keydown", ( /** @type {KeyboardEvent} */ event) => {
  const move = keys[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  move();
});
$("log").addEventListener("click", ( /** @type {Event} */ event) => {
  const element = /** @type {HTMLElement} */ (event.target).closest("li");
  if (element) show(rows.indexOf(element));
});
onPress($("firstevent"), moves.first);
onPress($("back"), moves.back);
onPress($("forward"), moves.forward);
onPress($("lastevent"), moves.last);
for (const id of ["filter", "apdus"]) $(id).addEventListener("input", filter);

explain($("log"));
$("log").append(...rows);
$("text").open = false;
$("views").hidden = false;
show(0);
