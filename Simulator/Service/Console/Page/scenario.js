// @ts-check
// A session as a scenario file, from its events and from the requests that made them.
import { at, state } from "./model.js";
import { ask } from "./service.js";

/** @typedef {import("./service.js").SessionEvent} SessionEvent */
/** @typedef {{events: number, method: string, path: string, body?: string}} Request */

/** @type {{[fault: string]: string}} the words of scenarios for faults of readers. */
const disturbances = {
  command_stalled: "commandStalled",
  answer_stalled: "answerStalled",
  zero_length_first: "zeroLengthFirst",
  wrong_sequence: "wrongSequence",
  huge_length: "hugeLength",
  unanswered: "unanswered",
  card_removed: "cardRemoved",
  unplugged: "unplugged",
  truncated: "truncated",
  wrong_length: "wrongLength",
};
/** @type {{[fault: string]: string}} the answers of issuer rules. */
const answers = {
  not_reachable: "{ reachable: false }",
  request_lost: "{ lost: request }",
  answer_lost: "{ lost: answer }",
};
const messages = "[authorize, reverse, advise, inquire, refund]";

/**
 * Returns text as a YAML scalar.
 * @param {string} text
 */
const scalar = (text) => (/^[A-Za-z][\w -]*$/.test(text) ? text : JSON.stringify(text));

/**
 * Returns a fault of a reader in the words of a scenario.
 * @param {any} fault
 */
function readerFault(fault) {
  if (fault.fault === "hang") return fault.untilReset === false ? "{ hang: untilReplugged }" : "{ hang: untilReset }";
  if (fault.fault === "hardware_error") return "{ overcurrent: 0 }";
  const word = disturbances[fault.fault] + (/^(truncated|wrong_length)$/.test(fault.fault) ? " " + (fault.bytes ??
    1) : "");
  return "{ " + (fault.exchangesOnly ? "xfrBlock: " : "command: ") + (fault.at ?? 1) + ", do: " + word + " }";
}

/**
 * What a scenario must say again when it changes a part of the world.
 * @typedef {object} World
 * @property {string[]} faults the issuer's rules for the faults on the way to it.
 * @property {number} count the number of these faults so far.
 * @property {string} rules the name of the issuer's rules besides; empty for none.
 * @property {Map<string, string>} conditions the conditions of the printer and the disk.
 */

/**
 * Returns a rule of the issuer for a fault on the way to it. Its own name keeps count of its uses.
 * @param {any} fault
 * @param {number} number
 */
function issuerRule(fault, number) {
  const answer = answers[fault.fault] || "{ delayMilliseconds: " + (fault.seconds ?? 60) * 1000 + " }";
  const affected = fault.messages ? "[" + fault.messages.join(", ") + "]" : messages;
  return "{ name: fault " + number + ", " + (fault.times ? "times: " + fault.times + ", " : "") +
    "when: { messages: " + affected + " }, answer: " + answer + " }";
}

/**
 * Returns the actions of a request about the issuer.
 * @param {Request} request
 * @param {any} body
 * @param {World} world
 * @returns {string[]}
 */
function issuerActions(request, body, world) {
  if (request.path === "/issuer/rules") {
    if (!/^[\w-]+$/.test(body.rules)) return [];
    world.rules = body.rules;
    return world.faults.length ? [] : ["set: { issuer: " + world.rules + " }"];
  }
  if (request.method === "POST") {
    world.faults.push(issuerRule(body, ++world.count));
    return ["set: { issuer: [" + world.faults.join(", ") + "] }"];
  }
  if (!world.faults.length) return [];
  world.faults = [];
  if (world.rules) return ["set: { issuer: " + world.rules + " }"];
  // A repair also undoes these.
  return ["do: mend", ...[...world.conditions].map(([name, value]) => "set: { " + name + ": " + scalar(value) + " }")];
}

/**
 * Returns the actions of a request in the words of a scenario; none for one without.
 * @param {Request} request
 * @param {any} body
 * @param {World} world
 * @returns {string[]}
 */
function actions(request, body, world) {
  if (request.path.startsWith("/issuer/")) return issuerActions(request, body, world);
  const [, last] = /\/([a-z]+)$/.exec(request.path.split("?")[0]) || [];
  switch (last) {
    case "crash":
    case "restart":
      return ["do: " + last];
    case "cancel":
      return ["do: cancel"];
    case "remove":
      return ["do: removeCard"];
    case "insert":
      return [body.card ? "insertCard: " + scalar(body.card) : "do: insertCard"];
    case "tap":
      return [body.card ? "tapCard: " + scalar(body.card) : "do: tapCard"];
    case "away":
      return ["do: moveAway"];
    case "unlock":
      return ["do: unlock"];
    case "swipe":
      return [body.card ? "swipeCard: " + scalar(body.card) : "do: swipeCard"];
    case "plug":
    case "unplug":
    case "connect":
    case "disconnect":
      return ["do: " + last];
    case "printer":
    case "disk":
      world.conditions.set(last, body.condition);
      return ["set: { " + last + ": " + scalar(body.condition) + " }"];
    case "advance":
      return ["wait: " + (body.seconds ? body.seconds + "s" : (body.milliseconds || 0) + "ms")];
    case "retry":
      return ["do: retry"];
    case "refund":
      return [body.amount ? "refund: " + body.amount : "do: refund"];
    case "print":
      return ["do: print"];
    case "faults":
      return ["set: { readerFaults: [" + (request.method === "DELETE" ? "" : readerFault(body)) + "] }"];
    default:
      return [];
  }
}

