// The passage that the user selects, to mark it or to copy it.

/** For this long after a press on the toolbar, the selection that its button is about is kept. */
const HOLD_MS = 700;

/** @typedef {{start: number, end: number, quote: string}} Passage  offsets in code points */

class PassagePicker {
  /**
   * @param {TextView} view
   * @param {() => void} changed  called when another passage is selected, or none
   */
  constructor(view, changed) {
    this.view = view;
    this.changed = changed;
    /** @type {TextSelection | null} */
    this.selection = null;
    this.onSelection = () => this.read();
    document.addEventListener("selectionchange", this.onSelection);
    view.box.addEventListener("copy", (event) => this.onCopy(event));
  }

  destroy() {
    document.removeEventListener("selectionchange", this.onSelection);
    clearTimeout(this.holdTimer);
  }

  /** Keeps the selection through a press on the toolbar, which takes it away on some phones. */
  hold() {
    clearTimeout(this.holdTimer);
    this.held = true;
    this.holdTimer = setTimeout(() => {
      this.held = false;
      this.read();
    }, HOLD_MS);
  }

  /** Takes what is selected in the page. */
  read() {
    if (this.held) return;
    const read = readSelection(this.view);
    if (!read || read.start === read.end) this.selection = null;
    else {
      const [start, end] = widenToPairs(this.view.model.text, read.start, read.end);
      this.selection = { ...read, start, end };
    }
    this.changed();
  }

  /** @returns {Passage | null} what is selected */
  passage() {
    if (!this.selection) return null;
    const { text, index } = this.view.model;
    const { start, end } = this.selection;
    return { start: index.toPoints(start), end: index.toPoints(end), quote: text.slice(start, end) };
  }

  /** Starts a selection, one character long, that the arrow keys can change. @param {number} unit */
  startAt(unit) {
    const { text } = this.view.model;
    const start = Math.min(unit, text.length - 1);
    this.view.box.focus({ preventScroll: true });
    this.view.reveal(start);
    placeSelection(this.view, { start, end: characterBoundary(text, start + 1), backward: false });
  }

  selectAll() {
    const end = this.view.model?.text.length;
    if (end) placeSelection(this.view, { start: 0, end, backward: false });
  }

  /** Copies the text itself: what the browser makes of it has other line ends. @param {ClipboardEvent} event */
  onCopy(event) {
    this.read();
    const passage = this.passage();
    if (!passage) return;
    event.clipboardData.setData("text/plain", passage.quote);
    event.preventDefault();
  }
}
