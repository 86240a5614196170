// @ts-check
// What goes wrong: every menu shows what the server says.
import { $, choices, enable, list, make, onPress, say, set } from "./dom.js";
import { act, at, isLive, onChange, reader, readerAt, state, tell } from "./model.js";
import { words } from "./moment.js";
import { pullOut } from "./reader.js";
import { ask } from "./service.js";

/** @type {[string, string][]} */
const issuer = [
  ["", "works"],
  ["not_reachable", "not reachable"],
  ["request_lost", "request lost"],
  ["answer_lost", "answer lost"],
  ["answer_delayed", "answer late"]
];
/** @type {[string, string][]} */
const readerFaults = [
  ["", "choose a fault"],
  ["card_removed", "card pulled out"],
  ["unplugged", "unplugged"],
  ["unanswered", "no answer"],
  ["truncated", "answer cut short"],
  ["wrong_length", "wrong length"],
  ["huge_length", "huge length"],
  ["wrong_sequence", "wrong sequence number"],
  ["command_stalled", "command refused"],
  ["answer_stalled", "answer refused"],
  ["zero_length_first", "empty transfer first"],
  ["hang", "firmware hangs"],
  ["hardware_error", "hardware error"]
];
/** @type {[string, string][]} */
const printers = [
  ["ready", "ready"],
  ["out_of_paper", "out of paper"],
  ["jammed", "jammed"],
  ["offline", "offline"],
  ["refusing", "refuses jobs"],
  ["away", "server away"],
  ["slow", "slow"],
  ["failing", "fails"]
];
/** @type {[string, string][]} */
const disks = [
  ["working", "works"],
  ["full", "full"],
  ["slow", "slow"],
  ["read_only", "read-only"],
  ["failing", "fails"]
];

/**
 * @param {[string, string][]} table
 * @param {string} word
 */
const text = (table, word) => table.find(([known]) => known === word)?.[1] || words(word);

/**
 * @param {any} fault
 */
function sentence(fault) {
  const place = fault.at ? ", at " + (fault.exchangesOnly ? "exchange " : "command ") + fault.at + " from now" :
    ", until it is reset";
  return "Reader: " + text(readerFaults, fault.fault) + (fault.fault === "hardware_error" ? "" : place);
}

/**
 * @param {any} fault
 */
function issuerSentence(fault) {
  const count = fault.timesLeft;
  return "Issuer: " + text(issuer, fault.fault) + (fault.seconds ? " by " + fault.seconds + " s" : "") +
    (count === undefined ? ", every message" : count === 1 ? ", the next message" : ", the next " + count +
      " messages");
}

/**
 * The menu shows a value that the server knows and this page doesn't.
 * @param {[string, string][]} table
 * @param {string} value
 */
const withValue = (table, value) => (table.some(([word]) => word === value) ? table : [...
  table, /** @type {[string, string]} */ ([value, words(value)])
]);

/**
 * Marks the faults of a menu that are to come.
 * @param {[string, string][]} table
 * @param {any[]} faults
 * @returns {[string, string][]}
 */
const marked = (table, faults) => table.map(([word, name]) => {
  const count = word ? faults.filter((fault) => fault.fault === word).length : 0;
  return [word, name + (count > 1 ? ": " + count + " to come" : count ? ": to come" : "")];
});

/**
 * The menu of the reader's faults: its first line says what is to come.
 * @param {any[]} armed
 * @returns {[string, string][]}
 */
function readerMenu(armed) {
  const [[none], ...faults] = readerFaults;
  const names = [...new Set(armed.map((fault) => text(readerFaults, fault.fault)))];
  return [
    [none, names.length ? "To come: " + names.join(", ") : "choose a fault"],
    ...marked(faults, armed)
  ];
}

function draw() {
  const view = state.view,
    works = isLive();
  const standing = view ? view.issuerFaults || [] : [];
  const armed = view ? view.readers[0].faults || [] : [];
  const isDead = standing.some(( /** @type {any} */ fault) => fault.fault === "not_reachable" && fault.timesLeft ===
    undefined);
  const first = standing.length ? standing[0].fault : "";
  // The first one is the next to apply.
  choices($("issuer"), marked(withValue(issuer, first), standing), first);
  choices($("fault"), readerMenu(armed), "");
  choices($("printer"), withValue(printers, view ? view.printer : "ready"), view ? view.printer : "ready");
  choices($("disk"), withValue(disks, view ? view.disk : "working"), view ? view.disk : "working");
  for (const id of ["issuer", "fault", "printer", "disk"]) set($(id), "aria-disabled", works ? null : "true");
  const lines = [...standing.map(issuerSentence), ...armed.map(sentence)];
  list($("standing"), lines.map((line, index) => ({ line, index })), (entry) => entry.index + entry.line, (entry) =>
    make("li", {}, entry.line));
  set($("nofaults"), "hidden", lines.length > 0);
  enable($("mend"), works && lines.length > 0);
  enable($("crash"), works && view.processRuns);
  enable($("kill"), works);
  set($("kill"), "aria-pressed", String(isDead));
  say($("kill"), isDead ? "Bring the host back" : "Kill the host");
  enable($("corrupt"), works);
}

/**
 * @param {any} body
 */
const arm = (body) => ask("POST", readerAt("/faults"), body);

/**
 * @param {string} fault
 */
function disturb(fault) {
  const place = Math.max(1, Number($("place").value) || 1);
  // What a person can do at once happens at once.
  if (fault === "card_removed" && place === 1 && reader().hasCard) return pullOut();
  return act(async () => {
    if (fault === "unplugged" && place === 1) {
      await ask("POST", readerAt("/unplug"));
      return tell("The reader was unplugged.");
    }
    const isImmediate = fault === "hang" || fault === "hardware_error";
    await arm(isImmediate ? { fault } : { fault, at: place, exchangesOnly: true });
    if (fault === "card_removed" && !reader().hasCard) tell(
      "No card is in the reader. It will be pulled out at exchange " + place + " with a card.");
  });
}

export function start() {
  $("issuer").addEventListener("change", () => {
    const fault = $("issuer").value;
    act(async () => {
      await ask("DELETE", at("/issuer/faults"));
      if (fault) await ask("POST", at("/issuer/faults"), $("once").checked ? { fault, times: 1 } :
        { fault });
    });
  });
  $("fault").addEventListener("change", () => {
    const fault = $("fault").value;
    $("fault").value = "";
    if (fault) disturb(fault);
  });
  $("printer").addEventListener("change", () => act(() => ask("PUT", at("/printer"), { condition: $("printer")
      .value })));
  $("disk").addEventListener("change", () => act(() => ask("PUT", at("/disk"), { condition: $("disk").value })));
  onPress($("crash"), () => act(async () => {
    await ask("POST", at("/process/crash"));
    tell("The till has crashed. Start it again to see what it finishes.");
  }));
  onPress($("kill"), () => {
    const isDead = $("kill").getAttribute("aria-pressed") === "true";
    act(() => (isDead ? ask("DELETE", at("/issuer/faults")) : ask("POST", at(
    "/issuer/faults"), { fault: "not_reachable" })));
  });
  onPress($("corrupt"), () => act(async () => {
    await arm({ fault: "wrong_length", at: 1, exchangesOnly: true, bytes: 3 });
    tell("The reader's next answer with card data has a wrong length.");
  }));
  onPress($("mend"), () => act(async () => {
    await ask("DELETE", at("/issuer/faults"));
    await ask("DELETE", readerAt("/faults"));
  }));
  onChange(draw);
}