// Pictures over the text, one for each drawn block. They are measured from the text and take no room in it, so that
// offsets, selection, copies and line breaks stay as they are; and they hold no text of their own.

class BlockLayer {
  /**
   * @param {TextView} view
   * @param {string} className  of its pictures
   */
  constructor(view, className) {
    this.view = view;
    this.className = className;
    this.on = false;
    /** Blocks whose pictures are to be drawn in the next frame. @type {Set<number>} */
    this.waiting = new Set();
  }

  /**
   * Measures what a picture needs.
   * @param {HTMLElement} element  the block
   * @param {number} block         its number
   * @returns {any} null where there is nothing to show
   */
  measure(element, block) {
    throw new Error(`${this.className} measures nothing for ${element.className} ${block}.`);
  }

  /**
   * @param {any} measured
   * @returns {Element}
   */
  picture(measured) {
    throw new Error(`${this.className} draws nothing for ${measured}.`);
  }

  /** @param {boolean} on */
  show(on) {
    this.on = on;
    if (on) this.redraw();
    else this.view.box.querySelectorAll(`.${this.className}`).forEach((picture) => picture.remove());
  }

  /** All lines may have changed: draws the pictures of all drawn blocks again. */
  redraw() {
    for (const block of this.view.drawn.keys()) this.drawn(block);
  }

  /** A block has been drawn in pieces. @param {number} block */
  drawn(block) {
    if (!this.on) return;
    if (!this.waiting.size) requestAnimationFrame(() => this.draw());
    this.waiting.add(block);
  }

  /** First all is measured, then all is drawn, so that the page is laid out once. */
  draw() {
    const blocks = [...this.waiting].filter((block) => this.on && this.view.drawn.has(block));
    this.waiting.clear();
    const elements = blocks.map((block) => this.view.box.children[block]);
    const measured = blocks.map((block, i) => this.measure(elements[i], block));
    elements.forEach((element, i) => {
      element.querySelector(`.${this.className}`)?.remove();
      if (measured[i] !== null) element.prepend(this.picture(measured[i]));
    });
  }
}
