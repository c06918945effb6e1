// What Python sends, and how its two halves find each other.
//
// The content comes as bytes. There are one or two chunkings of the text (two are compared):
//   4 bytes   length of the header, little-endian
//   header    JSON {slot, version, chunkings: [{chunks, columns, unit, paths}, …]}
//   columns   each chunking's columns, one after the other, each chunks × int32
//   text      UTF-8
// The columns are starts and ends in code points, and any of lengths (in the unit), pages (0 for none) and
// paths (a place in the header's paths, -1 for none).
// The view (marks, hits, selected chunk, height …) comes as JSON through handover.js.

/**
 * What is known of each chunk beyond its offsets; a column that Python did not send is undefined.
 * @typedef {object} Facts
 * @property {string} unit             what lengths are measured in
 * @property {Int32Array} [lengths]    in the unit
 * @property {Int32Array} [pages]      from 1; 0 for none
 * @property {Int32Array} [paths]      which of the names; -1 for none
 * @property {string[][]} names        the distinct heading paths
 */

/**
 * @typedef {object} Spans
 * @property {Int32Array} starts  code points
 * @property {Int32Array} ends    code points
 * @property {Facts} facts
 */

/**
 * @typedef {object} Content
 * @property {string} text
 * @property {Spans[]} chunkings
 */

/**
 * @typedef {object} View
 * @property {string} slot
 * @property {string} version   the content that this belongs to
 * @property {[number, number, string][]} marks   start and end in code points, label
 * @property {[number, number, boolean][]} hits   chunk, rank, whether it answers
 * @property {number} selected  chunk, or -1
 * @property {number} height    in pixels
 * @property {boolean} markable
 * @property {boolean} editable  whether boundaries can be moved
 * @property {string} label
 * @property {number} first     the number shown on chunk 0
 * @property {{name: string, colour: string}[]} [sides]  of a comparison
 */

/**
 * Reads the header alone, which is cheap.
 * @param {Uint8Array} bytes
 * @returns {{slot: string, version: string, chunkings: object[], end: number}}
 */
function readHeader(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { ...header, end: 4 + length };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Content}
 */
function readContent(bytes) {
  const header = readHeader(bytes);
  let at = header.end;
  const chunkings = header.chunkings.map(({ chunks, columns, unit, paths: names }) => {
    const read = {};
    for (const column of columns) {
      // slice() copies, so that the numbers are aligned to four bytes.
      read[column] = new Int32Array(bytes.slice(at, at + 4 * chunks).buffer);
      at += 4 * chunks;
    }
    const { starts, ends, lengths, pages, paths } = read;
    return { starts, ends, facts: { unit, lengths, pages, paths, names } };
  });
  // Without ignoreBOM a byte-order mark, which is a character of the text, would be dropped.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(at));
  return { text, chunkings };
}

/**
 * The meeting place of the two mounts of a viewer. They are two modules, so it hangs on a shared symbol.
 * @param {string} slot
 * @returns {{view?: View, draw?: () => void}}
 */
function meetingPlace(slot) {
  const places = (globalThis[Symbol.for("ragchunk.viewer")] ??= new Map());
  if (!places.has(slot)) places.set(slot, {});
  return places.get(slot);
}
