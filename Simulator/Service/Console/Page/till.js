// @ts-check
// The till: payments, receipts as they print, and the till's process.
import { $, button, choices, enable, list, make, onPress, say, set } from "./dom.js";
import { act, at, changed, isLive, onChange, readerAt, refreshOrders, state, tell } from "./model.js";
import { words } from "./moment.js";
import { chosenCard } from "./reader.js";
import { ask } from "./service.js";

/** The receipt that is shown: a key, so that it is loaded once. */
let shown = "";
/** @type {"text" | "png"} */
let form = "text";
/** @type {string} the address of the picture, which is released with the next one. */
let picture = "";

const current = () => state.payments.find((payment) => payment.id === state.payment);

/**
 * @param {any} payment
 */
const outcome = (payment) => payment.outcome + (payment.errorCode && payment.errorCode !== payment.outcome ? ": " +
  words(payment.errorCode) : "");

function draw() {
  const view = state.view,
    payment = current(),
    works = isLive();
  const runs = !!view && view.processRuns;
  /** @type {[string, string][]} */
  const orders = state.orders.filter((order) => !order.paid).map((order) =>
    [String(order.id), "order " + order.id + ", " + order.total + " USD"]);
  choices($("order"), [["", "the amount above"], ...orders]);
  set($("orders"), "hidden", !orders.length);
  enable($("pay"), works && runs && !view.running);
  enable($("cancel"), works && !!view.running);
  const canRefund = !!payment && payment.outcome === "approved" && payment.state !== "refunded";
  enable($("refund"), works && runs && canRefund && !view.running);
  enable($("retry"), works && runs && !!payment && ["declined", "cancelled", "failed"].includes(payment.outcome) && !
    view.running);
  enable($("print"), works && runs && !!payment && !payment.running);
  enable($("restart"), works && !runs);
  say($("process"), !view ? "" : runs ? "The till runs." :
    "The till has crashed. Its journal and the issuer keep what they know.");
  set($("process"), "class", runs ? "note" : "note error");
  say($("message"), state.message);
  set($("message"), "class", state.isError ? "note error" : "note");
  set($("message"), "role", state.isError ? "alert" : "status");
  set($("nopayments"), "hidden", state.payments.length > 0);
  list($("payments"), state.payments.slice(-50).reverse(), (entry) => entry.id, row, (element, entry) => {
    set(element, "aria-current", entry.id === state.payment ? "true" : null);
    const [, amount, result, card] = element.children;
    say(amount, entry.amount + " " + entry.currency + (Number(entry.refunded) ? " (−" + entry.refunded + ")" :
      ""));
    say(result, outcome(entry));
    set(result, "class", entry.outcome);
    say(card, entry.card ? (entry.card.brand || "") + (entry.card.lastFour ? " •" + entry.card.lastFour : "") :
      "");
  });
  drawReceipt();
}

/**
 * @param {any} payment
 */
function row(payment) {
  const show = () => { state.payment = payment.id;
    changed(); };
  return make("tr", {}, make("td", {}, button(payment.id, show, { "aria-label": "Show the receipt of " + payment
        .id })),
    make("td"), make("td"), make("td"));
}

async function drawReceipt() {
  // While one runs, the one before is shown.
  const selected = current();
  const payment = selected && !selected.running ? selected : state.payments.filter((entry) => !entry.running).at(-
  1);
  const key = payment ? [state.session, payment.id, payment.state, payment.refunded, payment.outcome, form].join() :
    "";
  set($("receipt"), "hidden", form !== "text");
  set($("picture"), "hidden", form !== "png" || !key);
  if (key === shown || (key && state.view && state.view.pausedAfter !== undefined)) return;
  shown = key;
  if (!payment) return say($("receipt"), "No payment yet.");
  const path = at("/payments/" + payment.id + "/receipt");
  try {
    if (form === "text") say($("receipt"), await ask("GET", path));
    else {
      const image = await ask("GET", path + "?format=png");
      URL.revokeObjectURL(picture);
      picture = URL.createObjectURL(image);
      $("picture").src = picture;
      $("picture").alt = "The receipt of " + payment.id + " as it prints on a roll of 80 mm";
    }
  } catch (error) {
    say($("receipt"), /** @type {Error} */ (error).message);
    set($("receipt"), "hidden", false);
    set($("picture"), "hidden", true);
  }
}

/** Starts another till process and connects its reader. */
const restart = () => act(async () => {
  const report = await ask("POST", at("/process/restart"));
  if (state.view.readers[0].pluggedIn) await ask("POST", readerAt("/connect"));
  tell("The till runs again: " + report.finished + " attempts finished, " + report.open + " open.");
});

/**
 * @param {"text" | "png"} next
 */
function showAs(next) {
  form = next;
  for (const [id, value] of [
      ["astext", "text"],
      ["aspicture", "png"]
    ]) set($(id), "aria-pressed", String(value === next));
  changed();
}

export function start() {
  $("form").addEventListener("submit", ( /** @type {Event} */ event) => {
    event.preventDefault();
    if ($("pay").getAttribute("aria-disabled")) return;
    act(async () => {
      const order = Number($("order").value);
      const payment = await ask("POST", at("/payments"), {
        ...(order ? { order } : { amount: $("amount").value, currency: $("currency").value.toUpperCase() }),
        cardholder: $("byhand").checked ? "by_hand" : "automatic",
        card: chosenCard() || undefined,
      });
      state.payment = payment.id;
      if (order) await refreshOrders();
    });
  });
  onPress($("cancel"), () => act(() => ask("POST", at("/payments/" + state.payment + "/cancel"))));
  onPress($("refund"), () => act(() => ask("POST", at("/payments/" + state.payment + "/refund"), {})));
  onPress($("retry"), () => act(() => ask("POST", at("/payments/" + state.payment + "/retry"), { cardholder: $(
      "byhand").checked ? "by_hand" : "automatic", card: chosenCard() || undefined })));
  onPress($("print"), () => act(async () => {
    const job = await ask("POST", at("/payments/" + state.payment + "/print"));
    tell("Print job " + job.name + ": " + words(job.state) + ".");
  }));
  onPress($("restart"), restart);
  onPress($("astext"), () => showAs("text"));
  onPress($("aspicture"), () => showAs("png"));
  onChange(draw);
}