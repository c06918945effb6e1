// UTF-8 lengths. The offsets of the card in bytes are counted here, from the text itself.

/**
 * How many bytes UTF-8 needs from one unit of a text to another. Both are between two code points.
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @returns {number}
 */
function bytesBetween(text, from, to) {
  let bytes = 0;
  for (let unit = from; unit < to; unit++) {
    const code = text.charCodeAt(unit);
    // Each half of a surrogate pair stands for two of its four bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}

/** UTF-8 offsets of one text, by a count at every CHECKPOINT units; counted when first asked for. */
class ByteIndex {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Float64Array | null} */
    this.counts = null;
  }

  /**
   * Bytes before a unit, which must be between two code points.
   * @param {number} unit
   * @returns {number}
   */
  toBytes(unit) {
    this.counts ??= this.count();
    const checkpoint = Math.floor(unit / CHECKPOINT);
    return this.counts[checkpoint] + bytesBetween(this.text, checkpoint * CHECKPOINT, unit);
  }

  /** @returns {Float64Array} */
  count() {
    const counts = new Float64Array(Math.floor(this.text.length / CHECKPOINT) + 1);
    for (let i = 1; i < counts.length; i++) {
      counts[i] = counts[i - 1] + bytesBetween(this.text, (i - 1) * CHECKPOINT, i * CHECKPOINT);
    }
    return counts;
  }
}
