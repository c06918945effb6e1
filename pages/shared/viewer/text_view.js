// The text in the page. All of it is there, as blocks; only blocks near the visible part are drawn in pieces.

/** Blocks nearer than this to the visible part are drawn, and those further than the second are plain again. */
const DRAW_MARGIN = "1000px 0px";
const PLAIN_MARGIN = "4000px 0px";

/** A place that must not move while heights settle is put right for at most this many frames. */
const SETTLE_FRAMES = 30;

class TextView {
  /** @param {HTMLElement} box the scrolling element */
  constructor(box) {
    this.box = box;
    /** @type {Model | null} */
    this.model = null;
    /** Starts of the blocks in units and, last, the length of the text. */
    this.cuts = [0];
    /** @type {Map<number, Piece[]>} drawn blocks */
    this.drawn = new Map();
    /** Far blocks that are to be made plain again. @type {Set<number>} */
    this.leaving = new Set();
    /** A scroll that waits until the box is shown. @type {(() => void) | null} */
    this.postponed = null;
    this.scrollJob = 0;
    /** Called after a block has been drawn in pieces. @type {(block: number) => void} */
    this.onDrawn = () => {};
    /** Called when the box has another width, and so the text other lines. @type {() => void} */
    this.onReflow = () => {};
    for (const name of ["wheel", "pointerdown", "touchstart"]) {
      box.addEventListener(name, () => this.scrollJob++, { passive: true });
    }
    this.keepPlace();
  }

  /** Keeps the first visible line where it is when the box changes its width, as for full screen. */
  keepPlace() {
    /** The first unit in sight when the box was last scrolled, by the user or to show a chunk. */
    this.topUnit = 0;
    /** Where scrollToTop left the box: to be there is no news, even if the unit could not be quite at the top. */
    this.placedAt = -1;
    let width = 0;
    let timer = 0;
    const notePlace = () => {
      if (this.box.clientHeight && Math.abs(this.box.scrollTop - this.placedAt) > 1) this.topUnit = this.firstVisibleUnit();
    };
    this.box.addEventListener("scroll", () => {
      clearTimeout(timer);
      timer = setTimeout(notePlace, 150);
    });
    this.resizes = new ResizeObserver(() => {
      const now = this.box.clientWidth;
      if (width && now && now !== width && this.model) {
        this.scrollToTop(this.topUnit);
        this.onReflow();
      }
      width = now || width;
    });
    this.resizes.observe(this.box);
  }

  destroy() {
    this.scrollJob++;
    this.disconnect();
    this.resizes.disconnect();
  }

  /** Shows a model with another text, from the beginning. @param {Model} model */
  showText(model) {
    this.disconnect();
    this.model = model;
    this.drawn.clear();
    this.leaving.clear();
    this.cuts = blockCuts(model.text);
    this.scrollJob++;
    this.box.replaceChildren(...this.makeBlocks());
    this.box.scrollTop = 0;
    this.observe();
  }

  /** Shows a model of the same text: only what is drawn is drawn again. @param {Model} model */
  showModel(model) {
    this.model = model;
    keepingSelection(this, () => {
      for (const block of this.drawn.keys()) this.draw(block);
    });
  }

  /**
   * Shows which chunk is selected and which stands out while all others are dimmed, without touching the text.
   * @param {{selected?: number, focused?: number}} state  -1 for none
   */
  showState(state) {
    Object.assign(this.model, state);
    this.box.classList.toggle("dimmed", this.model.focused >= 0);
    for (const pieces of this.drawn.values()) for (const piece of pieces) showState(piece, this.model);
  }

  /** @returns {HTMLElement[]} */
  makeBlocks() {
    if (!this.model.text) {
      const note = makeElement("p", "empty");
      note.textContent = "This document has no text.";
      return [note];
    }
    const estimate = heightEstimate(this.box);
    return this.cuts.slice(1).map((end, block) => {
      const text = this.model.text.slice(this.cuts[block], end);
      const element = makeElement("div", "block", { "data-block": String(block) });
      element.textContent = text;
      element.style.setProperty("contain-intrinsic-block-size", `auto ${estimate(text)}px`);
      return element;
    });
  }

  observe() {
    const blockOf = ({ target }) => Number(target.dataset.block);
    const watch = (rootMargin, act) => new IntersectionObserver(act, { root: this.box, rootMargin });
    this.near = watch(DRAW_MARGIN, (entries) => {
      this.drawBlocks(entries.filter((entry) => entry.isIntersecting).map(blockOf));
      if (this.box.clientHeight) this.postponed?.();
    });
    this.far = watch(PLAIN_MARGIN, (entries) => {
      for (const entry of entries) this.leaving[entry.isIntersecting ? "delete" : "add"](blockOf(entry));
      this.undrawFar();
    });
    for (const block of this.box.querySelectorAll(".block")) {
      this.near.observe(block);
      this.far.observe(block);
    }
  }

  disconnect() {
    this.near?.disconnect();
    this.far?.disconnect();
  }

  /** @param {number[]} blocks */
  drawBlocks(blocks) {
    const plain = blocks.filter((block) => !this.drawn.has(block));
    if (plain.length) keepingSelection(this, () => plain.forEach((block) => this.draw(block)));
  }

  /** @param {number} block */
  draw(block) {
    const pieces = drawPieces(this.model, this.cuts[block], this.cuts[block + 1]);
    this.drawn.set(block, pieces);
    this.box.children[block].replaceChildren(...pieces.map((piece) => piece.element));
    this.onDrawn(block);
  }

