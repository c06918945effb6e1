// Chunks may overlap, any number deep, and leave gaps. Segments are the text cut at every chunk's start and
// end, so that the same chunks cover the whole of a segment.

/** How many of the chunks that cover a segment lend it their colour. */
const COLOURS_PER_SEGMENT = 3;

/**
 * @typedef {object} Segments
 * @property {Int32Array} cuts    sorted boundaries in units, from 0 to the length of the text; segment i runs
 *                                from cuts[i] to cuts[i + 1]
 * @property {Uint32Array} depth  how many chunks cover each segment
 * @property {Int32Array[]} tops  tops[0][i] is the covering chunk that starts last, tops[1][i] the one before
 *                                it, and so on; -1 for none
 */

/**
 * The distinct boundaries of all chunks, sorted.
 * @param {Int32Array} starts
 * @param {Int32Array} ends
 * @param {number} length
 * @returns {Int32Array}
 */
function sortedCuts(starts, ends, length) {
  const all = new Int32Array(starts.length + ends.length + 2);
  all.set(starts, 0);
  all.set(ends, starts.length);
  all[all.length - 1] = length;
  all.sort();
  return all.filter((cut, i) => i === 0 || cut !== all[i - 1]);
}

/** The chunks that cover the place of a sweep, as a linked list in the order of their index. */
class OpenChunks {
  /** @param {number} count how many chunks there are in all */
  constructor(count) {
    this.before = new Int32Array(count).fill(-1);
    this.after = new Int32Array(count).fill(-1);
    this.last = -1;
    this.size = 0;
  }

  /** @param {number} chunk one with a greater index than all added earlier */
  add(chunk) {
    this.before[chunk] = this.last;
    if (this.last >= 0) this.after[this.last] = chunk;
    this.last = chunk;
    this.size++;
  }

  /** @param {number} chunk */
  remove(chunk) {
    const before = this.before[chunk];
    const after = this.after[chunk];
    if (before >= 0) this.after[before] = after;
    if (after >= 0) this.before[after] = before;
    else this.last = before;
    this.size--;
  }
}

/**
 * Sweeps over the boundaries once: n log n in the number of chunks, however deep they overlap.
 * @param {Int32Array} starts  in units, sorted
 * @param {Int32Array} ends    in units
 * @param {number} length      of the text, in units
 * @returns {Segments}
 */
function buildSegments(starts, ends, length) {
  const cuts = sortedCuts(starts, ends, length);
  const count = Math.max(0, cuts.length - 1);
  const depth = new Uint32Array(count);
  const tops = Array.from({ length: COLOURS_PER_SEGMENT }, () => new Int32Array(count).fill(-1));
  const byEnd = Uint32Array.from(starts.keys()).sort((a, b) => ends[a] - ends[b]);
  const open = new OpenChunks(starts.length);
  let opened = 0;
  let closed = 0;
  for (let i = 0; i < count; i++) {
    for (; closed < byEnd.length && ends[byEnd[closed]] <= cuts[i]; closed++) {
      if (starts[byEnd[closed]] < ends[byEnd[closed]]) open.remove(byEnd[closed]);
    }
    for (; opened < starts.length && starts[opened] <= cuts[i]; opened++) {
      if (starts[opened] < ends[opened]) open.add(opened);
    }
    depth[i] = open.size;
    for (let level = 0, chunk = open.last; level < COLOURS_PER_SEGMENT && chunk >= 0; level++) {
      tops[level][i] = chunk;
      chunk = open.before[chunk];
    }
  }
  return { cuts, depth, tops };
}

/**
 * The segment that holds a unit.
 * @param {Segments} segments
 * @param {number} unit
 * @returns {number}
 */
function segmentAt(segments, unit) {
  return Math.min(lastAtMost(segments.cuts, unit), segments.depth.length - 1);
}

/**
 * The boundaries strictly between two units.
 * @param {Segments} segments
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
function cutsBetween(segments, from, to) {
  const { cuts } = segments;
  return Array.from(cuts.subarray(lowerBound(cuts, from + 1), lowerBound(cuts, to)));
}
