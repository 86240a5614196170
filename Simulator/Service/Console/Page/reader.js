// @ts-check
// The reader: display, lights, PIN pad, slot, and the card in the hand.
import { $, button, choices, enable, list, make, onPress, say, set } from "./dom.js";
import { act, at, isLive, look, onChange, reader, readerAt, seen, state, tell } from "./model.js";
import { cardPrompt } from "./moment.js";
import { ask } from "./service.js";

const labels = { cancel: ["✕", "Cancel", "red"], correct: ["⌫", "Correct", "yellow"], confirm: ["OK", "Confirm",
    "green"
  ] };
/** @type {string[]} the keys that were pressed and not sent yet. */
let pressed = [];

/** @returns {any} the action that a person must take now. */
const need = () => (state.view && !state.cursor ? state.view.waitingFor : undefined);

/** The card that the menu shows. */
export const chosenCard = () => $("cards").value;

/**
 * @param {any} need
 */
function prompt(need) {
  switch (need.kind) {
    case "card":
      return cardPrompt(need.ways);
    case "removal":
      return "Remove the card";
    case "pin":
      return (need.isRetry ? "Wrong PIN, again:" : "Enter PIN") + "\n" + "●".repeat(need.typedDigits) +
        (need.triesLeft === 1 ? "\nLast try" : "");
    default:
      return "Choose";
  }
}

/**
 * Sends a key. Keys that are pressed meanwhile are sent together.
 * @param {string} key
 */
function press(key) {
  pressed.push(key);
  if (pressed.length > 1) return;
  act(async () => {
    const keys = pressed;
    pressed = [];
    if (keys.length) await ask("POST", readerAt("/press"), { keys });
  });
}

/**
 * @param {KeyboardEvent} event
 */
function type(event) {
  if (need()?.kind !== "pin" || !isLive() || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest("input, select, textarea, dialog, [role=listbox], [role=tree]")) return;
  const named = { Backspace: "correct", Delete: "correct", Enter: "confirm", Escape: "cancel" };
  const key = /^[0-9]$/.test(event.key) ? event.key : /** @type {any} */ (named)[event.key];
  // Enter on a key of the pad presses that key.
  if (!key || (key === "confirm" && target.closest("#keys"))) return;
  event.preventDefault();
  press(key);
}

function draw() {
  const view = state.view,
    moment = seen();
  const first = view && view.readers[0];
  const asked = need();
  // Of a played scenario there is only what its events say.
  const isTold = !!state.cursor || !!state.record;
  const plugged = Object.values(moment.plugged);
  const isIn = state.record ? !!moment.connected || !plugged.length || plugged.some(Boolean) : first ?
    moment.plugged[first.name] ?? (state.cursor ? true : first.pluggedIn) : false;
  const hasCard = state.record ? Object.values(moment.cards).some(Boolean) : first ?
    (state.cursor ? !!moment.cards[first.name] : first.hasCard) : false;
  const waits = asked ? asked.kind : isTold ? moment.need : "";
  const isRunning = isTold ? !!moment.step : view && view.running;
  let text = asked ? prompt(asked) : moment.screen,
    tone = asked ? "" : moment.tone;
  if (!asked && moment.need && !isTold) text = "Please wait";
  if (!view && !state.record) text = "No session";
  else if (!isIn)[text, tone] = ["Unplugged", "bad"];
  else if (!isTold && !first.connected && !moment.tone) text = "Not connected";
  say($("display"), text);
  set($("display"), "data-tone", tone || null);
  say($("phase"), state.record ? "after event " + (state.cursor || state.events.length) : !view ? "" :
    state.cursor ? "after event " + state.cursor : view.pausedAfter !== undefined ?
    "paused after event " + view.pausedAfter : moment.phase);
  const lit = !isIn ? 0 : waits === "removal" ? 4 : waits === "pin" ? 3 : isRunning ? 2 : (state.record ? moment
    .connected : first && first.connected) ? 1 : 0;
  [...$("lights").children].forEach((light, index) => set(light, "class", index < lit ? (tone === "bad" ? "red" :
    "on") : ""));
  const isHeld = !isTold && !!first && first.cardInField;
  set($("card"), "class", hasCard && !isHeld ? "card in" : waits === "card" ? "card" : "card away");
  if (!state.cursor && first && !hasCard) state.inserted = "";
  say($("card"), state.record ? "card" : !hasCard ? chosenCard() : state.inserted || "card");
  say($("slot"), hasCard && !isHeld ? "A card is in the reader" : "No card is in the reader");
  $("field").hidden = !first || !first.ways.includes("tap");
  set($("field"), "data-card", isHeld);
  set($("field"), "data-asks", waits === "card");
  say($("held"), isHeld ? (state.inserted || "card") + " is held here" : "Hold the card here");
  if (!state.record) drawCards(first, hasCard);
  for (const key of $("keys").children) enable(key, isLive());
  set($("reader"), "data-past", state.cursor ? "yes" : null);
  say($("present"), state.record ? "To the end" : "Back to the present");
  const applications = asked && asked.kind === "application" ? asked.applications : [];
  list($("choices"), applications.map(( /** @type {string} */ name, /** @type {number} */ index) => ({ name,
      index })),
    (entry) => entry.index + entry.name,
    (entry) => button(entry.name, () => act(() => ask("POST", at("/choice"), { application: entry.index }))));
}

