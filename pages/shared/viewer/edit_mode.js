// The mode in which boundaries are moved, added and removed. Python is told of the result after each change; what it
// makes of it is shown when the mode is left.

class EditMode {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.view = viewer.view;
    this.layer = new BoundaryLayer(this.view, (bar) => this.makeHandle(bar));
    this.isOn = false;
    /** The boundary that keys move, in units. @type {number | null} */
    this.current = null;
    /** Whether Python knows of all changes. */
    this.isTold = true;
    this.isDragging = false;
    /** What Python sent meanwhile. @type {{bytes: Uint8Array, view: View} | null} */
    this.held = null;
    this.listen();
  }

  listen() {
    const { edit, add, remove, undo, redo, text } = this.viewer.chrome;
    edit.addEventListener("click", () => this.toggle());
    add.addEventListener("click", () => this.add());
    remove.addEventListener("click", () => this.remove());
    undo.addEventListener("click", () => this.undo());
    redo.addEventListener("click", () => this.redo());
    text.addEventListener("dblclick", (event) => this.onDoubleClick(event));
    text.addEventListener("pointerdown", (event) => this.onPress(event));
    text.addEventListener("focusin", ({ target }) => this.onFocus(target));
  }

  toggle() {
    if (this.isOn) this.stop();
    else this.start();
  }

  start() {
    const { model } = this.view;
    if (!this.viewer.settings.editable || !model?.text) return;
    this.isOn = true;
    this.before = model;
    this.held = null;
    this.current = null;
    this.isTold = true;
    this.list = new CutList(model.text, boundariesOf(model));
    this.viewer.focus.unpin();
    this.viewer.focus.enabled = false;
    this.viewer.selected = -1;
    this.show();
    this.viewer.speaker.say(`Editing boundaries: ${this.words()}`);
  }

  /** Leaves the mode; shows what Python made of the boundaries, if that has come. */
  stop() {
    const { viewer, list, held } = this;
    this.isOn = false;
    this.layer.show(false);
    this.tellNow();
    viewer.focus.enabled = true;
    const isChanged = list.done.length + list.undone.length > 0;
    this.view.showModel(isChanged ? { ...this.view.model, flat: false } : this.before);
    // Whatever Python sends from now on is shown.
    if (isChanged || held) viewer.settings = { ...viewer.settings, version: "" };
    if (held && this.isAnswer(held.bytes)) viewer.show(held.bytes, held.view);
    this.showTools();
    viewer.showStatus();
    viewer.map.redraw();
    viewer.speaker.say("Boundaries left as they are now");
  }

  /** Whether Python has the boundaries as they are now. @param {Uint8Array} bytes @returns {boolean} */
  isAnswer(bytes) {
    const { text, chunkings } = readContent(bytes);
    const { units } = this.list;
    const found = boundariesOf(makeModel(text, chunkings[0], this.view.model));
    return found.length === units.length && found.every((unit, i) => unit === units[i]);
  }

  /**
   * Keeps back what Python sends while the user edits, but for its marks. Another text ends the mode.
   * @param {Uint8Array} bytes
   * @param {View} view
   * @returns {boolean} whether it was kept back
   */
  holds(bytes, view) {
    if (!this.isOn) return false;
    if (view.version !== this.viewer.settings.version && readContent(bytes).text !== this.view.model.text) {
      this.list = new CutList(this.view.model.text, []);
      this.stop();
      return false;
    }
    this.held = { bytes, view };
    // What is drawn again is let go: a handle that is dragged must stay.
    if (this.isDragging) return true;
    const hadFocus = Boolean(this.view.box.querySelector(".handle:focus"));
    this.show();
    if (hadFocus) this.refocus();
    return true;
  }

  /** Draws the text as the boundaries cut it now. */
  show() {
    const { units } = this.list;
    const { text, index, first } = this.before;
    const points = units.map((unit) => index.toPoints(unit));
    const spans = { starts: Int32Array.from([0, ...points]), ends: Int32Array.from([...points, index.length]) };
    const model = makeModel(text, { ...spans, facts: { unit: "", names: [] } }, this.before);
    const view = this.held?.view ?? this.viewer.settings;
    this.view.showModel({ ...withOverlays(model, { ...view, hits: [], first }), flat: true });
    this.layer.showUnits(units);
    this.showTools();
    this.viewer.showStatus();
    this.viewer.map.redraw();
  }

  // ---- changes

  /** After a change: shows it, keeps the focus on the boundary, and tells Python. @param {number | null} current */
  changed(current) {
    this.current = current;
    this.show();
    this.refocus();
    this.viewer.speaker.say(this.words());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tellNow(), TELL_AFTER_MS);
    this.isTold = false;
  }

  tellNow() {
    clearTimeout(this.timer);
    if (this.isTold) return;
    this.isTold = true;
    const { index } = this.before;
    this.viewer.trigger("edited", { cuts: this.list.units.map((unit) => index.toPoints(unit)) });
  }

  /** Adds one at the caret or, where there is none, in the middle of the chunk after the current boundary. */
  add() {
    const selection = readSelection(this.view);
    const caret = selection && (selection.backward ? selection.start : selection.end);
    this.addAt(caret ?? this.middle());
  }

  /** @returns {number} units */
  middle() {
    const start = this.current ?? this.view.firstVisibleUnit();
    const end = this.list.units[lowerBound(this.list.units, start + 1)] ?? this.view.model.text.length;
    return (start + end) >> 1;
  }

  /** @param {number} unit */
  addAt(unit) {
    const place = this.list.add(unit);
    if (place === null) return;
    document.getSelection().removeAllRanges();
    this.changed(place);
  }

  remove() {
    if (!this.list.has(this.current)) return;
    const { units } = this.list;
    const place = lowerBound(units, this.current);
    const next = units[place + 1] ?? units[place - 1] ?? null;
    this.list.remove(this.current);
    this.changed(next);
  }

  /** @param {number} direction @param {"grapheme" | "word"} by */
  nudge(direction, by) {
    if (this.list.has(this.current)) this.moveTo(nextEdge(this.view.model.text, this.current, direction, by));
  }

  /** @param {number} unit */
  moveTo(unit) {
    const { current } = this;
    const place = this.list.move(current, unit);
    if (place !== current) this.changed(place);
  }

  undo() {
    const change = this.list.undo();
    if (change) this.changed(change.from ?? null);
  }

  redo() {
    const change = this.list.redo();
    if (change) this.changed(change.to ?? null);
  }

  // ---- the current boundary

  /** Goes to the next (1) or previous (-1) boundary. @param {number} direction */
  step(direction) {
    const { units } = this.list;
    if (!units.length) return;
    const from = this.current ?? this.view.firstVisibleUnit() - 1;
    const place = direction > 0 ? lowerBound(units, from + 1) : lowerBound(units, from) - 1;
    this.current = units[Math.max(0, Math.min(units.length - 1, place))];
    // From now on B is about this boundary, not about the caret.
    document.getSelection().removeAllRanges();
    this.refocus();
    this.viewer.speaker.say(this.words());
  }

  /** Puts the focus on the current boundary, or on the text when there is none. */
  refocus() {
    const { box } = this.view;
    if (this.current === null) return box.focus({ preventScroll: true });
    const focus = () => {
      this.layer.draw();
      box.querySelector(`.handle[data-unit="${this.current}"]`)?.focus({ preventScroll: true });
    };
    this.view.reveal(this.current, focus);
    this.viewer.showStatus();
  }

  /** @param {Element} target */
  onFocus(target) {
    if (!this.isOn) return;
    const handle = target.closest(".handle");
    if (handle) this.current = Number(handle.dataset.unit);
    this.showTools();
    this.viewer.showStatus();
  }

  /** @returns {string} */
  words() {
    const { units } = this.list;
    const count = counted(units.length, "boundary", "boundaries");
    if (!this.list.has(this.current)) return count;
    const place = this.view.model.index.toPoints(this.current);
    return `Boundary ${lowerBound(units, this.current) + 1} of ${units.length}, at character ${place}`;
  }

  // ---- the page

  /** @param {Bar} bar @returns {HTMLElement} */
  makeHandle({ unit, shown }) {
    const { index } = this.view.model;
    return makeElement("span", "cut handle", {
      role: "separator",
      tabindex: "-1",
      "aria-orientation": "vertical",
      "aria-label": `Boundary before chunk ${shown}`,
      "aria-valuemin": "0",
      "aria-valuemax": String(index.length),
      "aria-valuenow": String(index.toPoints(unit)),
      "data-unit": String(unit),
      "data-shown": shown,
    });
  }

  showTools() {
    const { box, edit, tools, add, remove, undo, redo } = this.viewer.chrome;
    box.classList.toggle("editing", this.isOn);
    edit.setAttribute("aria-pressed", String(this.isOn));
    tools.hidden = !this.isOn;
    add.disabled = !this.isOn;
    remove.disabled = !this.isOn || !this.list.has(this.current);
    undo.disabled = !this.list?.done.length;
    redo.disabled = !this.list?.undone.length;
  }

  /** @param {MouseEvent} event */
  onDoubleClick(event) {
    if (!this.isOn || event.target.closest(".handle")) return;
    event.preventDefault();
    this.addAt(unitAtPoint(this.view, event.clientX, event.clientY));
  }

  /** A handle follows the pointer, and the boundary moves when it is let go. @param {PointerEvent} press */
  onPress(press) {
    const handle = this.isOn && press.button === 0 ? press.target.closest(".handle") : null;
    if (!handle) return;
    press.preventDefault();
    this.isDragging = true;
    dragHandle(this.view, handle, press, (unit) => {
      this.isDragging = false;
      this.current = Number(handle.dataset.unit);
      if (unit === null) this.refocus();
      else this.moveTo(unit);
    });
  }
}
