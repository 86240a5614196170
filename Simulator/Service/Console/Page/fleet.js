// @ts-check
// The console of a back office: lanes, unknown payments, totals, and a settlement.
import { $, button, choices, list, make, onPress, say, set } from "./dom.js";
import { ask, ServiceError, useToken } from "./service.js";

/** What the page shows. */
const state = {
  isKnown: false,
  /** The lanes of all shops. @type {any[]} */
  lanes: [],
  /** @type {any[]} */
  unknown: [],
  /** The pages of unknown payments that are shown. */
  pages: 1,
  /** How many tokens were entered. */
  entered: 0,
  /** How often each kind of work has begun. @type {{[kind: string]: number}} */
  turns: {},
  /** The looks at the lanes that have no answer yet. */
  looks: 0,
  /** What opened the payment. @type {any} */
  opener: null,
};

/** The pause between two looks at the lanes, in milliseconds. */
const pause = 3000;

/** An answer that came after its work had begun again, or for a login whose token is no longer the entered one. */
class LateAnswer extends Error {}

/**
 * Begins work, and returns what asks for it. Answers may come in another order than their requests: what an earlier turn
 * of the same kind asked for is not shown. What one login may see is not for the next one.
 * @param {string} kind
 * @returns {(...request: Parameters<typeof ask>) => Promise<any>}
 */
function turn(kind) {
  const entered = state.entered;
  const number = (state.turns[kind] || 0) + 1;
  state.turns[kind] = number;
  const isLast = () => entered === state.entered && number === state.turns[kind];
  return async (...request) => {
    try {
      const answer = await ask(...request);
      if (isLast()) return answer;
    } catch (error) {
      if (isLast()) throw error;
    }
    throw new LateAnswer();
  };
}

/**
 * An amount in minor units as a decimal with its currency.
 * @param {number} amount
 * @param {any} entry
 */
function money(amount, entry) {
  const digits = String(Math.abs(amount)).padStart(entry.exponent + 1, "0");
  const whole = digits.slice(0, digits.length - entry.exponent);
  const part = entry.exponent ? "." + digits.slice(-entry.exponent) : "";
  return (amount < 0 ? "-" : "") + whole + part + " " + entry.currency;
}

/** @param {number | undefined} milliseconds */
const seconds = (milliseconds) => (milliseconds === undefined ? "" : (milliseconds / 1000).toFixed(1) + " s");

/**
 * @param {number} count
 * @param {string} word
 */
const counted = (count, word) => count + " " + word + (count === 1 ? "" : "s");

/** @param {string} moment */
const time = (moment) => moment.replace("T", " ").replace(/\.\d+Z$|Z$/, " UTC");

/**
 * The path with those query parameters that have a value.
 * @param {string} path
 * @param {{[name: string]: string}} values
 */
function query(path, values) {
  const chosen = Object.entries({ shop: $("shop").value, ...values }).filter(([, value]) => value);
  return chosen.length ? path + "?" + new URLSearchParams(chosen) : path;
}

/**
 * Makes a row whose first cell is its heading.
 * @param {...(string | Node)} cells
 */
const row = (...cells) => make("tr", {}, ...cells.map((cell, place) =>
  (place ? make("td", {}, cell) : make("th", { scope: "row" }, cell))));

/**
 * Fills a table; rows that stay keep their focus.
 * @param {string} id
 * @param {any[]} entries
 * @param {(entry: any) => string} key
 * @param {(entry: any) => (string | Node)[]} cells
 */
function fill(id, entries, key, cells) {
  // A row whose content has changed is a new one.
  list($(id), entries, (entry) => key(entry) + JSON.stringify(entry), (entry) => row(...cells(entry)));
}

/**
 * Does something, and says what went wrong.
 * @param {() => Promise<void>} work
 * @param {Element} [place] where to say it; nil for the top of the page.
 */
async function act(work, place) {
  try {
    await work();
    if (!place) lose("");
  } catch (error) {
    if (error instanceof LateAnswer) return;
    const text = error instanceof ServiceError ? error.message : String(error);
    if (place) say(place, "Failed: " + text + ".");
    else lose(text);
  }
}

/** @param {string} text */
function lose(text) {
  say($("lost"), text && text + (state.isKnown ? ". The page shows the last known state." : "."));
  set($("lost"), "hidden", !text);
}

