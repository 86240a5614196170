// @ts-check
// A decoded exchange as a tree: tags, values, and what each bit means.
import { make } from "./dom.js";

/** @type {Map<string, Promise<any>>} */
const known = new Map();
/** @type {(event: number) => string} */
let nameOf = String;
/** @type {(name: string) => Promise<any>} */
let load = () => Promise.reject(new Error("no decodings"));

/**
 * Says where decodings come from: a server, or the page itself.
 * @param {(event: number) => string} name names the decoding of an event.
 * @param {(name: string) => Promise<any>} source returns the decoding with a name.
 */
export function decodeWith(name, source) {
  [nameOf, load] = [name, source];
}

/**
 * Returns the decoding of an event.
 * @param {number} event
 * @returns {Promise<any>}
 */
export function decoding(event) {
  const name = nameOf(event);
  let found = known.get(name);
  if (!found) {
    found = load(name);
    found.catch(() => known.delete(name));
    if (known.size > 500) known.clear();
    known.set(name, found);
  }
  return found;
}

/**
 * The bits of a mask in EMV numbering: `byte 1, b8`.
 * @param {any} flag
 */
function place(flag) {
  const mask = parseInt(flag.mask, 16);
  const high = 32 - Math.clz32(mask),
    low = 32 - Math.clz32(mask & -mask);
  return "byte " + flag.byte + ", b" + (high === low ? high : high + "–" + low);
}

/**
 * The line of a value.
 * @param {any} value
 */
function line(value) {
  const facts = [value.format, value.length === 1 ? "1 byte" : value.length + " bytes", value.source].filter(Boolean)
    .join(", ");
  return make("span", { class: "value" },
    value.tag ? make("b", { class: "tag" }, value.tag) : null,
    make("span", { class: "name" }, value.name),
    value.hex ? make("code", {}, value.hex) : null,
    value.meaning ? make("span", { class: value.masked ? "masked" : "meaning" }, value.meaning) : null,
    value.tag ? make("span", { class: "facts" }, facts) : null);
}

/**
 * @param {any} value @returns {Element}
 */
function node(value) {
  const details = [
    ...value.problems.map(( /** @type {string} */ text) => make("li", { class: "problem" }, text)),
    ...value.flags.map(( /** @type {any} */ flag) => make("li", { class: "flag" },
      make("span", { class: "bits" }, place(flag)), make("span", {}, flag.name))),
    ...value.children.map(node),
  ];
  if (!details.length) return make("li", {}, line(value));
  return make("li", {}, make("details", { open: true }, make("summary", {}, line(value)), make("ul", {}, ...
  details)));
}

/**
 * Returns the tree of a decoding.
 * @param {any} decoded
 */
export function tree(decoded) {
  return make("div", { class: "tree" },
    make("ul", {}, ...decoded.values.map(node)),
    decoded.problem ? make("p", { class: "note error" }, "Not decoded to its end: " + decoded.problem) : null);
}

/** The most lines of a summary. */
const most = 14;

/**
 * Returns a decoding as a few lines of text, for a row of the timeline that the pointer is on.
 * @param {any} decoded
 */
export function summary(decoded) {
  /** @type {string[]} */
  const lines = [];
  /** @type {(value: any, depth: number) => void} */
  const add = (value, depth) => {
    const meaning = value.meaning || value.flags.map(( /** @type {any} */ flag) => flag.name).join(", ") || (value
      .children.length ? "" : value.hex || "");
    lines.push("  ".repeat(depth) + [value.tag, value.name].filter(Boolean).join(" ") + (meaning ? ": " + meaning :
      ""));
    for (const child of value.children) add(child, depth + 1);
  };
  for (const value of decoded.values) add(value, 0);
  const more = lines.length - most;
  return lines.slice(0, most).join("\n") + (more > 0 ? "\n" + more + " more" : "");
}
