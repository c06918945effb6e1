// White space made visible: signs drawn over the text (see layers.js).

/** All white space and all characters without width. */
const WHITE = /[\s\u0085\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Which sign stands for a character; a space of any other kind is "wide". @type {Record<string, string>} */
const SIGN_OF = {
  " ": "space",
  "\t": "tab",
  "\n": "newline",
  "\v": "newline",
  "\f": "newline",
  "\u0085": "newline",
  "\u2028": "newline",
  "\u2029": "newline",
  "\r": "return",
  "\u00a0": "nobreak",
  "\u2007": "nobreak",
  "\u202f": "nobreak",
};

/** A character without width. */
const ZERO_WIDTH = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;

/** The signs, as the key list explains them. */
const SIGN_HELP = "spaces ·, tabs →, line ends ↵, carriage returns ←, no-break spaces °, other spaces ⎵, zero width ɪ";

/**
 * Path of a sign over a character's box; y is its middle.
 * @type {Record<string, (x: number, y: number, width: number, height: number) => string>}
 */
const DRAW_SIGN = {
  space: (x, y, width) => `M${x + width / 2 - 0.4} ${y}h.8`,
  tab: (x, y, width) => `M${x + 2} ${y}H${x + width - 3}m-3.5-3.5l3.5 3.5l-3.5 3.5`,
  newline: (x, y) => `M${x + 11} ${y - 4}v4.5H${x + 3}m3.5-3.5l-3.5 3.5l3.5 3.5`,
  return: (x, y) => `M${x + 10} ${y}H${x + 2}m3.5-3.5l-3.5 3.5l3.5 3.5`,
  // Without a line feed it ends no line in a browser and has no width: its sign goes under the next letter.
  bare: (x, y, _, height) => `M${x + 7} ${y + height / 2}H${x}m2.5-2.5l-2.5 2.5l2.5 2.5`,
  nobreak: (x, y, width) => `M${x + width / 2 - 1.8} ${y}a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0`,
  wide: (x, y, width) => `M${x + 1} ${y + 3}v3H${x + Math.max(4, width) - 1}v-3`,
  zero: (x, y, _, height) => `M${x - 2} ${y - height / 2 + 1}h4m-2 0V${y + height / 2 - 1}m-2 0h4`,
};

/** Pixels by which the sign of a line feed makes room for that of a carriage return before it. */
const AFTER_RETURN = 10;

/**
 * @param {string} character
 * @param {string | undefined} next  the character after it
 * @returns {string} a name in DRAW_SIGN
 */
function signOf(character, next) {
  if (character === "\r" && next !== "\n") return "bare";
  return ZERO_WIDTH.test(character) ? "zero" : (SIGN_OF[character] ?? "wide");
}

/**
 * The paths of all signs in a block, one for each kind.
 * @param {HTMLElement} element  the block
 * @returns {Map<string, string[]>} by kind: one path a character
 */
function signPaths(element) {
  const { left, top } = element.getBoundingClientRect();
  const range = document.createRange();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const paths = new Map();
  let before = "";
  while (texts.nextNode()) {
    const node = texts.currentNode;
    for (const { 0: character, index } of node.data.matchAll(WHITE)) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const rect = range.getClientRects()[0] ?? range.getBoundingClientRect();
      const follows = character === "\n" && (index ? node.data[index - 1] : before) === "\r";
      const x = rect.left - left + (follows ? AFTER_RETURN : 0);
      const kind = signOf(character, node.data[index + 1] ?? firstAfter(texts));
      if (!paths.has(kind)) paths.set(kind, []);
      paths.get(kind).push(DRAW_SIGN[kind](x, rect.top - top + rect.height / 2, rect.width, rect.height));
    }
    before = node.data.at(-1);
  }
  return paths;
}

/** The first character of the text after the node at which a walker is. @param {TreeWalker} texts @returns {string | undefined} */
function firstAfter(texts) {
  const here = texts.currentNode;
  const next = texts.nextNode()?.data[0];
  texts.currentNode = here;
  return next;
}

/** @param {string} tag @param {Record<string, string>} attributes @returns {SVGElement} */
function makeDrawing(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

class WhiteSpace extends BlockLayer {
  /** @param {TextView} view */
  constructor(view) {
    super(view, "signs");
  }

  /** @param {HTMLElement} element @returns {Map<string, string[]> | null} */
  measure(element) {
    const paths = signPaths(element);
    return paths.size ? paths : null;
  }

  /** @param {Map<string, string[]>} measured @returns {Element} */
  picture(measured) {
    const picture = makeDrawing("svg", { class: this.className, "aria-hidden": "true" });
    for (const [kind, paths] of measured) {
      picture.append(makeDrawing("path", { class: kind, d: paths.join(""), "data-count": String(paths.length) }));
    }
    return picture;
  }
}
