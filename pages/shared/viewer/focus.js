// Which chunk the pointer is on: all others are dimmed and its card is shown. A click or a key pins the card.

/** The pointer must rest on a chunk for this long before anything is dimmed, or plain again. */
const REST_MS = 90;

/** Pixels from the pointer to the left edge of the card. */
const CARD_SHIFT = 24;

class ChunkFocus {
  /**
   * @param {TextView} view
   * @param {HTMLElement} box  holds the viewer
   */
  constructor(view, box) {
    this.view = view;
    this.box = box;
    this.card = new ChunkCard(view, box, () => this.unpin());
    /** The chunk whose card stays, or -1. */
    this.pinned = -1;
    /** Whether the pointer shows anything; not while boundaries are moved. */
    this.enabled = true;
    /** The piece under the pointer. @type {HTMLElement | null} */
    this.piece = null;
    this.listening = new AbortController();
    this.listen();
  }

  listen() {
    const { signal } = this.listening;
    const { box } = this.view;
    box.addEventListener("pointermove", (event) => this.onMove(event));
    box.addEventListener("pointerleave", () => this.leave());
    box.addEventListener("scroll", () => this.onScroll(), { passive: true });
    this.box.addEventListener("fullscreenchange", () => this.card.raise());
    document.addEventListener("pointerdown", (event) => this.onPress(event), { signal });
    document.addEventListener("scroll", () => this.card.place(), { signal, capture: true, passive: true });
    window.addEventListener("resize", () => this.card.place(), { signal });
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.pinned < 0 && this.leave(), { signal });
  }

  destroy() {
    clearTimeout(this.timer);
    this.listening.abort();
    this.card.hide();
  }

  /** @param {PointerEvent} event */
  onMove(event) {
    if (event.pointerType === "touch" || this.pinned >= 0 || !this.enabled) return;
    // Text is being selected.
    if (event.buttons) return this.leave();
    const piece = event.target.closest(".piece.covered");
    if (piece === this.piece) return;
    this.piece = piece;
    clearTimeout(this.timer);
    const chunk = piece ? Number(piece.dataset.chunk) : -1;
    const { focused } = this.view.model;
    if (chunk === focused) return;
    const anchor = this.anchorAt(event);
    const follow = () => this.focus(chunk, anchor);
    // From chunk to chunk it goes at once; the gap between two lines is crossed without a flicker.
    if (chunk >= 0 && focused >= 0) follow();
    else this.timer = setTimeout(follow, REST_MS);
  }

  /** @param {number} chunk  -1 for none @param {Anchor} anchor */
  focus(chunk, anchor) {
    this.view.showState({ focused: chunk });
    if (chunk >= 0) this.card.show(chunk, anchor, false);
    else this.card.hide();
  }

  /** The pointer is on no chunk. */
  leave() {
    clearTimeout(this.timer);
    this.piece = null;
    if (this.view.model?.focused >= 0) this.view.showState({ focused: -1 });
    if (this.pinned < 0) this.card.hide();
  }

  onScroll() {
    if (this.pinned < 0) this.leave();
    else this.card.place();
  }

  /**
   * Shows the card of a chunk and keeps it.
   * @param {number} chunk
   * @param {Anchor} anchor
   */
  pin(chunk, anchor) {
    this.leave();
    this.pinned = chunk;
    this.card.show(chunk, anchor, true);
  }

  unpin() {
    this.pinned = -1;
    this.leave();
  }

  /** A press elsewhere closes the card; one on a chunk is a click that will pin another. @param {PointerEvent} event */
  onPress(event) {
    if (this.pinned < 0) return;
    const path = event.composedPath();
    const inViewer = path.includes(this.box);
    const onChunk = path.some((node) => node.classList?.contains("covered"));
    if (!inViewer || (path.includes(this.view.box) && !onChunk)) this.unpin();
  }

  /**
   * Where the card of a chunk that is clicked belongs: where it is, if it is shown already, so that nothing moves.
   * @param {number} chunk
   * @param {MouseEvent} click
   * @returns {Anchor}
   */
  anchorFor(chunk, click) {
    return this.card.chunk === chunk && this.card.anchor ? this.card.anchor : this.anchorAt(click);
  }

  /** The line under the pointer. @param {PointerEvent | MouseEvent} event @returns {Anchor} */
  anchorAt({ clientX, clientY, target }) {
    const lines = [...target.getClientRects()];
    const line = lines.find(({ top, bottom }) => top <= clientY && clientY <= bottom) ?? { top: clientY, bottom: clientY };
    return this.anchor(clientX - CARD_SHIFT, line);
  }

  /** The line at which a chunk starts. @param {number} chunk @returns {Anchor} */
  anchorOf(chunk) {
    const line = this.view.rectAt(Math.min(this.view.model.starts[chunk], this.view.model.text.length - 1));
    return this.anchor(line.left, line);
  }

  /** @param {number} x @param {{top: number, bottom: number}} line @returns {Anchor} */
  anchor(x, { top, bottom }) {
    const shift = this.view.box.scrollTop - this.view.box.getBoundingClientRect().top;
    return { x, top: top + shift, bottom: bottom + shift };
  }
}
