// Two chunkings of one text side by side, scrolled together. What both have is quiet: only what differs stands out.

/** One side: its text, and what is chosen in it. */
class Side {
  /**
   * @param {CompareChrome} chrome
   * @param {number} side  0 left, 1 right
   */
  constructor({ box, texts }, side) {
    this.view = new TextView(texts[side]);
    this.whiteSpace = new WhiteSpace(this.view);
    this.boundaries = new BoundaryLayer(this.view, makeBar);
    this.focus = new ChunkFocus(this.view, box);
    this.passages = new PassagePicker(this.view, () => {});
    this.selected = -1;
    this.view.onDrawn = (block) => this.layers.forEach((layer) => layer.drawn(block));
    this.view.onReflow = () => this.layers.forEach((layer) => layer.redraw());
  }

  get layers() {
    return [this.whiteSpace, this.boundaries];
  }

  destroy() {
    for (const part of [this.passages, this.focus, this.view]) part.destroy();
  }
}

class Comparison {
  /** @param {ShadowRoot} root */
  constructor(root) {
    this.chrome = makeCompareChrome();
    root.append(this.chrome.box);
    this.sides = [0, 1].map((side) => new Side(this.chrome, side));
    this.views = this.sides.map(({ view }) => view);
    this.sync = new ScrollSync(this.views);
    this.map = new DifferenceMap(this.views[0], this.chrome.map);
    this.speaker = new Speaker(this.chrome.spoken);
    this.version = "";
    /** The boundaries that only one side has, in order. @type {{unit: number, side: number}[]} */
    this.differences = [];
    /** The one that was gone to, or -1. */
    this.current = -1;
    /** @type {(name: string, value: object) => void} */
    this.trigger = () => {};
    this.listen();
  }

  listen() {
    const { box, toolbar, previous, next, white, full, help, keys } = this.chrome;
    box.addEventListener("keydown", (event) => this.onKey(event));
    box.addEventListener("fullscreenchange", () => showFullScreen(this.chrome));
    this.views.forEach((view, side) => view.box.addEventListener("click", (event) => this.onClick(side, event)));
    toolbar.addEventListener("mousedown", (event) => event.preventDefault());
    previous.addEventListener("click", () => this.goToDifference(-1));
    next.addEventListener("click", () => this.goToDifference(1));
    white.addEventListener("click", () => this.toggleWhiteSpace());
    full.addEventListener("click", () => this.toggleFullScreen());
    help.addEventListener("click", () => showKeys(this.chrome, keys.hidden));
  }

  destroy() {
    clearTimeout(this.tellTimer);
    for (const part of [this.speaker, this.map, this.sync, ...this.sides]) part.destroy();
    this.chrome.box.remove();
  }

  /**
   * @param {Uint8Array} bytes  the content
   * @param {View} view         of the same version
   */
  show(bytes, view) {
    if (this.version !== view.version) this.showContent(readContent(bytes));
    this.version = view.version;
    for (const { view: text } of this.sides) text.showModel(withOverlays(text.model, view));
    showCompareSettings(
      this.chrome,
      view,
      this.views.map(({ model }) => model),
    );
    this.showStatus();
    this.map.redraw();
  }

  /** @param {Content} content */
  showContent({ text, chunkings }) {
    const models = chunkings.map((spans, side) => makeModel(text, spans, this.views[side].model));
    this.difference = this.map.difference = differenceOf(...models);
    const { only } = this.difference;
    this.differences = only.flatMap((units, side) => units.map((unit) => ({ unit, side })));
    this.differences.sort((a, b) => a.unit - b.unit || a.side - b.side);
    this.current = -1;
    this.sides.forEach(({ view, focus, boundaries }, side) => {
      focus.unpin();
      this.sides[side].selected = -1;
      const model = { ...models[side], flat: true, shared: sharedChunks(models[side], models[1 - side]) };
      if (view.model?.text === text) view.showModel(model);
      else view.showText(model);
      const ownOnly = new Set(only[side]);
      boundaries.showUnits(boundariesOf(model), (unit) => (ownOnly.has(unit) ? `only only-${side}` : "both"));
    });
  }

  // ---- differences

  /** Goes to the next (1) or previous (-1) boundary that only one side has. @param {number} direction */
  goToDifference(direction) {
    const count = this.differences.length;
    if (!count) return this.speaker.say("No differences");
    const next = this.current >= 0 ? this.current + direction : this.firstInSight(direction);
    this.current = Math.max(0, Math.min(count - 1, next));
    const { unit, side } = this.differences[this.current];
    this.views[side].reveal(unit, () => this.sync.follow(side));
    this.sides.forEach(({ boundaries }, i) => {
      const isCurrent = (each) => i === side && each === unit;
      const { kindOf } = boundaries;
      const plain = (each) => kindOf(each).replace(" current", "");
      boundaries.showUnits(boundaries.units, (each) => plain(each) + (isCurrent(each) ? " current" : ""));
    });
    this.showStatus();
    this.speaker.say(this.chrome.status.textContent);
  }