const stateOf = ( /** @type {any} */ lane) => (lane.replaced ? "replaced" : lane.refused ? "refused: " + lane
  .refused : "");

function draw() {
  const shops = [...new Set(state.lanes.map((lane) => lane.shop))].sort();
  choices($("shop"), [["", "All shops"], ...shops.map((shop) => /** @type {[string, string]} */ ([shop, shop]))]);
  const chosen = $("shop").value;
  const lanes = state.lanes.filter((lane) => !chosen || lane.shop === chosen);
  list($("lanes"), lanes, (lane) => lane.id, () => make("tr"), (element, lane) => {
    const texts = [lane.shop, lane.lane, String(lane.waiting), seconds(lane.lagMilliseconds),
      lane.heardMillisecondsAgo === undefined ? "never" : seconds(lane.heardMillisecondsAgo) + " ago",
      String(lane.payments), String(lane.unknown), String(lane.advices), String(lane.lostAttempts), stateOf(lane)
    ];
    list(element, texts.map((text, place) => ({ text, place })), (cell) => cell.place,
      (cell) => make(cell.place ? "td" : "th", cell.place ? {} : { scope: "row" }),
      (cell, entry) => say(cell, entry.text));
    set(element.children[6], "class", lane.unknown ? "unknown" : null);
    set(element.children[9], "class", lane.refused ? "failed" : null);
  });
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const refused = lanes.filter((lane) => lane.refused).length;
  say($("lanesnote"), lanes.length ? counted(lanes.length, "lane") + ", " + (waiting === 1 ? "1 entry waits" :
    waiting + " entries wait") + (refused ? ", " + refused + " refused" : "") : "No lanes that this login may see.");
  fill("unknown", state.unknown, (payment) => payment.laneId + payment.id, (payment) => [payment.shop, payment.lane,
    button(payment.id, () => showPayment(payment), { "aria-label": "Show payment " + payment.id + " of " +
        payment.lane }),
    money(payment.amount, payment), [payment.brand, payment.last4].filter(Boolean).join(" "), time(payment
      .createdAt)
  ]);
  say($("unknownnote"), state.unknown.length ? "Their lane ends them: cardpresent payments recover." :
    "No payment is unknown.");
}

async function look() {
  state.looks += 1;
  try { await lookOnce(); } finally { state.looks -= 1; }
}

async function lookOnce() {
  const asking = turn("look");
  const lanes = await asking("GET", "/v1/lanes");
  let next = "";
  /** @type {any[]} */
  let found = [];
  for (let page = 0; page < state.pages; page += 1) {
    const answer = await asking("GET", query("/v1/payments", { unknown: "true", limit: "50", after: next }));
    found = found.concat(answer.payments);
    next = answer.next || "";
    if (!next) break;
  }
  Object.assign(state, { lanes, unknown: found });
  set($("more"), "hidden", !next);
  draw();
}

/** @param {any} payment */
const showPayment = (payment) => act(async () => {
  const opener = document.activeElement;
  const found = await turn("payment")("GET", "/v1/lanes/" + payment.laneId + "/payments/" + payment.id);
  say($("h-payment"), "Payment " + payment.id + " of " + payment.lane);
  say($("paymentnote"), money(found.payment.amount, found.payment) + ", " + found.payment.state + ", began " +
    time(found.payment.createdAt) + (found.payment.erased ? ", personal data erased" : ""));
  fill("attempts", found.attempts, (attempt) => String(attempt.number), (attempt) => [attempt.kind, attempt.state,
    money(attempt.amount, attempt), attempt.host, attempt.hostReference || "", time(attempt.updatedAt),
    attempt.problem || ""
  ]);
  say($("receipts"), found.receipts.length ? "Receipts: " + found.receipts.map(( /** @type {any} */ receipt) =>
    receipt.kind + " (version " + receipt.version + ")").join(", ") : "No receipt.");
  set($("payment"), "hidden", false);
  state.opener = opener;
  $("h-payment").focus();
}, $("unknownnote"));

const days = () => ({ since: $("since").value, until: $("until").value });