  /** Makes far blocks plain again, except where that would disturb the user's selection: those wait. */
  undrawFar() {
    const selection = readSelection(this);
    const held = selection ? [this.blockAt(selection.start), this.blockAt(selection.end)] : [];
    for (const block of this.leaving) {
      if (held.includes(block)) continue;
      this.leaving.delete(block);
      if (!this.drawn.delete(block)) continue;
      this.box.children[block].textContent = this.model.text.slice(this.cuts[block], this.cuts[block + 1]);
    }
  }

  /** The block that holds a unit. @param {number} unit @returns {number} */
  blockAt(unit) {
    return Math.max(0, Math.min(lastAtMost(this.cuts, unit), this.cuts.length - 2));
  }

  /**
   * Where in the text a position in the page is.
   * @param {Node} node    in the box
   * @param {number} offset
   * @returns {number} units
   */
  unitAt(node, offset) {
    if (!this.model.text) return 0;
    if (node === this.box) return this.cuts[Math.min(offset, this.cuts.length - 1)];
    const parent = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    const block = parent.closest(".block");
    const range = document.createRange();
    range.setStart(block, 0);
    range.setEnd(node, offset);
    return this.cuts[Number(block.dataset.block)] + range.toString().length;
  }

  /**
   * Where in the page a place in the text is.
   * @param {number} unit
   * @returns {[Node, number]}
   */
  positionAt(unit) {
    const block = this.blockAt(unit);
    const element = this.box.children[block];
    let rest = unit - this.cuts[block];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (rest <= texts.currentNode.length) return [texts.currentNode, rest];
      rest -= texts.currentNode.length;
    }
    return [element, 0];
  }

  /** The first unit of the visible part. @returns {number} */
  firstVisibleUnit() {
    if (!this.model?.text) return 0;
    const top = this.box.getBoundingClientRect().top;
    const block = firstOf(0, this.cuts.length - 2, (i) => this.box.children[i].getBoundingClientRect().bottom > top);
    return firstOf(this.cuts[block], this.cuts[block + 1] - 1, (unit) => this.rectAt(unit).top >= top);
  }

  /** The unit, roughly, that is drawn at a height on the screen. @param {number} y @returns {number} */
  unitNear(y) {
    if (!this.model?.text) return 0;
    const rectOf = (block) => this.box.children[block].getBoundingClientRect();
    const block = firstOf(0, this.cuts.length - 2, (i) => rectOf(i).bottom > y);
    const { top, height } = rectOf(block);
    const share = height ? Math.max(0, Math.min(1, (y - top) / height)) : 0;
    return this.cuts[block] + Math.round(share * (this.cuts[block + 1] - this.cuts[block]));
  }

  /**
   * Brings a unit into sight, if it is not.
   * @param {number} unit
   * @param {() => void} [moved]  called when it is, and after every step until then
   */
  reveal(unit, moved = () => {}) {
    this.whenShown(() => {
      if (!this.model.text) return;
      if (this.isVisible(unit)) moved();
      else this.scrollTo(unit, 0.2, moved);
    });
  }

  /** Scrolls so that a unit stands on the first visible line. @param {number} unit */
  scrollToTop(unit) {
    this.topUnit = unit;
    this.whenShown(() => {
      if (this.model.text) this.scrollTo(unit, 0, () => (this.placedAt = this.box.scrollTop));
    });
  }

  /** Scrolls to the true end: as blocks come near and take their height, the end moves away. */
  scrollToEnd() {
    this.scrollToTop(Math.max(0, this.model.text.length - 1));
  }

  /** Does a scroll now, or, where the box is not shown yet (as in a closed tab), when it is. @param {() => void} act */
  whenShown(act) {
    this.postponed = this.box.clientHeight ? null : act;
    if (!this.postponed) act();
  }

  /**
   * Scrolls, inside the box only, until a unit stands at a share of its height. Blocks that come near take
   * their true height only then, so this is put right over some frames, or until the user scrolls.
   * @param {number} unit
   * @param {number} share
   * @param {() => void} [moved]  called after every step
   */
  scrollTo(unit, share, moved = () => {}) {
    const job = ++this.scrollJob;
    let frames = 0;
    let still = 0;
    const settle = () => {
      if (job !== this.scrollJob || !this.box.isConnected) return;
      const before = this.box.scrollTop;
      // The beginning is the very top, with the room above the first line.
      this.box.scrollTop = unit ? before + this.distanceTo(unit) - share * this.box.clientHeight : 0;
      moved();
      still = Math.abs(this.box.scrollTop - before) > 1 ? 0 : still + 1;
      if (still < 3 && ++frames < SETTLE_FRAMES) requestAnimationFrame(settle);
    };
    settle();
  }

  /** Where a character is drawn. @param {number} unit @returns {DOMRect} */
  rectAt(unit) {
    const range = document.createRange();
    const [node, offset] = this.positionAt(unit + 1);
    range.setEnd(node, offset);
    range.setStart(node, Math.max(0, offset - 1));
    return range.getClientRects()[0] ?? node.parentElement.getBoundingClientRect();
  }

  /** Pixels from the top of the visible part down to a unit. @param {number} unit @returns {number} */
  distanceTo(unit) {
    const last = Math.min(unit, this.model.text.length - 1);
    this.drawBlocks([this.blockAt(last)]);
    return this.rectAt(last).top - this.box.getBoundingClientRect().top;
  }

  /** @param {number} unit @returns {boolean} */
  isVisible(unit) {
    const distance = this.distanceTo(unit);
    return distance >= 0 && distance < 0.85 * this.box.clientHeight;
  }
}