/**
 * @param {any} first
 * @param {boolean} hasCard
 */
function drawCards(first, hasCard) {
  const cards = state.view ? state.view.cards : [];
  const sought = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = cards.filter(( /** @type {any} */ card) => sought.every(( /** @type {string} */ word) => (card.name +
    " " + card.summary).toLowerCase().includes(word)));
  choices($("cards"), (found.length ? found : cards).map(( /** @type {any} */ card) => [card.name, card.name]));
  say($("found"), !sought.length ? cards.length + " cards" : found.length ? found.length + " of " + cards.length +
    " cards" : "No card matches; all are shown");
  const card = cards.find(( /** @type {any} */ entry) => entry.name === chosenCard());
  say($("cardnote"), card ? card.summary : "");
  const works = isLive();
  enable($("insert"), works && (!hasCard || first.cardInField) && !!first && first.ways.includes("insert") &&
    !!card && card.chip);
  enable($("swipe"), works && !!first && first.ways.includes("swipe") && !!card && card.stripe);
  enable($("remove"), works && hasCard);
  const canTap = !!first && first.ways.includes("tap");
  $("taps").hidden = !canTap;
  enable($("tap"), works && canTap && !first.cardInField && !!card);
  enable($("away"), works && canTap && first.cardInField);
  enable($("unlock"), works && canTap && !!card && card.contactless);
  enable($("plug"), works && !!first && !first.pluggedIn);
  enable($("unplug"), works && !!first && first.pluggedIn);
  enable($("connect"), works && !!first && first.pluggedIn && !first.connected);
}

/** Takes the card out at once, and says what that meant. */
export function pullOut() {
  const isWanted = need()?.kind === "removal";
  return act(async () => {
    await ask("POST", readerAt("/remove"));
    if (!isWanted) tell("The card was pulled out.");
  });
}

export function start() {
  $("keys").replaceChildren(...["1", "2", "3", "4", "5", "6", "7", "8", "9", "cancel", "0", "correct", "confirm"].map(
    (key) => {
      const [text, name, color] = /** @type {any} */ (labels)[key] || [key, "Key " + key, ""];
      return button(text, () => press(key), { "aria-label": name, class: color, "data-key": key });
    }));
  document.addEventListener("keydown", type);
  onPress($("insert"), () => act(async () => {
    const card = chosenCard();
    await ask("POST", readerAt("/insert"), { card });
    state.inserted = card;
  }));
  onPress($("tap"), () => act(async () => {
    const card = chosenCard();
    await ask("POST", readerAt("/tap"), { card });
    state.inserted = card;
  }));
  onPress($("away"), () => act(() => ask("POST", readerAt("/away"))));
  onPress($("unlock"), () => act(() => ask("POST", at("/cards/" + encodeURIComponent(chosenCard()) + "/unlock"))));
  onPress($("swipe"), () => act(() => ask("POST", readerAt("/swipe"), { card: chosenCard() })));
  onPress($("remove"), pullOut);
  for (const word of ["plug", "unplug", "connect"]) onPress($(word), () => act(() => ask("POST", readerAt("/" +
    word))));
  $("search").addEventListener("input", draw);
  $("cards").addEventListener("change", draw);
  onPress($("present"), () => look(0));
  onChange(draw);
}