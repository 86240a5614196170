// @ts-check
// One event as a row of the timeline. Needs no server.
import { decoding, summary } from "./decoding.js";
import { make, set } from "./dom.js";
import { words } from "./moment.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */

export const lanes = ["Till", "Reader and card", "Journal", "Host", "Store"];
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
/**
 * Returns the place of an event's lane.
 * @param {SessionEvent} event
 */
export const lane = (event) => laneOf[event.kind] ?? 1;

/**
 * Returns an event in a few words.
 * @param {SessionEvent} event
 */
export function text(event) {
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

/**
 * Returns the row of an event.
 * @param {SessionEvent} event
 */
export function row(event) {
  const place = lane(event);
  return make("li", { role: "option", id: "event-" + event.id, class: "lane" + place + " kind-" + event.kind,
      "data-id": event.id, "data-kind": event.kind, title: event.kind === "apdu" ? "" : text(event) },
    make("span", { class: "id" }, event.id), make("span", { class: "time" }, (event.milliseconds / 1000).toFixed(
      3)),
    make("span", { class: "lane" }, lanes[place]), make("span", { class: "text" }, text(event)));
}

/**
 * Shows what an exchange means while the pointer is on its row.
 * @param {Element} list the rows.
 */
export function explain(list) {
  list.addEventListener("pointerover", async (event) => {
    const element = /** @type {HTMLElement | null} */ ( /** @type {Element} */ (event.target).closest("li"));
    if (!element || element.dataset.kind !== "apdu" || element.title) return;
    try {
      set(element, "title", summary(await decoding(Number(element.dataset.id))));
    } catch { /* the details say why */ }
  });
}
