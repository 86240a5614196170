// @ts-check
// Opens a scenario file: the server plays it, and the page shows its session as a recorded one.
import { $, choices, list, make, onPress, say, set } from "./dom.js";
import { act, leave, onChange, open, openRecord, state } from "./model.js";
import { ask } from "./service.js";
import { show } from "./timeline.js";

/** The text that was opened last, to play another scenario of it. */
let opened = { text: "", file: "" };
/** The session that was shown before. */
let before = "";
/** The largest file, in bytes. The server refuses a larger body before it reads it. */
const largest = 200000;

/** @type {{[status: string]: string}} */
const words = {
  passed: "Passed",
  failed: "Failed",
  failedAsExpected: "Failed as expected",
  passedUnexpectedly: "Passed, although its file expects a failure",
};

/**
 * Says why a file is not opened, in the dialog that opens files.
 * @param {string} text
 */
function refuse(text) {
  say($("openproblem"), text);
  if (!$("opendialog").open) $("opendialog").showModal();
}

/**
 * Plays a scenario of the opened text, and shows its session.
 * @param {string} [scenario] its name; the first one by default.
 */
const play = (scenario) => act(async () => {
  try {
    const played = await ask("POST", "/v1/scenarios/play", { ...opened, scenario });
    if (!state.record) before = state.session;
    openRecord(played);
    say($("openproblem"), "");
    $("opendialog").close();
    show(1);
    // When the result is drawn. A chosen case leaves the focus in its menu.
    if (!scenario) queueMicrotask(() => $("h-played").focus());
  } catch (error) {
    refuse(/** @type {Error} */ (error).message);
  }
});

/**
 * @param {FileList | null | undefined} files
 */
async function take(files) {
  if (!files || !files.length) return;
  if (files.length > 1) return refuse("These are " + files.length + " files. Open one of them.");
  const file = files[0];
  if (file.size > largest) return refuse("The file has " + file.size + " bytes, of at most " + largest + ".");
  try {
    opened = { text: await file.text(), file: file.name };
  } catch {
    return refuse("The file cannot be read.");
  }
  if (!opened.text) return refuse("The file is empty.");
  return play();
}

/** Returns to the session that was shown before. */
const close = () => act(async () => {
  leave();
  if (before) await open(before);
  queueMicrotask(() => $("open").focus());
});

/**
 * @param {any} mismatch
 */
function mismatchElement(mismatch) {
  /** @type {{[mark: string]: string}} */
  const marks = { "-": "minus", "+": "plus" };
  return make("li", {}, make("h3", {}, mismatch.sentence), make("p", { class: "note" }, "Line " + mismatch.line),
    make("pre", { class: "difference", tabindex: 0, role: "region", "aria-label": "Expected and seen" },
      ...mismatch.difference.map(( /** @type {string} */ line) =>
        make("span", { class: marks[line[0]] }, line + "\n"))));
}

function draw() {
  const played = state.record;
  set($("played"), "hidden", !played);
  if (!played) return;
  const isBad = played.status === "failed" || played.status === "passedUnexpectedly";
  say($("playedname"), played.name);
  say($("playedwhat"), played.description);
  say($("playedstatus"), words[played.status] + (played.expectedFailure ? ": " + played.expectedFailure : ""));
  set($("playedstatus"), "class", "place " + (isBad ? "bad" : "good"));
  say($("playedhow"), "Seed " + played.seed + ", " + (played.virtualMilliseconds / 1000).toFixed(1) +
    " s on the session's clock" + (played.laterEvents ? "; " + played.laterEvents + " later events are left out" : ""));
  set($("cases"), "hidden", played.scenarios.length < 2);
  choices($("case"), played.scenarios.map(( /** @type {string} */ name) => [name, name]), played.name);
  list($("mismatches"), played.mismatches.map(( /** @type {any} */ mismatch, /** @type {number} */ index) => ({
    mismatch, index })), (entry) => state.source + "-" + entry.index, (entry) => mismatchElement(entry.mismatch));
}

/**
 * Whether a file is dragged.
 * @param {DragEvent} event
 */
const hasFiles = (event) => !!event.dataTransfer && event.dataTransfer.types.includes("Files");

export function start() {
  onPress($("open"), () => {
    say($("openproblem"), "");
    $("opendialog").showModal();
  });
  onPress($("closeopen"), () => $("opendialog").close());
  $("file").addEventListener("change", async () => {
    await take($("file").files);
    // The same file again is a change, too.
    $("file").value = "";
  });
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    set(document.body, "data-drop", "yes");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) set(document.body, "data-drop", null);
  });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    set(document.body, "data-drop", null);
    take(event.dataTransfer?.files);
  });
  $("case").addEventListener("change", () => { play($("case").value); });
  onPress($("closeplayed"), close);
  onChange(draw);
}
