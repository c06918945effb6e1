// What Python was told of the user's choices. It sends each choice back as the selected chunk, and by then the
// user may have gone on: such an echo must not move the view.

/** A held key moves at once in the page, and Python is told when it has been still for this long. */
const TELL_AFTER_MS = 250;

/** For this long a chunk that Python selects may be the echo of the user's own choice. */
const ECHO_MS = 5000;

class Told {
  constructor() {
    /** What Python last gave as the selected chunk. */
    this.fromPython = -1;
    /** What Python was told and has not sent back yet. @type {{chunk: number, at: number}[]} */
    this.waiting = [];
  }

  /** @param {number} chunk  that Python is told now */
  add(chunk) {
    this.waiting.push({ chunk, at: performance.now() });
  }

  /** Nothing that was told earlier will come back. */
  clear() {
    this.waiting = [];
  }

  /**
   * Takes what Python gives as the selected chunk.
   * @param {number} chunk
   * @param {boolean} isNew  whether it comes with new content
   * @returns {boolean} whether it is Python's own choice, and none of the user's come back
   */
  takes(chunk, isNew) {
    const changed = isNew || chunk !== this.fromPython;
    this.fromPython = chunk;
    const now = performance.now();
    this.waiting = this.waiting.filter(({ at }) => now - at < ECHO_MS);
    const echo = this.waiting.findIndex((told) => told.chunk === chunk);
    this.waiting.splice(0, echo + 1);
    return changed && echo < 0;
  }
}
