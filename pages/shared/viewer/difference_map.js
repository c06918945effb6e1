// The strip of a comparison: the boundaries of each side in a lane of its own, strong where the other has none.

class DifferenceMap extends Minimap {
  /** @param {TextView} view @param {HTMLElement} strip */
  constructor(view, strip) {
    super(view, strip);
    /** @type {Difference} */
    this.difference = { only: [[], []], shared: [] };
  }

  draw() {
    const brush = this.freshBrush();
    const { height } = brush.canvas;
    const { text } = this.view.model;
    const ticks = (units, shares, colour, thickness) => {
      const [left, width] = lane(brush, shares);
      brush.fillStyle = colour;
      for (const unit of units) {
        brush.fillRect(left, Math.min(height - thickness, Math.round((unit / text.length) * height)), width, thickness);
      }
    };
    const lanes = [
      [0, 0.46],
      [0.54, 0.46],
    ];
    const thick = Math.round(2 * (globalThis.devicePixelRatio || 1));
    for (const shares of lanes) ticks(this.difference.shared, shares, this.colour("--faint"), 1);
    lanes.forEach((shares, side) => ticks(this.difference.only[side], shares, this.colour(`--cut-${side}`), thick));
  }
}
