// @ts-check
// The list of sessions: choose, make, share, reset, and end one.
import { $, choices, enable, make, onPress, say } from "./dom.js";
import { act, at, leave, onChange, open, refreshList, state, tell } from "./model.js";
import { scenario } from "./scenario.js";
import { ask, ServiceError } from "./service.js";

const here = () => new URLSearchParams(location.hash.slice(1)).get("session") || "";

/**
 * @param {any} session
 */
const title = (session) => session.id + ": seed " + session.seed + ", " + session.readers[0].model + ", " + session
  .events + " events";

function draw() {
  const view = state.view;
  const known = state.sessions.filter((session) => session.id !== state.session);
  const all = view ? [...known, view].sort((one, other) => Number(one.id.slice(1)) - Number(other.id.slice(1))) :
    known;
  choices($("sessions"), [...(view ? [] : [ /** @type {[string, string]} */ (["", state.record ? "scenario " + state
      .record.name : all.length ? "choose a session" : "no session"
    ])]),
    ...all.map((session) => /** @type {[string, string]} */ ([session.id, title(session)]))
  ], state.session);
  say($("clock"), view ? view.clock.now.replace("T", " ").replace(/\.\d+Z$|Z$/, "") : "");
  for (const id of ["share", "save", "delete", "reset", "advance"]) enable($(id), !!view && state.isThere);
  choices($("model"), state.catalogue.readerModels.map(( /** @type {string} */ name) => [name, name]), $("model")
    .value || "pinpad");
}

/**
 * Shows a session, and names it in the address.
 * @param {string} session
 */
async function go(session) {
  if (here() !== session) history.pushState(null, "", session ? "#session=" + session : location.pathname);
  await open(session);
}

/**
 * Makes a session with every card of the catalog.
 * @param {any} [plan]
 */
async function create(plan) {
  const cards = state.catalogue.cards.slice(0, 100).map(( /** @type {any} */ card) => card.name);
  const first = state.catalogue.standardCards || [];
  const made = await ask("POST", "/v1/sessions", { cards: [...first, ...cards.filter(( /** @type {string} */
      name) => !first.includes(name))], ...plan });
  await go(made.id);
  await refreshList();
}

/** The plan of the form. */
function plan() {
  const unpaid = $("unpaid").value.split(/[\s;]+/).filter(Boolean);
  return {
    seed: Number($("seed").value) || 1,
    readers: [$("model").value],
    ...($("withstore").checked ? { store: { unpaid } } : {}),
    ...($("rules").checked ? { issuer: { rules: "cents" } } : {}),
  };
}

async function share() {
  const link = location.origin + location.pathname + "#session=" + state.session;
  try {
    await navigator.clipboard.writeText(link);
    tell("Copied: " + link);
  } catch {
    tell("The address of this session: " + link);
  }
}

/** Saves the session as a scenario file. */
const save = () => act(async () => {
  const address = URL.createObjectURL(new Blob([await scenario()], { type: "application/yaml" }));
  make("a", { href: address, download: "session-" + state.session + ".yaml" }).click();
  URL.revokeObjectURL(address);
  tell("Saved: session-" + state.session + ".yaml. Play it with cardpresent simulate run.");
});

/** Shows the session of the address, else a new one. */
async function beginOnce() {
  state.catalogue = await ask("GET", "/v1/catalogue");
  await refreshList();
  const wanted = here();
  if (wanted && state.sessions.some((session) => session.id === wanted)) return open(wanted);
  await create({ readers: ["pinpad"] });
  if (wanted) tell("There is no session " + wanted + "; this is a new one.");
}

/** Begins with a session, and tries again while the server does not answer. */
export async function begin() {
  let isUnanswered = false;
  do {
    if (isUnanswered) await new Promise((done) => setTimeout(done, 500));
    await act(async () => {
      isUnanswered = false;
      try {
        await beginOnce();
      } catch (error) {
        isUnanswered = error instanceof ServiceError && error.status === 0;
        throw error;
      }
    });
  } while (isUnanswered && !state.session);
  document.body.dataset.ready = state.session ? "yes" : "no";
}

export function start() {
  $("sessions").addEventListener("change", () => { if ($("sessions").value) act(() => go($("sessions").value)); });
  $("sessions").addEventListener("pointerdown", () => { refreshList(); });
  onPress($("new"), () => $("newdialog").showModal());
  onPress($("closenew"), () => $("newdialog").close());
  $("newform").addEventListener("submit", ( /** @type {Event} */ event) => {
    event.preventDefault();
    $("newdialog").close();
    act(() => create(plan()));
  });
  onPress($("share"), share);
  onPress($("save"), save);
  onPress($("delete"), () => act(async () => {
    const ended = state.session;
    await ask("DELETE", at(""));
    leave();
    await refreshList();
    const next = state.sessions.at(-1);
    if (next) await go(next.id);
    else history.replaceState(null, "", location.pathname);
    tell("Session " + ended + " was ended.");
  }));
  onPress($("reset"), () => act(async () => {
    await ask("POST", at("/reset"));
    await open(state.session);
  }));
  onPress($("advance"), () => act(() => ask("POST", at("/clock/advance"), { seconds: 10 })));
  window.addEventListener("hashchange", () => { if (here() && here() !== state.session) act(() => open(here())); });
  onChange(draw);
}