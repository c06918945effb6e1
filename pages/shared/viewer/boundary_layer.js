// Boundaries drawn over the text: a bar at each, with the number of the chunk that starts there.

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * One boundary as it is drawn; places in pixels from the corner of its block.
 * @typedef {object} Bar
 * @property {number} unit
 * @property {string} kind    its class
 * @property {string} shown   the number on it, or nothing
 * @property {number} x
 * @property {number} y
 * @property {number} height
 */

class BoundaryLayer extends BlockLayer {
  /**
   * @param {TextView} view
   * @param {(bar: Bar) => HTMLElement} make  an element for a bar, which is then placed
   */
  constructor(view, make) {
    super(view, "cuts");
    this.make = make;
    /** Boundaries in units, sorted. @type {number[]} */
    this.units = [];
    /** @type {(unit: number) => string} */
    this.kindOf = () => "";
  }

  /**
   * @param {number[]} units
   * @param {(unit: number) => string} [kindOf]
   */
  showUnits(units, kindOf = () => "") {
    this.units = units;
    this.kindOf = kindOf;
    this.show(true);
  }

  /** @param {HTMLElement} element @param {number} block @returns {Bar[] | null} */
  measure(element, block) {
    const [from, to] = [this.view.cuts[block], this.view.cuts[block + 1]];
    const units = this.units.slice(lowerBound(this.units, from), lowerBound(this.units, to));
    if (!units.length) return null;
    const corner = element.getBoundingClientRect();
    return units.map((unit) => this.bar(unit, corner));
  }

  /** @param {number} unit @param {DOMRect} corner @returns {Bar} */
  bar(unit, corner) {
    const { model } = this.view;
    const rect = this.view.rectAt(unit);
    const x = RIGHT_TO_LEFT.test(model.text[unit]) ? rect.right : rect.left;
    const chunks = chunksStartingAt(model, unit);
    const shown = chunks.length ? String(model.first + chunks[0]) : "";
    return { unit, kind: this.kindOf(unit), shown, x: x - corner.left, y: rect.top - corner.top, height: rect.height };
  }

  /** @param {Bar[]} bars @returns {HTMLElement} */
  picture(bars) {
    const picture = makeElement("div", this.className);
    for (const bar of bars) {
      const element = this.make(bar);
      element.style.left = `${bar.x}px`;
      element.style.top = `${bar.y}px`;
      element.style.height = `${bar.height}px`;
      picture.append(element);
    }
    return picture;
  }
}

/** A bar that only shows. @param {Bar} bar @returns {HTMLElement} */
function makeBar({ unit, kind, shown }) {
  return makeElement("span", `cut ${kind}`, { "data-unit": String(unit), "data-shown": shown, "aria-hidden": "true" });
}
