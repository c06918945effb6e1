// What stands around two texts that are compared: toolbar, a title over each, key list.

/** The keys, as the help lists them. */
const COMPARE_HELP = [
  ["N / Shift + N", "next / previous boundary that only one side has"],
  ["J / K", "next / previous chunk of the side with the focus"],
  ["Esc", "unselect the chunk, or leave full screen"],
  ["W", `show white space: ${SIGN_HELP}`],
  ["F", "full screen"],
  ["?", "this list"],
];

/**
 * @typedef {object} CompareChrome
 * @property {HTMLElement} box
 * @property {HTMLElement} toolbar
 * @property {HTMLElement[]} texts   the two scrolling boxes
 * @property {HTMLElement[]} titles
 * @property {HTMLElement} map
 * @property {HTMLButtonElement} previous
 * @property {HTMLButtonElement} next
 * @property {HTMLButtonElement} white
 * @property {HTMLButtonElement} full
 * @property {HTMLButtonElement} help
 * @property {HTMLElement} keys
 * @property {HTMLElement} status
 * @property {HTMLElement} spoken
 */

/** @returns {CompareChrome} */
function makeCompareChrome() {
  const chrome = {
    box: makeElement("section", "viewer comparison"),
    toolbar: makeElement("div", "toolbar", { role: "toolbar", "aria-label": "Comparison" }),
    previous: makeButton("step", "Previous difference", "Shift + N", "‹"),
    next: makeButton("step", "Next difference", "N", "›"),
    status: makeElement("span", "status"),
    ...makeCommonButtons(),
    texts: [0, 1].map(() => makeElement("div", "text notranslate", { tabindex: "0", role: "document", translate: "no" })),
    titles: [0, 1].map(() => makeElement("div", "side-title")),
    map: makeElement("div", "map", { "aria-hidden": "true" }),
    spoken: makeElement("span", "spoken", { role: "status", "aria-live": "polite" }),
  };
  const { box, toolbar, previous, next, status, white, full, help, keys, texts, titles, map, spoken } = chrome;
  keys.replaceChildren(...makeRows(COMPARE_HELP));
  toolbar.append(previous, next, status, white, full, help, keys);
  const sides = makeElement("div", "sides");
  texts.forEach((text, side) => {
    const column = makeElement("div", "side");
    column.append(titles[side], text);
    sides.append(column);
  });
  const body = makeElement("div", "body");
  body.append(sides, map);
  box.append(toolbar, body, spoken);
  return chrome;
}

/**
 * Shows the settings that concern no text.
 * @param {CompareChrome} chrome
 * @param {View} view
 * @param {Model[]} models
 */
function showCompareSettings({ box, texts, titles }, view, models) {
  box.style.setProperty("--height", `${view.height}px`);
  box.setAttribute("aria-label", view.label);
  view.sides.forEach(({ name, colour }, side) => {
    box.style.setProperty(`--side-${side}`, colour || "var(--st-primary-color)");
    texts[side].setAttribute("aria-label", `${side ? "Right" : "Left"}: ${name}`);
    const count = makeElement("span", "count");
    count.textContent = counted(models[side].starts.length, "chunk");
    titles[side].replaceChildren(makeElement("span", `dot dot-${side}`, { "aria-hidden": "true" }), name, count);
  });
}
