// What Python sends, and how its two halves find each other.
//
// The content (text and chunk spans) comes as bytes:
//   4 bytes   length of the header, little-endian
//   header    JSON {slot, version, chunks}
//   starts    chunks × int32, code points
//   ends      chunks × int32, code points
//   text      UTF-8
// The view (marks, hits, selected chunk, height …) comes as JSON through handover.js.

/**
 * @typedef {object} Content
 * @property {string} version
 * @property {string} text
 * @property {Int32Array} starts  code points
 * @property {Int32Array} ends    code points
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
 * @property {string} label
 * @property {number} first     the number shown on chunk 0
 */

/**
 * Reads the header alone, which is cheap.
 * @param {Uint8Array} bytes
 * @returns {{slot: string, version: string, chunks: number, end: number}}
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
  const size = 4 * header.chunks;
  // slice() copies, so that the numbers are aligned to four bytes.
  const integers = (from) => new Int32Array(bytes.slice(from, from + size).buffer);
  return {
    version: header.version,
    starts: integers(header.end),
    ends: integers(header.end + size),
    // Without ignoreBOM a byte-order mark, which is a character of the text, would be dropped.
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(header.end + 2 * size)),
  };
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
