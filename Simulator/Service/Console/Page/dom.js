// @ts-check
// Elements without HTML text: every text from the server is inserted as text.

/** @typedef {{[name: string]: string | number | boolean | null | undefined}} Attributes */

/**
 * Returns the element with an ID of the page.
 * @param {string} id
 * @returns {any}
 */
export const $ = (id) => document.getElementById(id);

/**
 * Creates an element.
 * @param {string} tag
 * @param {Attributes} attributes `class`, `data-…`, `aria-…`; false, null, and undefined leave one out.
 * @param {...(Node | string | number | null | undefined)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  for (const child of children)
    if (child !== null && child !== undefined) element.append(typeof child === "number" ? String(child) : child);
  return element;
}

/**
 * Sets or removes an attribute, only when it changes.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function set(element, name, value) {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/**
 * Sets the text of an element, only when it changes, so that a live region speaks it once.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Creates a button.
 * @param {string} text
 * @param {() => void} press
 * @param {Attributes} attributes
 */
export function button(text, press, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  onPress(element, press);
  return element;
}

/**
 * Handles the presses of a button, unless it is switched off.
 * @param {HTMLElement} element
 * @param {(event: Event) => void} press
 */
export function onPress(element, press) {
  element.addEventListener("click", (event) => {
    if (element.getAttribute("aria-disabled") === "true") event.preventDefault();
    else press(event);
  });
}

/**
 * Switches a button on or off. It keeps the focus, which `disabled` would take away.
 * @param {Element} element
 * @param {boolean} isOn
 */
export const enable = (element, isOn) => set(element, "aria-disabled", isOn ? null : "true");

/**
 * Makes the children of an element those of a list, and keeps the elements of entries that stay, with their focus.
 * @template Entry
 * @param {Element} parent
 * @param {Entry[]} entries
 * @param {(entry: Entry) => string | number} key
 * @param {(entry: Entry) => Element} create
 * @param {(element: any, entry: Entry) => void} [update]
 */
export function list(parent, entries, key, create, update) {
  const known = new Map([...parent.children].map((child) => [ /** @type {HTMLElement} */ (child).dataset.key,
  child]));
  let place = parent.firstElementChild;
  for (const entry of entries) {
    const name = String(key(entry));
    let child = known.get(name);
    if (child) known.delete(name);
    else {
      child = create(entry);
      /** @type {HTMLElement} */
      (child).dataset.key = name;
    }
    if (update) update(child, entry);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  for (const child of known.values()) child.remove();
}

/**
 * Sets the choices of a menu and its value.
 * @param {HTMLSelectElement} menu
 * @param {[value: string, text: string][]} choices
 * @param {string} [value]
 */
export function choices(menu, choices, value) {
  const wanted = value ?? menu.value;
  const key = choices.map((choice) => choice.join("\u0001")).join("\u0002");
  if (menu.dataset.choices !== key) {
    menu.dataset.choices = key;
    menu.replaceChildren(...choices.map(([word, text]) => new Option(text, word)));
  }
  if (choices.some(([word]) => word === wanted) && menu.value !== wanted) menu.value = wanted;
}