// Dragging a boundary over the text.

/** Pixels that a press may move and still be no drag. */
const DRAG_FROM = 4;

/**
 * The place between two characters nearest to a point of the screen.
 * @param {TextView} view
 * @param {number} x
 * @param {number} y
 * @returns {number} units
 */
function unitAtPoint(view, x, y) {
  const box = view.box.getBoundingClientRect();
  const inside = Math.max(box.top + 1, Math.min(box.bottom - 1, y));
  const block = view.blockAt(view.unitNear(inside));
  view.drawBlocks([block]);
  const [from, to] = [view.cuts[block], view.cuts[block + 1]];
  // Lines follow one another down the page; in a line, places may run either way.
  const first = firstOf(from, to - 1, (unit) => view.rectAt(unit).bottom > inside);
  const line = view.rectAt(first);
  const last = firstOf(first, to, (unit) => view.rectAt(unit).top >= line.bottom);
  let best = first;
  let nearest = Infinity;
  for (let unit = first; unit < last; unit++) {
    const rect = view.rectAt(unit);
    const edge = RIGHT_TO_LEFT.test(view.model.text[unit]) ? rect.right : rect.left;
    if (Math.abs(edge - x) < nearest) [best, nearest] = [unit, Math.abs(edge - x)];
  }
  return best;
}

/**
 * Lets a handle follow the pointer until it is let go.
 * @param {TextView} view
 * @param {HTMLElement} handle
 * @param {PointerEvent} press
 * @param {(unit: number | null) => void} drop  called with the place where it was let go; null when it was not moved
 */
function dragHandle(view, handle, press, drop) {
  let unit = null;
  const isFar = ({ clientX, clientY }) => Math.hypot(clientX - press.clientX, clientY - press.clientY) > DRAG_FROM;
  const follow = (event) => {
    if (unit === null && !isFar(event)) return;
    unit = unitAtPoint(view, event.clientX, event.clientY);
    const rect = view.rectAt(unit);
    const corner = handle.parentElement.getBoundingClientRect();
    const x = RIGHT_TO_LEFT.test(view.model.text[unit]) ? rect.right : rect.left;
    handle.classList.add("dragged");
    handle.style.left = `${x - corner.left}px`;
    handle.style.top = `${rect.top - corner.top}px`;
  };
  const finish = new AbortController();
  const options = { signal: finish.signal };
  const end = (event) => {
    finish.abort();
    handle.classList.remove("dragged");
    drop(event.type === "pointerup" ? unit : null);
  };
  handle.setPointerCapture(press.pointerId);
  handle.addEventListener("pointermove", follow, options);
  handle.addEventListener("pointerup", end, options);
  handle.addEventListener("pointercancel", end, options);
}
