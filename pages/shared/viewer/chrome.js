// What stands around the text: toolbar, key list, and the line that screen readers speak.

/** The keys, as the help lists them. */
const KEY_HELP = [
  ["J / K", "next / previous chunk"],
  ["Enter", "select the chunk at the caret, or the first one in sight"],
  ["Esc", "unselect the chunk, or leave full screen"],
  ["V", "start a text selection at the chunk (or the caret)"],
  ["Shift + arrows", "make the selection longer or shorter (with Ctrl by words)"],
  ["Ctrl + A", "select the whole text"],
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
 * @param {boolean} markable
 * @returns {HTMLElement[]}
 */
function makeKeyRows(markable) {
  const rows = markable ? [...KEY_HELP.slice(0, 6), MARK_HELP, ...KEY_HELP.slice(6)] : KEY_HELP;
  return rows.flatMap(([keys, meaning]) => {
    const term = makeElement("dt", "");
    const description = makeElement("dd", "");
    term.textContent = keys;
    description.textContent = meaning;
    return [term, description];
  });
}

/**
 * @typedef {object} Chrome
 * @property {HTMLElement} box      holds everything; the full-screen element
 * @property {HTMLElement} toolbar
 * @property {HTMLElement} text     the scrolling box of the text
 * @property {HTMLButtonElement} mark
 * @property {HTMLButtonElement} previous
 * @property {HTMLButtonElement} next
 * @property {HTMLButtonElement} full
 * @property {HTMLButtonElement} help
 * @property {HTMLElement} keys     the key list
 * @property {HTMLElement} status   what is selected, for the eye
 * @property {HTMLElement} spoken   the same, for screen readers
 */

/** @returns {Chrome} */
function makeChrome() {
  const chrome = {
    box: makeElement("section", "viewer"),
    toolbar: makeElement("div", "toolbar", { role: "toolbar", "aria-label": "Text viewer" }),
    // The page's own text must stay as it is, character for character: no translation by the browser.
    text: makeElement("div", "text notranslate", { tabindex: "0", role: "document", translate: "no" }),
    mark: makeButton("mark", "Mark selection relevant", "M"),
    previous: makeButton("step", "Previous chunk", "K", "‹"),
    next: makeButton("step", "Next chunk", "J", "›"),
    full: makeButton("full", "Full screen", "F"),
    help: makeButton("help", "Keys", "?", "?"),
    keys: makeElement("dl", "keys", { id: "keys", "aria-label": "Keys" }),
    status: makeElement("span", "status"),
    spoken: makeElement("span", "spoken", { role: "status", "aria-live": "polite" }),
  };
  chrome.help.setAttribute("aria-expanded", "false");
  chrome.help.setAttribute("aria-controls", "keys");
  chrome.keys.hidden = true;
  chrome.mark.disabled = true;
  const { toolbar, mark, previous, next, status, full, help, keys } = chrome;
  toolbar.append(mark, previous, next, status, full, help, keys);
  chrome.box.append(toolbar, chrome.text, chrome.spoken);
  return chrome;
}

/** @param {Chrome} chrome @param {boolean} open */
function showKeys(chrome, open) {
  chrome.keys.hidden = !open;
  chrome.help.setAttribute("aria-expanded", String(open));
}

/**
 * Full screen by the browser, or, where it refuses (as in some frames), over the whole page by CSS.
 * @param {Chrome} chrome
 * @param {boolean} on
 */
async function setFullScreen(chrome, on) {
  const { box } = chrome;
  if (!on) {
    box.classList.remove("expanded");
    if (box.getRootNode().fullscreenElement === box) await document.exitFullscreen();
  } else {
    await box.requestFullscreen().catch(() => box.classList.add("expanded"));
  }
  showFullScreen(chrome);
}

/** @param {Chrome} chrome @returns {boolean} */
function isFullScreen({ box }) {
  return box.classList.contains("expanded") || box.getRootNode().fullscreenElement === box;
}

/** Names the full-screen button for what it would do now. @param {Chrome} chrome */
function showFullScreen(chrome) {
  nameButton(chrome.full, isFullScreen(chrome) ? "Leave full screen" : "Full screen", "F");
}

/**
 * Shows the settings that concern no text.
 * @param {Chrome} chrome
 * @param {View} view
 * @param {number} count  of chunks
 */
function showSettings({ box, text, mark, previous, next, keys }, view, count) {
  box.style.setProperty("--height", `${view.height}px`);
  box.setAttribute("aria-label", view.label);
  text.setAttribute("aria-label", view.label);
  previous.hidden = next.hidden = count === 0;
  box.classList.toggle("uncut", count === 0);
  if (!keys.children.length || mark.hidden === view.markable) keys.replaceChildren(...makeKeyRows(view.markable));
  mark.hidden = !view.markable;
}
