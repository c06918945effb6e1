// Everything that decides how the text is drawn, and what lies where in it. Offsets are in units.

/**
 * @typedef {object} Model
 * @property {string} text
 * @property {CodePointIndex} index
 * @property {ByteIndex} bytes
 * @property {{starts: Int32Array, ends: Int32Array}} points   the chunks in code points, as Python knows them
 * @property {Int32Array} starts
 * @property {Int32Array} ends
 * @property {Segments} segments
 * @property {Facts} facts
 * @property {{start: number, end: number, label: string}[]} marks
 * @property {Hits} hits
 * @property {number} selected   chunk, or -1
 * @property {number} focused    the chunk that stands out while all others are dimmed, or -1
 * @property {number} first      the number shown on chunk 0
 * @property {boolean} flat      whether numbers stand in a layer over the text, so that lines stay as they are
 * @property {Uint8Array} [shared]  by chunk: whether the chunking to which this one is compared has it too
 */

/** @typedef {Map<number, {rank: number, answers: boolean}>} Hits  by chunk */

/**
 * @param {string} text
 * @param {Spans} spans
 * @param {Model | null} old  an earlier model, for what can be kept of it
 * @returns {Model}
 */
function makeModel(text, { starts, ends, facts }, old) {
  const kept = old?.text === text ? old : { index: new CodePointIndex(text), bytes: new ByteIndex(text) };
  const { index, bytes } = kept;
  const units = (points) => points.map((point) => index.toUnits(point));
  const model = { text, index, bytes, facts, points: { starts, ends }, starts: units(starts), ends: units(ends) };
  model.segments = buildSegments(model.starts, model.ends, text.length);
  return { ...model, marks: [], hits: new Map(), selected: -1, focused: -1, first: 1, flat: false };
}

/**
 * @param {Model} model
 * @param {View} view
 * @returns {Model} with the marks, hits and first number of the view
 */
function withOverlays(model, view) {
  const unit = (point) => model.index.toUnits(point);
  return {
    ...model,
    marks: view.marks.map(([start, end, label]) => ({ start: unit(start), end: unit(end), label })),
    hits: new Map(view.hits.map(([chunk, rank, answers]) => [chunk, { rank, answers }])),
    first: view.first,
  };
}

/**
 * Whether a chunk covers any of a range.
 * @param {Model} model
 * @param {number} chunk
 * @param {number} start
 * @param {number} end
 * @returns {boolean}
 */
function chunkTouches(model, chunk, start, end) {
  return chunk >= 0 && model.starts[chunk] < end && start < model.ends[chunk];
}

/**
 * All chunks that cover a unit, in order.
 * @param {Model} model
 * @param {number} unit
 * @returns {number[]}
 */
function chunksAt(model, unit) {
  const started = lastAtMost(model.starts, unit) + 1;
  const chunks = [];
  for (let chunk = 0; chunk < started; chunk++) if (unit < model.ends[chunk]) chunks.push(chunk);
  return chunks;
}

/**
 * The chunks that start exactly at a unit, in order.
 * @param {Model} model
 * @param {number} unit
 * @returns {number[]}
 */
function chunksStartingAt(model, unit) {
  const chunks = [];
  for (let chunk = lowerBound(model.starts, unit); model.starts[chunk] === unit; chunk++) chunks.push(chunk);
  return chunks;
}

/**
 * Which of the chunks at a place a click chooses. Where chunks overlap, the one that starts last is on top; further
 * clicks go down through the others.
 * @param {number[]} here      the chunks at the place, in order
 * @param {number} selected    the chunk that is selected now
 * @returns {number}
 */
function nextUnder(here, selected) {
  const chosen = here.indexOf(selected);
  return here.at(chosen > 0 ? chosen - 1 : -1);
}
