// Two views of one text with the same lines, scrolled together: the block at the top of one is put at the same
// height in the other.

class ScrollSync {
  /** @param {TextView[]} views  two */
  constructor(views) {
    this.views = views;
    /** Where each was put by the other: to be there is not a scroll of its own. */
    this.placed = [-1, -1];
    views.forEach((view, side) => view.box.addEventListener("scroll", () => this.onScroll(side), { passive: true }));
  }

  /** @param {number} side */
  onScroll(side) {
    if (Math.abs(this.views[side].box.scrollTop - this.placed[side]) < 1.5) return;
    this.placed[side] = -1;
    this.follow(side);
  }

  /** Puts the other side where this one is, and once more when what came into sight has been laid out. @param {number} side */
  follow(side) {
    this.align(side);
    cancelAnimationFrame(this.job);
    this.job = requestAnimationFrame(() => this.align(side));
  }

  /** @param {number} side */
  align(side) {
    const [from, to] = [this.views[side], this.views[1 - side]];
    if (!from.model?.text || !to.model?.text) return;
    const top = from.box.getBoundingClientRect().top;
    const block = from.blockAt(from.unitNear(top));
    const place = ({ box }) => box.children[block].getBoundingClientRect().top - box.getBoundingClientRect().top;
    const shift = place(to) - place(from);
    if (Math.abs(shift) >= 1) to.box.scrollTop += shift;
    this.placed[1 - side] = to.box.scrollTop;
  }

  destroy() {
    cancelAnimationFrame(this.job);
  }
}