/**
 * Returns when an action happens during a step: at the newest event before it.
 * @param {SessionEvent[]} events those of the step so far.
 */
function trigger(events) {
  const known = events.filter((event) => event.kind !== "act" && event.kind !== "apdu" && event.kind !== "action");
  const last = known.at(-1);
  if (!last) return "after: 0s";
  const text = (last.kind + " " + last.detail).trim();
  const count = known.filter((event) => (event.kind + " " + event.detail).trim() === text).length;
  return "on: " + scalar(text) + (count > 1 ? ", count: " + count : "");
}

/**
 * Returns the cardholder's reactions to the prompts for a PIN, as the events show them.
 * @param {SessionEvent[]} events
 */
function pins(events) {
  const prompts = events.filter((event) => event.kind === "kernel" && event.detail.startsWith("entering_pin"));
  return prompts.map((prompt, index) => {
    const next = prompts[index + 1]?.id ?? Infinity;
    const answer = events.find((event) => event.id > prompt.id && event.id < next && event.kind === "apdu" &&
      event.detail.startsWith("0020"));
    return answer && / 63C/.test(answer.detail) ? "wrong" : "right";
  });
}

/**
 * Returns the lines of a payment and of what happened during it, and the number of requests that they cover.
 * @param {Request[]} requests the payment's and all later ones.
 * @param {any} body
 * @param {World} world
 * @returns {[lines: string[], count: number]}
 */
function payment(requests, body, world) {
  const begin = requests[0].events;
  const end = state.events.find((event) => event.id > begin && event.kind === "step_ended" && event.detail.startsWith(
    "pay "))?.id ?? Infinity;
  const during = requests.slice(1).filter((request) => request.events < end);
  const own = state.events.filter((event) => event.id > begin && event.id <= end);
  const typed = body.cardholder === "by_hand" ? pins(own) : [];
  const order = state.orders.findIndex((known) => known.id === body.order) + 1;
  const keys = [body.order ? "order: " + order : "amount: " + body.amount];
  if (body.currency && body.currency !== "USD") keys.push("currency: " + body.currency);
  if (body.card) keys.push("card: " + scalar(body.card));
  if (body.cardholder === "by_hand") keys.push("presents: false");
  if (typed.length) keys.push("cardholder: { pins: [" + typed.join(", ") + "] }");
  const result = own.at(-1)?.detail || "";
  const outcome = /: P\d+ (\w+)/.exec(result)?.[1] || (/: the process has crashed/.test(result) ? "crashed" : "");
  const lines = ["  - pay: { " + keys.join(", ") + " }"];
  const acts = during.flatMap((request) => actions(request, JSON.parse(request.body || "{}"), world).map((words) =>
    ({ request, words })));
  if (acts.length) lines.push("    during:");
  for (const { request, words } of acts) {
    lines.push("      - { " + trigger(state.events.filter((event) => event.id > begin && event.id <= request
      .events)) + ", " + words + " }");
  }
  if (outcome) lines.push("    expect: { outcome: " + outcome + " }");
  return [lines, during.length + 1];
}

/**
 * Returns the session as the text of a scenario file.
 * @returns {Promise<string>}
 */
export async function scenario() {
  const view = state.view,
    requests = /** @type {Request[]} */ (await ask("GET", at("/requests")));
  const lines = [
    "template_version: 1", "description: Session " + view.id + " of the console, with seed " + view.seed,
    "seed: " + view.seed, "reader: " + view.readers[0].model,
    ...(view.issuerRules ? ["issuer: " + view.issuerRules] : []),
    ...(state.orders.length ? ["site: { unpaid: [" + state.orders.map((order) => order.total).join(", ") + "] }"] : []),
    "steps:", "  - connect",
  ];
  /** @type {World} */
  const world = { faults: [], count: 0, rules: view.issuerRules || "", conditions: new Map() };
  for (let place = 0; place < requests.length;) {
    const request = requests[place],
      body = JSON.parse(request.body || "{}");
    if (request.method === "POST" && request.path === "/payments") {
      const [own, count] = payment(requests.slice(place), body, world);
      lines.push(...own);
      place += count;
      continue;
    }
    for (const words of actions(request, body, world)) {
      lines.push("  - " + words.replace(
        /^do: (?=connect|restart|crash|unplug|plug|disconnect|retry|refund|print|cancel|removeCard|insertCard|tapCard|moveAway|unlock|mend)/,
        ""));
    }
    place++;
  }
  return lines.join("\n") + "\n";
}
