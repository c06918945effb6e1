// Puts the parts together: data from Python in; keys, clicks and selections out.

/**
 * What viewers that are gone showed, by slot.
 * @type {Map<string, {version: string, unit: number, selected: number, whiteSpace: boolean}>}
 */
const remembered = new Map();

class Viewer {
  /** @param {ShadowRoot} root */
  constructor(root) {
    this.chrome = makeChrome();
    root.append(this.chrome.box);
    this.view = new TextView(this.chrome.text);
    this.whiteSpace = new WhiteSpace(this.view);
    this.map = new Minimap(this.view, this.chrome.map);
    this.focus = new ChunkFocus(this.view, this.chrome.box);
    this.speaker = new Speaker(this.chrome.spoken);
    this.passages = new PassagePicker(this.view, () => this.showPassage());
    /** @type {View} */
    this.settings = { version: "", markable: false, editable: false };
    this.selected = -1;
    this.told = new Told();
    /** @type {(name: string, value: object) => void} */
    this.trigger = () => {};
    this.edit = new EditMode(this);
    this.listen();
  }

  listen() {
    const { box, text, toolbar, mark, previous, next, white, full, help } = this.chrome;
    const layers = [this.whiteSpace, this.edit.layer];
    this.view.onDrawn = (block) => layers.forEach((layer) => layer.drawn(block));
    this.view.onReflow = () => layers.forEach((layer) => layer.redraw());
    box.addEventListener("keydown", (event) => this.onKey(event));
    box.addEventListener("fullscreenchange", () => showFullScreen(this.chrome));
    box.addEventListener("focusout", ({ relatedTarget }) => {
      if (!box.contains(relatedTarget)) showKeys(this.chrome, false);
    });
    text.addEventListener("click", (event) => this.onClick(event));
    toolbar.addEventListener("pointerdown", () => this.passages.hold());
    toolbar.addEventListener("mousedown", (event) => event.preventDefault());
    mark.addEventListener("click", () => this.mark());
    previous.addEventListener("click", () => this.step(-1));
    next.addEventListener("click", () => this.step(1));
    white.addEventListener("click", () => this.toggleWhiteSpace());
    full.addEventListener("click", () => this.toggleFullScreen());
    help.addEventListener("click", () => this.toggleKeys());
  }

  /** @param {string} slot */
  destroy(slot) {
    clearTimeout(this.tellTimer);
    this.edit.tellNow();
    const { version } = this.settings;
    const whiteSpace = this.whiteSpace.on;
    remembered.set(slot, { version, unit: this.view.topUnit, selected: this.selected, whiteSpace });
    for (const part of [this.speaker, this.passages, this.focus, this.map, this.view]) part.destroy();
    this.chrome.box.remove();
  }

  // ---- data from Python

  /**
   * @param {Uint8Array} bytes  the content
   * @param {View} view         of the same version
   */
  show(bytes, view) {
    if (this.edit.holds(bytes, view)) return;
    const old = this.settings;
    const isNew = old.version !== view.version;
    this.settings = view;
    const overlays = ({ marks, hits, first }) => JSON.stringify([marks, hits, first]);
    if (isNew) this.showContent(readContent(bytes), view);
    else if (overlays(old) !== overlays(view)) this.view.showModel(withOverlays(this.view.model, view));
    showSettings(this.chrome, view, this.view.model.starts.length);
    this.takeSelected(view, isNew);
    this.showStatus();
    this.map.redraw();
  }

  /** @param {Content} content @param {View} view */
  showContent({ text, chunkings }, view) {
    const model = withOverlays(makeModel(text, chunkings[0], this.view.model), view);
    this.selected = -1;
    this.told.clear();
    this.focus.unpin();
    if (this.view.model?.text === text) this.view.showModel(model);
    else this.view.showText(model);
  }

  /**
   * Takes over the chunk that Python selects, but not its echo of an earlier choice of the user's.
   * @param {View} view
   * @param {boolean} isNew  whether the content is new
   */
  takeSelected({ selected, slot, version }, isNew) {
    if (this.told.takes(selected, isNew) && selected !== this.selected) {
      clearTimeout(this.tellTimer);
      this.focus.unpin();
      this.select(selected);
    }
    const before = remembered.get(slot);
    remembered.delete(slot);
    if (before?.whiteSpace) this.toggleWhiteSpace();
    if (before?.version === version && before.selected === selected) this.view.scrollToTop(before.unit);
  }

