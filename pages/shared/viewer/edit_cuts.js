// Boundaries that are moved, added and removed by hand, with undo and redo. Places are in units.

/** Below this, characters stand alone: it is the first combining mark. */
const FIRST_MARK = 0x300;

/** The only character below that joins the one before it, a carriage return. */
const LINE_FEED = 0x0a;

/** Units around a place that are looked at to find whole characters and words. */
const NEAR = 256;

/**
 * The next place, in a direction, at which a character or a word starts or ends.
 * @param {string} text
 * @param {number} unit
 * @param {number} direction  1 or -1
 * @param {"grapheme" | "word"} granularity
 * @returns {number}
 */
function nextEdge(text, unit, direction, granularity) {
  const from = Math.max(0, unit - NEAR);
  const to = Math.min(text.length, unit + NEAR);
  const segments = new Intl.Segmenter(undefined, { granularity }).segment(text.slice(from, to));
  const edges = Array.from(segments, ({ index }) => from + index).concat(to);
  return direction > 0 ? (edges.find((edge) => edge > unit) ?? to) : (edges.findLast((edge) => edge < unit) ?? from);
}

/**
 * The place nearest to a unit, the earlier of two, that is inside no displayed character; CR LF is one.
 * @param {string} text
 * @param {number} unit
 * @returns {number}
 */
function wholeCharacter(text, unit) {
  // Between two Latin letters, as nearly always, there is no need to look closely.
  const [last, next] = [text.charCodeAt(unit - 1), text.charCodeAt(unit)];
  if (last < FIRST_MARK && next < FIRST_MARK && next !== LINE_FEED) return unit;
  const after = characterBoundary(text, unit);
  if (after === unit) return unit;
  const before = nextEdge(text, unit, -1, "grapheme");
  return unit - before <= after - unit ? before : after;
}

/**
 * One change: a boundary moved (both), added (to) or removed (from).
 * @typedef {{from: number | null, to: number | null}} Change
 */

class CutList {
  /**
   * @param {string} text
   * @param {number[]} units  sorted, inside the text; those inside a displayed character go to its nearer end
   */
  constructor(text, units) {
    this.text = text;
    const places = units.map((unit) => this.place(unit)).filter((unit) => unit !== null);
    this.units = places.filter((unit, i) => unit !== places[i - 1]);
    /** @type {Change[]} */
    this.done = [];
    /** @type {Change[]} */
    this.undone = [];
  }

  /** @param {number | null} unit @returns {boolean} */
  has(unit) {
    return unit !== null && this.units[lowerBound(this.units, unit)] === unit;
  }

  /** A place for a boundary: inside the text and in no character. @param {number} unit @returns {number | null} */
  place(unit) {
    const place = wholeCharacter(this.text, unit);
    return place > 0 && place < this.text.length ? place : null;
  }

  /**
   * @param {number} unit
   * @returns {number | null} where the boundary is now; null when none could be added
   */
  add(unit) {
    const to = this.place(unit);
    if (to !== null && !this.has(to)) this.change({ from: null, to });
    return to;
  }

  /** @param {number} from */
  remove(from) {
    if (this.has(from)) this.change({ from, to: null });
  }

  /**
   * Moves a boundary. On the place of another it becomes one with it.
   * @param {number} from
   * @param {number} unit
   * @returns {number} where it is now
   */
  move(from, unit) {
    const to = this.place(unit);
    if (to === null || to === from || !this.has(from)) return from;
    if (this.has(to)) {
      this.change({ from, to: null });
      return to;
    }
    const last = this.done.at(-1);
    // Moving the same boundary on and on is one change.
    if (last?.from !== undefined && last.from !== null && last.to === from) {
      this.done.pop();
      this.apply({ from, to });
      this.undone = [];
      if (last.from !== to) this.done.push({ from: last.from, to });
    } else this.change({ from, to });
    return to;
  }

  /** @param {Change} change */
  change(change) {
    this.apply(change);
    this.done.push(change);
    this.undone = [];
  }

  /** @param {Change} change */
  apply({ from, to }) {
    if (from !== null) this.units.splice(lowerBound(this.units, from), 1);
    if (to !== null) this.units.splice(lowerBound(this.units, to), 0, to);
  }

  /** @returns {Change | null} what was undone */
  undo() {
    const change = this.done.pop();
    if (!change) return null;
    this.apply({ from: change.to, to: change.from });
    this.undone.push(change);
    return change;
  }

  /** @returns {Change | null} what was done again */
  redo() {
    const change = this.undone.pop();
    if (!change) return null;
    this.apply(change);
    this.done.push(change);
    return change;
  }
}
