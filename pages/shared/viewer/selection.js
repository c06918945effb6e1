// The user's text selection, read and restored in units. The viewer stands in a shadow root, where
// getComposedRanges is the standard way to see a selection.

/**
 * @typedef {object} TextSelection
 * @property {number} start     units
 * @property {number} end       units; equal to start for a caret
 * @property {boolean} backward whether it was made from its end to its start
 */

/**
 * The selection as a range, whatever root its ends are in.
 * @param {ShadowRoot} root
 * @returns {AbstractRange | null}
 */
function readRange(root) {
  const selection = document.getSelection();
  if (!selection?.rangeCount) return null;
  if (selection.getComposedRanges) return selection.getComposedRanges({ shadowRoots: [root] })[0] ?? null;
  const own = root.getSelection?.() ?? selection;
  return own.rangeCount ? own.getRangeAt(0) : null;
}

/**
 * The part of the selection that lies in the text. Null when it neither starts nor ends there.
 * @param {TextView} view
 * @returns {TextSelection | null}
 */
function readSelection(view) {
  const range = view.model && readRange(view.box.getRootNode());
  if (!range) return null;
  const startsHere = view.box.contains(range.startContainer);
  const endsHere = view.box.contains(range.endContainer);
  if (!startsHere && !endsHere) return null;
  const start = startsHere ? view.unitAt(range.startContainer, range.startOffset) : 0;
  const end = endsHere ? view.unitAt(range.endContainer, range.endOffset) : view.model.text.length;
  return { start, end, backward: document.getSelection().direction === "backward" };
}

/**
 * @param {TextView} view
 * @param {TextSelection} selection
 */
function placeSelection(view, { start, end, backward }) {
  const from = view.positionAt(start);
  const to = view.positionAt(end);
  const [anchor, focus] = backward ? [to, from] : [from, to];
  document.getSelection().setBaseAndExtent(...anchor, ...focus);
}

/**
 * Does something that replaces text nodes, and puts the selection back where that moved it.
 * @param {TextView} view
 * @param {() => void} work
 */
function keepingSelection(view, work) {
  const before = readSelection(view);
  work();
  if (!before) return;
  const after = readSelection(view);
  if (after?.start !== before.start || after.end !== before.end) placeSelection(view, before);
}
