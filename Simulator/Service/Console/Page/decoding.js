// @ts-check
// A decoded exchange as a tree: tags, values, and what each bit means.
import { make } from "./dom.js";
import { at } from "./model.js";
import { ask } from "./service.js";

/** @type {Map<string, Promise<any>>} */
const known = new Map();

/**
 * Returns the decoding of an event of the session.
 * @param {number} event
 * @returns {Promise<any>}
 */
export function decoding(event) {
  const path = at("/events/" + event + "/decoding");
  let found = known.get(path);
  if (!found) {
    found = ask("GET", path);
    found.catch(() => known.delete(path));
    if (known.size > 500) known.clear();
    known.set(path, found);
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