// Draws one block of the text: cuts it into pieces on which chunks, marks and hits are the same all along.

/** Number of pastels that chunks cycle through: --chunk-0 … in viewer.css. */
const PALETTE = 5;

/** Names of the CSS variables that carry the colours of a piece. */
const PIECE_COLOURS = ["--first", "--second", "--third"];

/**
 * One drawn piece.
 * @typedef {{start: number, end: number, element: HTMLElement}} Piece
 */

/**
 * @param {string} tag
 * @param {string} className
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement}
 */
function makeElement(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/**
 * The boundaries of the pieces of a block, both its ends included.
 * @param {Model} model
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
function pieceBounds(model, from, to) {
  const bounds = new Set([from, to, ...cutsBetween(model.segments, from, to)]);
  for (const { start, end } of model.marks) {
    if (start > from && start < to) bounds.add(start);
    if (end > from && end < to) bounds.add(end);
  }
  return Array.from(bounds).sort((a, b) => a - b);
}

/**
 * The small rounded number at a chunk's start. It has no text of its own (CSS draws it), so that it neither
 * counts in offsets nor is copied.
 * @param {string} className
 * @param {string} content
 * @returns {HTMLElement}
 */
function makeBadge(className, content) {
  return makeElement("span", `badge ${className}`, { "data-shown": content });
}

/**
 * The badges of all chunks that start at a unit. Many chunks with one start share a badge.
 * @param {Model} model
 * @param {number} unit
 * @returns {HTMLElement[]}
 */
function makeBadges(model, unit) {
  const chunks = chunksStartingAt(model, unit);
  if (!chunks.length) return [];
  const numbers = chunks.map((chunk) => model.first + chunk);
  const shown = numbers.length > 3 ? `${numbers[0]}…${numbers.at(-1)}` : numbers.join(" ");
  const badges = [makeBadge("number", shown)];
  for (const chunk of chunks) {
    const hit = model.hits.get(chunk);
    if (hit) badges.push(makeBadge(hit.answers ? "rank answers" : "rank", `${hit.answers ? "✓\u2009" : ""}#${hit.rank}`));
  }
  return badges;
}

/**
 * Gives a piece the colours of the chunks that cover it: one plain, several as stripes.
 * @param {HTMLElement} element
 * @param {Segments} segments
 * @param {number} segment
 */
function colourPiece(element, segments, segment) {
  const depth = segments.depth[segment];
  if (!depth) return;
  element.classList.add("covered");
  element.dataset.chunk = segments.tops[0][segment];
  if (depth > 1) {
    element.classList.add(depth === 2 ? "two" : "more");
    element.dataset.depth = depth;
  }
  for (let level = 0; level < Math.min(depth, COLOURS_PER_SEGMENT); level++) {
    const colour = segments.tops[level][segment] % PALETTE;
    element.style.setProperty(PIECE_COLOURS[level], `var(--chunk-${colour})`);
    if (level === 0) element.style.setProperty("--edge", `var(--edge-${colour})`);
  }
}

/**
 * Whether all chunks that colour a segment are chunks of the other text as well, to which this one is compared.
 * @param {Model} model
 * @param {number} segment
 * @returns {boolean}
 */
function isShared({ shared, segments }, segment) {
  const shown = Math.min(segments.depth[segment], COLOURS_PER_SEGMENT);
  return Boolean(shared) && segments.tops.slice(0, shown).every((chunks) => shared[chunks[segment]]);
}

/**
 * Underlines a piece for the marks and hits on it, and names them in its tooltip.
 * @param {HTMLElement} element
 * @param {Model} model
 * @param {number} start
 * @param {number} end
 */
function decoratePiece(element, model, start, end) {
  const names = [];
  for (const mark of model.marks) {
    if (mark.start >= end || start >= mark.end) continue;
    element.classList.add("marked");
    if (mark.label) names.push(mark.label);
  }
  for (const [chunk, hit] of model.hits) {
    if (!chunkTouches(model, chunk, start, end)) continue;
    element.classList.add("hit");
    if (hit.answers) element.classList.add("answers");
    names.push(`chunk ${model.first + chunk}, rank ${hit.rank}${hit.answers ? ", answers" : ""}`);
  }
  if (names.length) element.title = names.join("; ");
}

/**
 * Shows whether a piece belongs to the selected chunk, and to the one in focus.
 * @param {Piece} piece
 * @param {Model} model
 */
function showState({ element, start, end }, model) {
  const { selected, focused } = model;
  const inside = chunkTouches(model, selected, start, end);
  element.classList.toggle("selected", inside);
  element.classList.toggle("selected-first", inside && start === model.starts[selected]);
  element.classList.toggle("selected-last", inside && end === model.ends[selected]);
  element.classList.toggle("lit", chunkTouches(model, focused, start, end));
}

/**
 * @param {Model} model
 * @param {number} start
 * @param {number} end
 * @returns {Piece}
 */
function makePiece(model, start, end) {
  const element = makeElement("span", "piece");
  const segment = segmentAt(model.segments, start);
  colourPiece(element, model.segments, segment);
  element.classList.toggle("shared", isShared(model, segment));
  decoratePiece(element, model, start, end);
  const badges = model.flat ? [] : makeBadges(model, start);
  element.append(...badges, model.text.slice(start, end));
  const piece = { start, end, element };
  showState(piece, model);
  return piece;
}

/**
 * Draws the text between two units.
 * @param {Model} model
 * @param {number} from
 * @param {number} to
 * @returns {Piece[]}
 */
function drawPieces(model, from, to) {
  const touches = ({ start, end }) => start < to && from < end;
  const near = {
    ...model,
    marks: model.marks.filter(touches),
    hits: new Map([...model.hits].filter(([chunk]) => chunkTouches(model, chunk, from, to))),
  };
  const bounds = pieceBounds(near, from, to);
  return bounds.slice(1).map((end, i) => makePiece(near, bounds[i], end));
}
