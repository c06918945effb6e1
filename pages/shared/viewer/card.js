// The card of one chunk. It lies in the browser's top layer, so that it takes no room and nothing cuts it off.

/** Pixels between the card and the line it belongs to, and between the card and the edge of the window. */
const CARD_GAP = 6;
const CARD_MARGIN = 8;

/**
 * Where a card belongs: a line of the text. Vertical places are counted from the beginning of the text, so that they
 * hold while it is scrolled.
 * @typedef {{x: number, top: number, bottom: number}} Anchor
 */

class ChunkCard {
  /**
   * @param {TextView} view
   * @param {HTMLElement} box  where it is put
   * @param {() => void} close  called when the user closes it
   */
  constructor(view, box, close) {
    this.view = view;
    this.element = makeElement("div", "card", { popover: "manual", role: "group" });
    this.title = makeElement("strong", "title");
    this.close = makeButton("unpin", "Close this card", "Esc", "✕");
    this.rows = makeElement("dl", "rows");
    this.hint = makeElement("p", "hint");
    const head = makeElement("div", "head");
    head.append(makeElement("span", "swatch", { "aria-hidden": "true" }), this.title, this.close);
    this.element.append(head, this.rows, this.hint);
    this.close.addEventListener("click", close);
    box.append(this.element);
    /** Where it is shown; null when it is not. @type {Anchor | null} */
    this.anchor = null;
    /** The chunk that it was last shown for. */
    this.chunk = -1;
  }

  get isOpen() {
    return this.anchor !== null;
  }

  /**
   * @param {number} chunk
   * @param {Anchor} anchor
   * @param {boolean} pinned  whether it stays when the pointer leaves
   */
  show(chunk, anchor, pinned) {
    const { model } = this.view;
    this.chunk = chunk;
    const title = `Chunk ${grouped(model.first + chunk)}`;
    this.title.textContent = model.first === 1 ? `${title} of ${grouped(model.starts.length)}` : title;
    this.element.setAttribute("aria-label", title);
    this.element.style.setProperty("--swatch", `var(--chunk-${chunk % PALETTE})`);
    this.rows.replaceChildren(...makeRows(factRows(model, chunk)));
    this.hint.textContent = pinned ? "Stays until Esc or a click elsewhere." : "A click keeps this card.";
    this.element.classList.toggle("pinned", pinned);
    if (!this.isOpen) this.element.showPopover();
    this.anchor = anchor;
    this.place();
  }

  hide() {
    if (!this.isOpen) return;
    this.anchor = null;
    this.element.hidePopover();
  }

  /** Puts it on top again, of what became full screen. */
  raise() {
    if (!this.isOpen) return;
    this.element.hidePopover();
    this.element.showPopover();
    this.place();
  }

  /** Below its line if there is room, else above, and always inside the window. */
  place() {
    if (!this.isOpen) return;
    const { box } = this.view;
    const text = box.getBoundingClientRect();
    const { width, height } = this.element.getBoundingClientRect();
    // A line that is scrolled out of the box is taken to be at the edge of what can be seen of the box.
    const seen = { top: Math.max(0, text.top), bottom: Math.min(innerHeight, text.bottom) };
    const inSight = (y) => Math.max(seen.top, Math.min(seen.bottom, y + text.top - box.scrollTop));
    const below = inSight(this.anchor.bottom) + CARD_GAP;
    const above = inSight(this.anchor.top) - CARD_GAP - height;
    const lowest = innerHeight - height - CARD_MARGIN;
    const top = below <= lowest || above < CARD_MARGIN ? below : above;
    const rightmost = innerWidth - width - CARD_MARGIN;
    const { style } = this.element;
    style.left = `${Math.max(CARD_MARGIN, Math.min(rightmost, this.anchor.x))}px`;
    style.top = `${Math.max(CARD_MARGIN, Math.min(lowest, top))}px`;
    style.visibility = seen.top < seen.bottom ? "visible" : "hidden";
  }
}

/**
 * The rows of a list of terms.
 * @param {[string, string][]} rows
 * @returns {HTMLElement[]}
 */
function makeRows(rows) {
  return rows.flatMap(([name, value]) => {
    const term = makeElement("dt", "");
    const description = makeElement("dd", "");
    term.textContent = name;
    description.textContent = value;
    return [term, description];
  });
}
