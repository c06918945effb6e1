// Boundaries: the places inside the text where a chunk starts, and those where one ends before text that is in no
// chunk. Neither the two ends of the text nor an end before mere white space is one.

/**
 * @param {Model} model
 * @returns {number[]} units, sorted
 */
function boundariesOf({ text, starts, segments }) {
  const { cuts, depth } = segments;
  const found = new Set(starts);
  depth.forEach((chunks, i) => {
    if (!chunks && text.slice(cuts[i], cuts[i + 1]).trim()) found.add(cuts[i]);
  });
  return Array.from(found)
    .filter((unit) => unit > 0 && unit < text.length)
    .sort((a, b) => a - b);
}

/**
 * @typedef {object} Difference
 * @property {number[][]} only   for each of two chunkings the boundaries that the other does not have
 * @property {number[]} shared   the boundaries of both
 */

/**
 * @param {Model} left
 * @param {Model} right
 * @returns {Difference}
 */
function differenceOf(left, right) {
  const [ours, theirs] = [boundariesOf(left), boundariesOf(right)];
  const [inOurs, inTheirs] = [new Set(ours), new Set(theirs)];
  return {
    only: [ours.filter((unit) => !inTheirs.has(unit)), theirs.filter((unit) => !inOurs.has(unit))],
    shared: ours.filter((unit) => inTheirs.has(unit)),
  };
}

/**
 * Which chunks of a chunking another has too, from the same start to the same end.
 * @param {Model} model
 * @param {Model} other
 * @returns {Uint8Array} by chunk, 1 or 0
 */
function sharedChunks({ starts, ends }, other) {
  const spans = new Set(Array.from(other.starts, (start, chunk) => `${start} ${other.ends[chunk]}`));
  return Uint8Array.from(starts, (start, chunk) => Number(spans.has(`${start} ${ends[chunk]}`)));
}

/** @param {Difference} difference @returns {string} */
function describeDifference({ only, shared }) {
  const [left, right] = only;
  return `${grouped(left.length)} ${left.length === 1 ? "boundary" : "boundaries"} only left, ${grouped(right.length)} only right, ${grouped(shared.length)} shared`;
}
