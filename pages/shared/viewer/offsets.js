// Offsets. Python counts code points, the browser counts UTF-16 code units. Everything inside the viewer
// is in units; code points appear only where data comes in from Python or goes out to it.

/** Units between two checkpoints of a CodePointIndex. */
const CHECKPOINT = 256;

/** Units per block of text in the page, roughly: small enough to draw quickly, large enough to be few. */
const BLOCK = 4096;

/** A block may grow to this many units to end at the end of a line rather than inside one. */
const LONGEST_BLOCK = 4 * BLOCK;

/**
 * Whether the unit is the second half of a surrogate pair.
 * @param {string} text
 * @param {number} unit
 * @returns {boolean}
 */
function isSecondHalf(text, unit) {
  const code = text.charCodeAt(unit);
  if (!(code >= 0xdc00 && code <= 0xdfff) || unit === 0) return false;
  const before = text.charCodeAt(unit - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

/**
 * The first place in a sorted array whose value is not below the one given.
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 * @returns {number}
 */
function lowerBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The last place in a sorted array whose value is not above the one given (-1 when there is none).
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 * @returns {number}
 */
function lastAtMost(sorted, value) {
  return lowerBound(sorted, value + 1) - 1;
}

/** Translates between code points and UTF-16 units of one text, by a count at every CHECKPOINT units. */
class CodePointIndex {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.counts = new Int32Array(Math.floor(text.length / CHECKPOINT) + 1);
    let points = 0;
    for (let unit = 0; unit < text.length; unit++) {
      if (unit % CHECKPOINT === 0) this.counts[unit / CHECKPOINT] = points;
      if (!isSecondHalf(text, unit)) points++;
    }
    if (text.length % CHECKPOINT === 0) this.counts[text.length / CHECKPOINT] = points;
    /** Length of the text in code points. */
    this.length = points;
  }

  /**
   * Code points that start before the unit.
   * @param {number} unit
   * @returns {number}
   */
  toPoints(unit) {
    const checkpoint = Math.floor(unit / CHECKPOINT);
    let points = this.counts[checkpoint];
    for (let at = checkpoint * CHECKPOINT; at < unit; at++) if (!isSecondHalf(this.text, at)) points++;
    return points;
  }

  /**
   * The unit at which the code point starts.
   * @param {number} point
   * @returns {number}
   */
  toUnits(point) {
    if (this.length === this.text.length) return point;
    const checkpoint = Math.max(0, lastAtMost(this.counts, point));
    let points = this.counts[checkpoint];
    let unit = checkpoint * CHECKPOINT;
    while (unit < this.text.length && (points < point || isSecondHalf(this.text, unit))) {
      if (!isSecondHalf(this.text, unit)) points++;
      unit++;
    }
    return unit;
  }
}

/**
 * Moves the ends of a range outwards where they cut a surrogate pair.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {[number, number]}
 */
function widenToPairs(text, start, end) {
  return [isSecondHalf(text, start) ? start - 1 : start, isSecondHalf(text, end) ? end + 1 : end];
}

/**
 * The first boundary between two visible characters at or after a unit, so that a forced cut never parts
 * a base from its accent or the members of an emoji sequence.
 * @param {string} text
 * @param {number} unit
 * @returns {number}
 */
function characterBoundary(text, unit) {
  const from = Math.max(0, unit - 64);
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { index } of segmenter.segment(text.slice(from, unit + 256))) {
    if (from + index >= unit) return from + index;
  }
  return isSecondHalf(text, unit) ? unit + 1 : unit;
}

/**
 * Where the block that starts at `from` ends: after a line end if one is near, else after a space, else
 * between two characters.
 * @param {string} text
 * @param {number} from
 * @returns {number}
 */
function blockEnd(text, from) {
  if (text.length - from <= BLOCK) return text.length;
  const near = text.slice(from, from + BLOCK);
  const line = near.lastIndexOf("\n");
  if (line >= 0) return from + line + 1;
  const far = text.slice(from + BLOCK, from + LONGEST_BLOCK).indexOf("\n");
  if (far >= 0) return from + BLOCK + far + 1;
  const space = near.lastIndexOf(" ");
  if (space >= BLOCK / 2) return from + space + 1;
  return characterBoundary(text, from + BLOCK);
}

/**
 * Cuts a text into blocks for the page.
 * @param {string} text
 * @returns {number[]} starts of the blocks and, last, the length of the text; just [0] for no text
 */
function blockCuts(text) {
  const cuts = [0];
  while (cuts[cuts.length - 1] < text.length) cuts.push(blockEnd(text, cuts[cuts.length - 1]));
  return cuts;
}
