// @ts-check
// The console of the simulator: starts the parts of the page.
import { $, onPress, say, set } from "./dom.js";
import { onChange, refresh, state } from "./model.js";
import * as faults from "./faults.js";
import * as reader from "./reader.js";
import * as sessions from "./sessions.js";
import * as till from "./till.js";
import * as timeline from "./timeline.js";
import { useToken, watch } from "./service.js";

for (const part of [sessions, reader, till, faults, timeline]) part.start();

onChange(() => {
  set($("lost"), "hidden", state.isThere);
  set(document.body, "data-lost", state.isThere ? null : "yes");
});

watch((isThere) => {
  if (isThere === state.isThere) return;
  state.isThere = isThere;
  say($("lost"), isThere ? "" : "The server does not answer. The page shows the last known state.");
  // What happened meanwhile.
  refresh();
});

$("token").addEventListener("change", () => {
  useToken($("token").value);
  sessions.begin();
});
onPress($("tokenbutton"), () => { $("tokens").hidden = !$("tokens").hidden; });

sessions.begin();