  // ---- chunks

  /**
   * Selects a chunk (-1 for none) in the page.
   * @param {number} chunk
   * @param {() => void} [moved]  called when it is in sight, and at every step until then
   */
  select(chunk, moved) {
    this.selected = chunk;
    this.view.showState({ selected: chunk });
    if (chunk >= 0) this.view.reveal(this.view.model.starts[chunk], moved);
    this.showStatus();
    this.map.redraw();
    this.speaker.say(chunk >= 0 ? spokenChunk(this.view.model, chunk) : "No chunk selected");
  }

  /**
   * Selects a chunk for the user, shows its card, and tells Python.
   * @param {number} chunk
   * @param {number} [delay]  milliseconds
   * @param {Anchor} [anchor]  where its card is shown; at its start when not given
   */
  choose(chunk, delay = 0, anchor = undefined) {
    const showCard = () => {
      // While it scrolls there, the user may have gone on to another chunk.
      if (anchor || this.selected === chunk) this.focus.pin(chunk, anchor ?? this.focus.anchorOf(chunk));
    };
    if (chunk < 0) this.focus.unpin();
    else if (anchor) showCard();
    if (chunk === this.selected) {
      if (chunk >= 0 && !anchor) this.view.reveal(this.view.model.starts[chunk], showCard);
      return;
    }
    this.select(chunk, anchor ? undefined : showCard);
    clearTimeout(this.tellTimer);
    const tell = () => {
      this.told.add(chunk);
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
    if (!piece || isDrag || event.detail > 1 || this.edit.isOn) return;
    const here = chunksAt(this.view.model, this.view.unitAt(piece, 0));
    const chunk = nextUnder(here, this.selected);
    this.choose(chunk, 0, this.focus.anchorFor(chunk, event));
  }

  // ---- passages

  showPassage() {
    this.chrome.mark.disabled = !this.passages.selection;
    this.showStatus();
  }

  mark() {
    this.passages.read();
    const passage = this.passages.passage();
    if (!passage) return;
    this.trigger("marked", passage);
    this.speaker.say(`Marked characters ${passage.start} to ${passage.end}`);
  }

  /** Starts a text selection at the selected chunk, or at the caret. */
  startSelection() {
    const { model } = this.view;
    if (!model?.text) return;
    const chunkStart = this.selected >= 0 ? model.starts[this.selected] : null;
    this.passages.startAt(chunkStart ?? this.caretInSight() ?? this.view.firstVisibleUnit());
  }

  // ---- keys, white space and full screen

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const act = keyAction(this, event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** What Esc undoes: the nearest of key list, full screen, editing and selected chunk. @returns {(() => void) | null} */
  undoAction() {
    if (!this.chrome.keys.hidden) return () => showKeys(this.chrome, false);
    if (isFullScreen(this.chrome)) return () => this.toggleFullScreen();
    if (this.edit.isOn) return () => this.edit.stop();
    return this.selected >= 0 ? () => this.choose(-1) : null;
  }

  toggleWhiteSpace() {
    this.whiteSpace.show(!this.whiteSpace.on);
    this.chrome.white.setAttribute("aria-pressed", String(this.whiteSpace.on));
  }

  toggleKeys() {
    const { keys } = this.chrome;
    showKeys(this.chrome, keys.hidden, makeKeyRows(this.settings, this.edit.isOn));
  }

  toggleFullScreen() {
    return setFullScreen(this.chrome, !isFullScreen(this.chrome));
  }

  // ---- words about what is selected

  showStatus() {
    const { model } = this.view;
    const passage = this.passages.passage();
    const count = model?.starts.length ?? 0;
    let words = count ? counted(count, "chunk") : "";
    if (this.edit.isOn) words = this.edit.words();
    else if (passage) words = describePassage(passage);
    else if (this.selected >= 0) words = describeChunk(model, this.selected);
    this.chrome.status.textContent = this.chrome.status.title = words;
  }
}

/** Called by Streamlit: see mount.js. @param {Component} component @returns {() => void} */
export default function (component) {
  return mount(component, Viewer);
}
