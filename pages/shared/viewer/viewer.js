// Puts the parts together: data from Python in; keys, clicks and selections out.

/** A held key moves at once in the page, and Python is told when it has been still for this long. */
const TELL_AFTER_MS = 250;

/** Screen readers are told of a change when nothing else has changed for this long. */
const SPEAK_AFTER_MS = 400;

/** For this long a chunk that Python selects may be the echo of the user's own choice. */
const ECHO_MS = 5000;

/** For this long after a press on the toolbar, the selection that its button is about is kept. */
const HOLD_MS = 700;

/** @typedef {{start: number, end: number, quote: string}} Passage  offsets in code points */

/** @type {WeakMap<Node, Viewer>} the viewer of each mount */
const viewers = new WeakMap();

/** @type {Map<string, {version: string, unit: number, selected: number}>} what viewers that are gone showed, by slot */
const remembered = new Map();

class Viewer {
  /** @param {ShadowRoot} root */
  constructor(root) {
    this.chrome = makeChrome();
    root.append(this.chrome.box);
    this.view = new TextView(this.chrome.text);
    /** @type {View} */
    this.settings = { version: "", markable: false };
    this.selected = -1;
    /** What Python last gave as the selected chunk. */
    this.selectedByPython = -1;
    /** What Python was told and has not sent back yet. @type {{chunk: number, at: number}[]} */
    this.told = [];
    /** @type {TextSelection | null} */
    this.selection = null;
    /** @type {(name: string, value: object) => void} */
    this.trigger = () => {};
    this.listen();
  }

  listen() {
    const { box, text, toolbar, mark, previous, next, full, help, keys } = this.chrome;
    this.onSelection = () => this.readUserSelection();
    document.addEventListener("selectionchange", this.onSelection);
    box.addEventListener("keydown", (event) => this.onKey(event));
    box.addEventListener("fullscreenchange", () => showFullScreen(this.chrome));
    box.addEventListener("focusout", ({ relatedTarget }) => {
      if (!box.contains(relatedTarget)) showKeys(this.chrome, false);
    });
    text.addEventListener("click", (event) => this.onClick(event));
    text.addEventListener("copy", (event) => this.onCopy(event));
    toolbar.addEventListener("pointerdown", () => this.holdSelection());
    toolbar.addEventListener("mousedown", (event) => event.preventDefault());
    mark.addEventListener("click", () => this.mark());
    previous.addEventListener("click", () => this.step(-1));
    next.addEventListener("click", () => this.step(1));
    full.addEventListener("click", () => this.toggleFullScreen());
    help.addEventListener("click", () => showKeys(this.chrome, keys.hidden));
  }

  /** @param {string} slot */
  destroy(slot) {
    document.removeEventListener("selectionchange", this.onSelection);
    for (const timer of [this.tellTimer, this.speakTimer, this.holdTimer]) clearTimeout(timer);
    const { version } = this.settings;
    remembered.set(slot, { version, unit: this.view.topUnit, selected: this.selected });
    this.view.destroy();
    this.chrome.box.remove();
  }

  // ---- data from Python

  /**
   * @param {Uint8Array} bytes  the content
   * @param {View} view         of the same version
   */
  show(bytes, view) {
    const old = this.settings;
    const isNew = old.version !== view.version;
    this.settings = view;
    const overlays = ({ marks, hits, first }) => JSON.stringify([marks, hits, first]);
    if (isNew) this.showContent(makeModel(readContent(bytes), view, this.view.model));
    else if (overlays(old) !== overlays(view)) this.view.showModel(withOverlays(this.view.model, view));
    showSettings(this.chrome, view, this.view.model.starts.length);
    this.takeSelected(view, isNew);
    this.showStatus();
  }

  /** @param {Model} model */
  showContent(model) {
    this.selected = -1;
    this.told = [];
    if (this.view.model?.text === model.text) this.view.showModel(model);
    else this.view.showText(model);
  }

  /**
   * Takes over the chunk that Python selects, but not its echo of an earlier choice of the user's.
   * @param {View} view
   * @param {boolean} isNew  whether the content is new
   */
  takeSelected({ selected, slot, version }, isNew) {
    const changed = isNew || selected !== this.selectedByPython;
    this.selectedByPython = selected;
    const now = performance.now();
    this.told = this.told.filter(({ at }) => now - at < ECHO_MS);
    const echo = this.told.findIndex(({ chunk }) => chunk === selected);
    this.told.splice(0, echo + 1);
    if (changed && echo < 0 && selected !== this.selected) {
      clearTimeout(this.tellTimer);
      this.select(selected);
    }
    const before = remembered.get(slot);
    remembered.delete(slot);
    if (before?.version === version && before.selected === selected) this.view.scrollToTop(before.unit);
  }

  // ---- chunks

  /** Selects a chunk (-1 for none) in the page. @param {number} chunk */
  select(chunk) {
    this.selected = chunk;
    this.view.showSelected(chunk);
    if (chunk >= 0) this.view.reveal(this.view.model.starts[chunk]);
    this.showStatus();
    this.speak(chunk >= 0 ? describeChunk(this.view.model, chunk) : "No chunk selected");
  }

  /**
   * Selects a chunk for the user, and tells Python.
   * @param {number} chunk
   * @param {number} [delay]  milliseconds
   */
  choose(chunk, delay = 0) {
    if (chunk === this.selected) return;
    this.select(chunk);
    clearTimeout(this.tellTimer);
    const tell = () => {
      this.told.push({ chunk, at: performance.now() });
      this.trigger("selected", { chunk });
    };
    if (delay) this.tellTimer = setTimeout(tell, delay);
    else tell();
  }