  /** @param {number} direction @returns {number} a place in the differences */
  firstInSight(direction) {
    const unit = this.views[0].firstVisibleUnit();
    const after = this.differences.findIndex((each) => each.unit >= unit);
    const next = after < 0 ? this.differences.length : after;
    return direction > 0 ? next : next - 1;
  }

  // ---- chunks

  /**
   * Selects a chunk of a side (-1 for none), shows its card, and tells Python.
   * @param {number} side
   * @param {number} chunk
   * @param {number} [delay]   milliseconds
   * @param {Anchor} [anchor]  where its card is shown; at its start when not given
   */
  choose(side, chunk, delay = 0, anchor = undefined) {
    this.unselect(1 - side);
    const { view, focus } = this.sides[side];
    const changed = chunk !== this.sides[side].selected;
    this.sides[side].selected = chunk;
    view.showState({ selected: chunk });
    if (chunk < 0) focus.unpin();
    else if (anchor) focus.pin(chunk, anchor);
    else {
      view.reveal(view.model.starts[chunk], () => {
        if (this.sides[side].selected === chunk) focus.pin(chunk, focus.anchorOf(chunk));
      });
    }
    this.showStatus();
    if (!changed) return;
    this.speaker.say(chunk >= 0 ? spokenChunk(view.model, chunk) : "No chunk selected");
    clearTimeout(this.tellTimer);
    this.tellTimer = setTimeout(() => this.trigger("selected", { side, chunk }), delay);
  }

  /** @param {number} side */
  unselect(side) {
    this.sides[side].selected = -1;
    this.views[side].showState({ selected: -1 });
    this.sides[side].focus.unpin();
  }

  /** Goes to the next (1) or previous (-1) chunk of a side. @param {number} side @param {number} direction */
  step(side, direction) {
    const { view, selected } = this.sides[side];
    const { starts } = view.model;
    if (!starts.length) return;
    const chunk = selected >= 0 ? selected + direction : lowerBound(starts, view.firstVisibleUnit());
    this.choose(side, Math.max(0, Math.min(starts.length - 1, chunk)), TELL_AFTER_MS);
  }

  /** @param {number} side @param {MouseEvent} event */
  onClick(side, event) {
    const { view, focus, selected } = this.sides[side];
    const selection = readSelection(view);
    const piece = event.target.closest(".piece.covered");
    if (!piece || event.detail > 1 || (selection && selection.start !== selection.end)) return;
    const chunk = nextUnder(chunksAt(view.model, view.unitAt(piece, 0)), selected);
    this.choose(side, chunk, 0, focus.anchorFor(chunk, event));
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const act = this.keyAction(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** What a key does. @param {KeyboardEvent} event @returns {(() => void) | null} */
  keyAction(event) {
    const { texts, keys } = this.chrome;
    const inText = texts.indexOf(event.target);
    const key = event.key.toLowerCase();
    if (event.altKey || isTyped(event)) return null;
    if (event.ctrlKey || event.metaKey) {
      return key === "a" && inText >= 0 ? () => this.sides[inText].passages.selectAll() : null;
    }
    const side = Math.max(0, inText);
    if (key === "n") return () => this.goToDifference(event.shiftKey ? -1 : 1);
    if (key === "j") return () => this.step(side, 1);
    if (key === "k") return () => this.step(side, -1);
    if (key === "escape") return this.undoAction();
    if (event.repeat) return null;
    if (key === "w") return () => this.toggleWhiteSpace();
    if (key === "f") return () => this.toggleFullScreen();
    return key === "?" ? () => showKeys(this.chrome, keys.hidden) : null;
  }

  /** What Esc undoes: the nearest of key list, full screen and selected chunk. @returns {(() => void) | null} */
  undoAction() {
    if (!this.chrome.keys.hidden) return () => showKeys(this.chrome, false);
    if (isFullScreen(this.chrome)) return () => this.toggleFullScreen();
    const side = this.sides.findIndex(({ selected }) => selected >= 0);
    return side >= 0 ? () => this.choose(side, -1) : null;
  }

  toggleWhiteSpace() {
    const on = !this.sides[0].whiteSpace.on;
    for (const { whiteSpace } of this.sides) whiteSpace.show(on);
    this.chrome.white.setAttribute("aria-pressed", String(on));
  }

  toggleFullScreen() {
    return setFullScreen(this.chrome, !isFullScreen(this.chrome));
  }

  /** The current difference, or how many there are. */
  showStatus() {
    let words = describeDifference(this.difference);
    const { status, previous, next } = this.chrome;
    if (this.current >= 0) {
      const { unit, side } = this.differences[this.current];
      const place = this.views[side].model.index.toPoints(unit);
      const which = `${side ? "only right" : "only left"}, at character ${place}`;
      words = `Difference ${grouped(this.current + 1)} of ${grouped(this.differences.length)}: ${which} (${words})`;
    }
    previous.disabled = next.disabled = !this.differences.length;
    status.textContent = status.title = words;
  }
}

/** Called by Streamlit: see mount.js. @param {Component} component @returns {() => void} */
export default function (component) {
  return mount(component, Comparison);
}
