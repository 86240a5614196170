// @ts-check
// The console of the simulator: starts the parts of the page.
import { $, onPress, say, set } from "./dom.js";
import { decodeWith } from "./decoding.js";
import { at, changed, onChange, refresh, state } from "./model.js";
import * as faults from "./faults.js";
import * as opening from "./opening.js";
import * as reader from "./reader.js";
import * as sessions from "./sessions.js";
import * as till from "./till.js";
import * as timeline from "./timeline.js";
import { ask, useToken, watch } from "./service.js";

// Those of a played scenario are in its result.
const nameOf = (/** @type {number} */ event) => (state.record ? state.source + " " + event :
  at("/events/" + event + "/decoding"));
decodeWith(nameOf, async (name) => {
  if (!state.record) return ask("GET", name);
  const event = Number(name.slice(state.source.length));
  const found = state.record.decodings.find(( /** @type {any} */ entry) => entry.event === event);
  if (!found) throw new Error("This exchange cannot be decoded.");
  return found.exchange;
});
for (const part of [sessions, reader, till, faults, timeline, opening]) part.start();

onChange(() => {
  set($("lost"), "hidden", state.isThere);
  set(document.body, "data-lost", state.isThere ? null : "yes");
  set(document.body, "data-past", state.cursor && !state.record ? "yes" : null);
  set(document.body, "data-record", state.record ? "yes" : null);
  for (const mark of document.querySelectorAll(".ofnow"))
    say(mark, "As of the present, event " + state.events.length + ", and not of the event that you look back at.");
});

watch((isThere) => {
  if (isThere === state.isThere) return;
  state.isThere = isThere;
  say($("lost"), isThere ? "" : "The server does not answer. The page shows the last known state.");
  changed();
  // What happened meanwhile.
  if (isThere) refresh();
});

$("token").addEventListener("change", () => {
  useToken($("token").value);
  sessions.begin();
});
onPress($("tokenbutton"), () => { $("tokens").hidden = !$("tokens").hidden; });

sessions.begin();