// @ts-check
// What the page says about one event, and about what was to be seen after it. Needs no server.
import { decoding, tree } from "./decoding.js";
import { list, make, say } from "./dom.js";
import { lane, lanes } from "./lanes.js";
import { words } from "./moment.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */
/** @typedef {import("./moment.js").Moment} Moment */

/**
 * Shows what was to be seen.
 * @param {Element} place a description list.
 * @param {Moment} moment
 */
export function showMoment(place, moment) {
  list(place, /** @type {[string, string][]} */ ([
      ["Display", moment.screen.replace("\n", " ") || "dark"],
      ["Card", Object.values(moment.cards).some(Boolean) ? "in the reader" : "not in the reader"],
      ["Till", !moment.runs ? "crashed" : moment.step || "idle"],
      ["Journal", moment.journal.map((entry) => "attempt " + entry.name + ": " + entry.states.join(" → ")).join(
        "; ") || "empty"],
    ]), ([name]) => name, ([name]) => make("div", {}, make("dt", {}, name), make("dd")), (element, [, value]) =>
    say(element.children[1], value));
}

/**
 * Shows an event, with its exchange decoded.
 * @param {Element} place
 * @param {SessionEvent | undefined} event
 */
export function showEvent(place, event) {
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
