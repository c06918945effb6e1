// What stands around the text: toolbar, key list, and the line that screen readers speak.

/** The keys, as the help lists them. */
const KEY_HELP = [
  ["J / K", "next / previous chunk"],
  ["Enter", "select the chunk at the caret, or the first one in sight"],
  ["Esc", "close the card and unselect the chunk, or leave full screen or editing"],
  ["V", "start a text selection at the chunk (or the caret)"],
  ["Shift + arrows", "make the selection longer or shorter (with Ctrl by words)"],
  ["Ctrl + A", "select the whole text"],
  ["W", `show white space: ${SIGN_HELP}`],
  ["F", "full screen"],
  ["?", "this list"],
];

/** Added to the keys where passages can be marked. */
const MARK_HELP = ["M", "mark the selection relevant"];

/**
 * @param {HTMLElement} button
 * @param {string} name  what it does
 * @param {string} key   its shortcut
 * @param {string} [sign]  shown instead of name and key
 */
function nameButton(button, name, key, sign = "") {
  button.title = `${name} (${key})`;
  button.setAttribute("aria-label", button.title);
  const hint = makeElement("span", "hint");
  hint.textContent = ` (${key})`;
  button.replaceChildren(...(sign ? [sign] : [name, hint]));
}

/**
 * @param {string} className
 * @param {string} name
 * @param {string} key
 * @param {string} [sign]
 * @returns {HTMLButtonElement}
 */
function makeButton(className, name, key, sign) {
  const button = makeElement("button", className, { type: "button" });
  nameButton(button, name, key, sign);
  return button;
}

/**
 * The key list.
 * @param {View} view
 * @param {boolean} editing  whether boundaries are edited now
 * @returns {HTMLElement[]}
 */
function makeKeyRows({ markable, editable }, editing) {
  const rows = markable ? [...KEY_HELP.slice(0, 6), MARK_HELP, ...KEY_HELP.slice(6)] : [...KEY_HELP];
  if (editing) rows.splice(0, 2, ...EDIT_HELP);
  else if (editable) rows.splice(-3, 0, EDIT_HELP[0]);
  return makeRows(rows);
}

/**
 * @typedef {object} Chrome
 * @property {HTMLElement} box      holds everything; the full-screen element
 * @property {HTMLElement} toolbar
 * @property {HTMLElement} text     the scrolling box of the text
 * @property {HTMLElement} map      the strip beside it
 * @property {HTMLButtonElement} mark
 * @property {HTMLButtonElement} previous
 * @property {HTMLButtonElement} next
 * @property {HTMLButtonElement} edit     starts and ends the editing of boundaries
 * @property {HTMLElement} tools          the buttons for that: add, remove, undo, redo
 * @property {HTMLButtonElement} add
 * @property {HTMLButtonElement} remove
 * @property {HTMLButtonElement} undo
 * @property {HTMLButtonElement} redo
 * @property {HTMLButtonElement} white  shows white space
 * @property {HTMLButtonElement} full
 * @property {HTMLButtonElement} help
 * @property {HTMLElement} keys     the key list
 * @property {HTMLElement} status   what is selected, for the eye
 * @property {HTMLElement} spoken   the same, for screen readers
 */

/**
 * The buttons that every viewer has, and the key list.
 * @returns {{white: HTMLButtonElement, full: HTMLButtonElement, help: HTMLButtonElement, keys: HTMLElement}}
 */
function makeCommonButtons() {
  const white = makeButton("white", "White space", "W", "¶");
  const full = makeButton("full", "Full screen", "F");
  const help = makeButton("help", "Keys", "?", "?");
  const keys = makeElement("dl", "keys", { id: "keys", "aria-label": "Keys" });
  white.setAttribute("aria-pressed", "false");
  help.setAttribute("aria-expanded", "false");
  help.setAttribute("aria-controls", "keys");
  keys.hidden = true;
  return { white, full, help, keys };
}

/** @returns {Chrome} */
function makeChrome() {
  const chrome = {
    box: makeElement("section", "viewer"),
    toolbar: makeElement("div", "toolbar", { role: "toolbar", "aria-label": "Text viewer" }),
    // The page's own text must stay as it is, character for character: no translation by the browser.
    text: makeElement("div", "text notranslate", { tabindex: "0", role: "document", translate: "no" }),
    map: makeElement("div", "map", { "aria-hidden": "true" }),
    mark: makeButton("mark", "Mark selection relevant", "M"),
    previous: makeButton("step", "Previous chunk", "K", "‹"),
    next: makeButton("step", "Next chunk", "J", "›"),
    edit: makeButton("edit", "Edit boundaries", "E"),
    tools: makeElement("span", "tools"),
    add: makeButton("add", "Add boundary", "B", "+"),
    remove: makeButton("remove", "Remove boundary", "Del", "−"),
    undo: makeButton("undo", "Undo", "Ctrl + Z", "↶"),
    redo: makeButton("redo", "Redo", "Ctrl + Shift + Z", "↷"),
    ...makeCommonButtons(),
    status: makeElement("span", "status"),
    spoken: makeElement("span", "spoken", { role: "status", "aria-live": "polite" }),
  };
  chrome.mark.disabled = true;
  chrome.tools.hidden = true;
  chrome.edit.setAttribute("aria-pressed", "false");
  const { toolbar, mark, previous, next, status, edit, tools, white, full, help, keys } = chrome;
  tools.append(chrome.add, chrome.remove, chrome.undo, chrome.redo);
  toolbar.append(mark, previous, next, edit, tools, status, white, full, help, keys);
  const body = makeElement("div", "body");
  body.append(chrome.text, chrome.map);
  chrome.box.append(toolbar, body, chrome.spoken);
  return chrome;
}

/**
 * @param {Chrome | CompareChrome} chrome
 * @param {boolean} open
 * @param {HTMLElement[]} [rows]  what the list says now
 */
function showKeys(chrome, open, rows = undefined) {
  if (rows) chrome.keys.replaceChildren(...rows);
  chrome.keys.hidden = !open;
  chrome.help.setAttribute("aria-expanded", String(open));
}

/**
 * Shows the settings that concern no text.
 * @param {Chrome} chrome
 * @param {View} view
 * @param {number} count  of chunks
 */
function showSettings({ box, text, mark, previous, next, edit }, view, count) {
  box.style.setProperty("--height", `${view.height}px`);
  box.setAttribute("aria-label", view.label);
  text.setAttribute("aria-label", view.label);
  previous.hidden = next.hidden = count === 0;
  box.classList.toggle("uncut", count === 0);
  mark.hidden = !view.markable;
  edit.hidden = !view.editable;
}
