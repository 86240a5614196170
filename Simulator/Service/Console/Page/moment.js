// @ts-check
// What was to be seen after an event, from the events alone.

/** @typedef {import("./service.js").SessionEvent} SessionEvent */
/** @typedef {{name: string, kind: string, states: string[]}} Attempt */
/**
 * @typedef {object} Moment
 * @property {string} screen the lines on the reader's display.
 * @property {"" | "good" | "bad" | "wait"} tone
 * @property {string} need the action that the reader asks for: card, pin, application, removal; empty for none.
 * @property {string} phase what the kernel does.
 * @property {{[reader: string]: boolean}} cards whether a card is in a reader.
 * @property {{[reader: string]: boolean}} plugged whether a reader is plugged in, where an event says so.
 * @property {string} connected the connected reader.
 * @property {boolean} runs whether the till runs.
 * @property {Attempt[]} journal the attempts in the till's journal.
 * @property {number} exchanges
 * @property {string} step the running step of the till.
 */

/** @type {{[outcome: string]: [text: string, tone: "good" | "bad" | "wait"]}} */
const outcomes = {
  approved: ["Approved", "good"],
  declined: ["Declined", "bad"],
  cancelled: ["Canceled", "bad"],
  failed: ["Failed", "bad"],
  unknown: ["Outcome unknown", "wait"],
  pending: ["Not finished", "wait"],
};

/**
 * Returns the words of an identifier: `card_removed` is "card removed".
 * @param {string} text
 */
export const words = (text) => text.replace(/_/g, " ");

/** @returns {Moment} */
export const beginning = () => ({
  screen: "",
  tone: "",
  need: "",
  phase: "",
  cards: {},
  plugged: {},
  connected: "",
  runs: false,
  journal: [],
  exchanges: 0,
  step: "",
});

/**
 * Changes a moment to that after an event.
 * @param {Moment} moment
 * @param {SessionEvent} event
 */
export function take(moment, event) {
  const { kind, detail } = event;
  /** @type {(screen: string, need?: string, tone?: Moment["tone"]) => void} */
  const show = (screen, need = "", tone = "") => {
    [moment.screen, moment.need, moment.tone] = [screen, need, tone]; };
  switch (kind) {
    case "start":
      moment.runs = true;
      moment.connected = "";
      show("Welcome");
      break;
    case "crash":
      moment.runs = false;
      moment.connected = "";
      moment.step = "";
      show("The till has crashed", "", "bad");
      break;
    case "step":
      moment.step = detail;
      if (/^(pay|retry|refund)\b/.test(detail)) show("Please wait");
      break;
    case "step_ended":
      end(moment, detail, show);
      break;
    case "waiting":
      show(cardPrompt(detail.split(",")), "card");
      break;
    case "display":
      show(event.display ?? detail, moment.need, moment.tone);
      break;
    case "card_in":
      moment.cards[detail] = true;
      break;
    case "card_out":
      moment.cards[detail] = false;
      break;
    case "card_inserted":
    case "card_swiped":
    case "card_tapped":
      show("Please wait");
      break;
    case "remove_card":
      show("Remove the card", "removal");
      break;
    case "card_removed":
    case "approved_and_removed":
      if (moment.need === "removal") show("Please wait");
      break;
    case "plugged_in":
      moment.plugged[detail] = true;
      break;
    case "unplugged":
      moment.plugged[detail] = false;
      break;
    case "disconnected":
      moment.connected = "";
      show("No connection to the till", "", "bad");
      break;
    case "reconnection":
      if (detail === "succeeded") show("Welcome");
      break;
    case "apdu":
      moment.exchanges++;
      break;
    case "kernel":
      phase(moment, detail, show);
      break;
    case "journal":
      record(moment, detail);
      break;
  }
}

/**
 * @param {string[]} ways
 */
export function cardPrompt(ways) {
  if (ways.includes("tap")) return ways.includes("insert") ? "Tap or insert\nthe card" : "Tap the card";
  return ways.includes("swipe") ? (ways.includes("insert") ? "Insert or swipe\nthe card" : "Swipe the card") :
    "Insert the card";
}

/**
 * @param {Moment} moment
 * @param {string} detail
 * @param {(screen: string, need?: string, tone?: Moment["tone"]) => void} show
 */
function phase(moment, detail, show) {
  moment.phase = words(detail);
  if (detail.startsWith("entering_pin")) show(detail.endsWith("again") ? "Wrong PIN, again:" : "Enter PIN", "pin");
  else if (detail === "choosing_application") show("Choose", "application");
  else show("Please wait");
  if (detail.startsWith("ended")) moment.phase = "";
}

/**
 * @param {Moment} moment
 * @param {string} detail
 * @param {(screen: string, need?: string, tone?: Moment["tone"]) => void} show
 */
function end(moment, detail, show) {
  moment.step = moment.phase = "";
  const place = detail.indexOf(": "),
    step = detail.slice(0, place),
    result = detail.slice(place + 2);
  const found = /^P\d+ (\w+)(?: (.+))?$/.exec(result);
  if (step.startsWith("connect ")) {
    moment.connected = step.slice("connect ".length);
    show("Welcome");
  } else if (step === "disconnect") {
    moment.connected = "";
    show("Not connected");
  } else if (found && found[1] === "refunded") show("Refunded", "", "good");
  else if (found && outcomes[found[1]]) {
    const [text, tone] = outcomes[found[1]];
    show(text + (found[2] && found[2] !== found[1] ? "\n" + words(found[2]) : ""), "", tone);
  } else if (/^(pay|retry|refund)\b/.test(step)) show("Failed\n" + result, "", "bad");
}

/**
 * @param {Moment} moment
 * @param {string} detail
 */
function record(moment, detail) {
  const [state, attempt, kind] = detail.split(" ");
  const name = attempt + (kind ? " " + kind : "");
  const known = moment.journal.find((entry) => entry.name === name);
  if (known) known.states = [...known.states, state];
  else moment.journal = [...moment.journal, { name, kind: kind || "", states: [state] }];
}

/**
 * Returns what was to be seen after an event.
 * @param {SessionEvent[]} events
 * @param {number} last the ID of the event.
 * @returns {Moment}
 */
export function momentAfter(events, last) {
  const moment = beginning();
  for (const event of events) {
    if (event.id > last) break;
    take(moment, event);
  }
  return moment;
}