// The short sentences about what is selected, for the status line and for screen readers.

/**
 * @param {number} count
 * @param {string} noun
 * @param {string} [nouns]  its plural
 * @returns {string}
 */
function counted(count, noun, nouns = `${noun}s`) {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/**
 * By how many code points a chunk overlaps the one after it.
 * @param {{starts: Int32Array, ends: Int32Array}} points  the chunks in code points
 * @param {number} chunk
 * @returns {number} 0 or less when it does not
 */
function overlapWithNext({ starts, ends }, chunk) {
  return chunk + 1 < starts.length ? Math.min(ends[chunk], ends[chunk + 1]) - starts[chunk + 1] : 0;
}

/**
 * @param {Model} model
 * @param {number} chunk
 * @returns {string} "Chunk 3 of 14, characters 310 to 702, overlaps the next by 50"
 */
function describeChunk(model, chunk) {
  const { starts, ends } = model.points;
  const place = model.first === 1 ? `of ${starts.length}` : `(${chunk + 1} of ${starts.length} in this text)`;
  const parts = [`Chunk ${model.first + chunk} ${place}`, `characters ${starts[chunk]} to ${ends[chunk]}`];
  const overlap = overlapWithNext(model.points, chunk);
  if (overlap > 0) parts.push(`overlaps the next by ${overlap}`);
  const hit = model.hits.get(chunk);
  if (hit) parts.push(`rank ${hit.rank}${hit.answers ? ", answers" : ""}`);
  return parts.join(", ");
}

/**
 * @param {Passage} passage
 * @returns {string} "12 characters selected: 310 to 322"
 */
function describePassage({ start, end }) {
  return `${counted(end - start, "character")} selected: ${start} to ${end}`;
}

/** Screen readers are told of a change when nothing else has changed for this long. */
const SPEAK_AFTER_MS = 400;

class Speaker {
  /** @param {HTMLElement} element  a live region */
  constructor(element) {
    this.element = element;
  }

  /** @param {string} words */
  say(words) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.element.textContent = words), SPEAK_AFTER_MS);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}