  /** Goes to the next (1) or previous (-1) chunk. @param {number} direction */
  step(direction) {
    const count = this.view.model?.starts.length ?? 0;
    if (!count) return;
    const chunk = this.selected >= 0 ? this.selected + direction : this.chunkInSight();
    this.choose(Math.max(0, Math.min(count - 1, chunk)), TELL_AFTER_MS);
  }

  chooseInSight() {
    if (this.view.model?.starts.length) this.choose(this.chunkInSight());
  }

  /** The chunk at the caret if that is in sight, or else the first one in sight. @returns {number} */
  chunkInSight() {
    const { model } = this.view;
    const unit = this.caretInSight() ?? this.view.firstVisibleUnit();
    return chunksAt(model, unit).at(-1) ?? Math.min(lowerBound(model.starts, unit), model.starts.length - 1);
  }

  /** @returns {number | null} units */
  caretInSight() {
    const caret = readSelection(this.view);
    return caret && this.view.isVisible(caret.start) ? caret.start : null;
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const selection = readSelection(this.view);
    const piece = event.target.closest(".piece.covered");
    const isDrag = selection && selection.start !== selection.end;
    if (!piece || isDrag || event.detail > 1) return;
    const here = chunksAt(this.view.model, this.view.unitAt(piece, 0));
    // Where chunks overlap, the one that starts last is on top; further clicks go down through the others.
    const chosen = here.indexOf(this.selected);
    this.choose(here.at(chosen > 0 ? chosen - 1 : -1));
  }

  // ---- text selection

  /** Keeps the selection through a press on the toolbar, which takes it away on some phones. */
  holdSelection() {
    clearTimeout(this.holdTimer);
    this.held = true;
    this.holdTimer = setTimeout(() => {
      this.held = false;
      this.readUserSelection();
    }, HOLD_MS);
  }

  readUserSelection() {
    if (this.held) return;
    const read = readSelection(this.view);
    if (!read || read.start === read.end) this.selection = null;
    else {
      const [start, end] = widenToPairs(this.view.model.text, read.start, read.end);
      this.selection = { ...read, start, end };
    }
    this.chrome.mark.disabled = !this.selection;
    this.showStatus();
  }

  /** @returns {Passage | null} what is selected */
  selectedPassage() {
    if (!this.selection) return null;
    const { text, index } = this.view.model;
    const { start, end } = this.selection;
    return { start: index.toPoints(start), end: index.toPoints(end), quote: text.slice(start, end) };
  }

  mark() {
    this.readUserSelection();
    const passage = this.selectedPassage();
    if (!passage) return;
    this.trigger("marked", passage);
    this.speak(`Marked characters ${passage.start} to ${passage.end}`);
  }

  /** Starts a text selection, one character long, that the arrow keys can change. */
  startSelection() {
    const { model } = this.view;
    if (!model?.text) return;
    const chunkStart = this.selected >= 0 ? model.starts[this.selected] : null;
    const unit = chunkStart ?? this.caretInSight() ?? this.view.firstVisibleUnit();
    const start = Math.min(unit, model.text.length - 1);
    this.chrome.text.focus({ preventScroll: true });
    this.view.reveal(start);
    placeSelection(this.view, { start, end: characterBoundary(model.text, start + 1), backward: false });
  }

  selectAll() {
    const end = this.view.model?.text.length;
    if (end) placeSelection(this.view, { start: 0, end, backward: false });
  }

  /** Copies the text itself: what the browser makes of it has other line ends. @param {ClipboardEvent} event */
  onCopy(event) {
    this.readUserSelection();
    const passage = this.selectedPassage();
    if (!passage) return;
    event.clipboardData.setData("text/plain", passage.quote);
    event.preventDefault();
  }

  // ---- keys and full screen

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const act = keyAction(this, event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** What Esc undoes: the nearest of key list, full screen and selected chunk. @returns {(() => void) | null} */
  undoAction() {
    if (!this.chrome.keys.hidden) return () => showKeys(this.chrome, false);
    if (isFullScreen(this.chrome)) return () => this.toggleFullScreen();
    return this.selected >= 0 ? () => this.choose(-1) : null;
  }

  toggleFullScreen() {
    return setFullScreen(this.chrome, !isFullScreen(this.chrome));
  }

  // ---- words about what is selected

  showStatus() {
    const { model } = this.view;
    const passage = this.selectedPassage();
    const count = model?.starts.length ?? 0;
    let words = count ? counted(count, "chunk") : "";
    if (passage) words = describePassage(passage);
    else if (this.selected >= 0) words = describeChunk(model, this.selected);
    this.chrome.status.textContent = this.chrome.status.title = words;
  }

  /** @param {string} words */
  speak(words) {
    clearTimeout(this.speakTimer);
    this.speakTimer = setTimeout(() => (this.chrome.spoken.textContent = words), SPEAK_AFTER_MS);
  }
}

/**
 * Called by Streamlit with every new data, and when the theme changes.
 * @param {{data: Uint8Array, parentElement: ShadowRoot, setTriggerValue: (name: string, value: object) => void}} component
 * @returns {() => void} called once, when the viewer leaves the page
 */
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const { slot, version } = readHeader(data);
  const viewer = viewers.get(parentElement) ?? new Viewer(parentElement);
  viewers.set(parentElement, viewer);
  viewer.trigger = setTriggerValue;
  const place = meetingPlace(slot);
  const draw = () => {
    // The two mounts arrive one after the other: nothing changes until both are of one version.
    if (place.view?.version === version) viewer.show(data, place.view);
  };
  place.draw = draw;
  draw();
  return () => {
    if (place.draw === draw) delete place.draw;
    viewers.delete(parentElement);
    viewer.destroy(slot);
  };
}