/** Adds the totals of the lanes up, for each day, brand, and currency. */
const addUp = () => act(async () => {
  const totals = await turn("totals")("GET", query("/v1/report", days()));
  /** @type {Map<string, any>} */
  const sums = new Map();
  for (const total of totals) {
    const key = [total.day, total.brand, total.currency].join(" ");
    const sum = sums.get(key) || { ...total, lanes: 0, sales: 0, salesAmount: 0, refunds: 0, refundsAmount: 0,
      net: 0 };
    sum.lanes += 1;
    for (const name of ["sales", "salesAmount", "refunds", "refundsAmount", "net"]) sum[name] += total[name];
    sums.set(key, sum);
  }
  const rows = [...sums.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
  fill("totals", rows, (sum) => sum.day, (sum) => [sum.day, sum.brand || "none", String(sum.lanes), String(sum.sales),
    money(sum.salesAmount, sum), String(sum.refunds), money(sum.refundsAmount, sum), money(sum.net, sum)
  ]);
  say($("totalsnote"), rows.length ? counted(totals.length, "total") + " of lanes in " + counted(rows.length, "row") :
    "Nothing was captured.");
}, $("totalsnote"));

/**
 * @param {any} side
 * @param {any} entry
 */
const sideText = (side, entry) => (side ? side.sales + " sales, " + side.refunds + " refunds, " + money(side.net,
  entry) : "nothing");

const words = { notSettled: "not settled", notTaken: "not taken by a lane", differs: "differs" };

/** @param {File} file */
const compare = (file) => act(async () => {
  say($("settlementnote"), "Comparing " + file.name + "…");
  $("differences").replaceChildren();
  const result = await turn("settlement")("POST", query("/v1/reconciliations", {}), await file.text(), { type: "text/csv" });
  fill("differences", result.differences, (entry) => entry.day, (entry) => [entry.shop, entry.lane, entry.day,
    entry.brand || "none", words[ /** @type {keyof typeof words} */ (entry.difference)], sideText(entry.ours,
      entry), sideText(entry.theirs, entry)
  ]);
  const count = result.differences.length;
  say($("settlementnote"), file.name + ": " + counted(result.compared, "total") + " compared, " + (count ? count +
    (count === 1 ? " differs" : " differ") : "no difference") + (result.unknownPayments ? "; " +
      (result.unknownPayments === 1 ? "1 payment is unknown" : result.unknownPayments + " payments are unknown") : ""));
}, $("settlementnote"));

/** Shows nothing more: what one login may see is not for the next one. */
function forget() {
  Object.assign(state, { isKnown: false, lanes: [], unknown: [], pages: 1 });
  draw();
  for (const id of ["totals", "differences", "attempts"]) $(id).replaceChildren();
  for (const id of ["who", "lanesnote", "unknownnote", "totalsnote", "settlementnote"]) say($(id), "");
  set($("payment"), "hidden", true);
  set($("more"), "hidden", true);
}

/** Begins with a token. */
const begin = () => act(async () => {
  state.entered += 1;
  forget();
  useToken($("token").value);
  const me = await turn("login")("GET", "/v1/me");
  say($("who"), me.login + ": " + (me.offices.map(( /** @type {any} */ held) => held.office + (held.shop ? " of " +
    held.shop : " of all shops")).join(", ") || "no office"));
  state.isKnown = true;
  await look();
  await addUp();
  document.body.dataset.ready = "yes";
});

$("tokenform").addEventListener("submit", ( /** @type {Event} */ event) => {
  event.preventDefault();
  begin();
});
$("days").addEventListener("submit", ( /** @type {Event} */ event) => {
  event.preventDefault();
  addUp();
});
$("shop").addEventListener("change", () => {
  if (state.isKnown) act(async () => {
    await look();
    await addUp();
  });
});
$("file").addEventListener("change", () => {
  const file = $("file").files[0];
  if (file) compare(file);
  // The same file can be chosen again.
  $("file").value = "";
});
onPress($("more"), () => {
  state.pages += 1;
  act(look);
});
onPress($("csv"), () => act(async () => {
  const text = await turn("file")("GET", query("/v1/report.csv", days()));
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  make("a", { href: address, download: "report.csv" }).click();
  URL.revokeObjectURL(address);
}, $("totalsnote")));
onPress($("closepayment"), () => {
  set($("payment"), "hidden", true);
  $("h-unknown").scrollIntoView();
  // The payment may be known by now, and its row gone.
  (state.opener && state.opener.isConnected ? state.opener : $("h-unknown")).focus({ preventScroll: true });
});

// A slow answer is waited for: the next look would make it late.
setInterval(() => { if (state.isKnown && !document.hidden && !state.looks) act(look); }, pause);
