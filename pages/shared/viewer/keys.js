// Keys. They work while the focus is in the viewer, and never with Ctrl, Meta or Alt (but for Ctrl + A), so
// that they disturb neither typing elsewhere nor the browser's own shortcuts.

/**
 * Whether a key is typed into a field.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isTyped({ target }) {
  return target.matches("input, textarea, select, [contenteditable]");
}

/**
 * What a key does in a viewer.
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function keyAction(viewer, event) {
  const { chrome, settings } = viewer;
  const edit = viewer.edit.isOn ? editAction(viewer.edit, event) : null;
  if (edit) return edit;
  const inText = event.target === chrome.text;
  const key = event.key.toLowerCase();
  if (event.altKey || isTyped(event)) return null;
  if (event.ctrlKey || event.metaKey) return key === "a" && inText ? () => viewer.passages.selectAll() : null;
  if (key === "j") return () => viewer.step(1);
  if (key === "k") return () => viewer.step(-1);
  if (key === "v") return () => viewer.startSelection();
  if (key === "escape") return viewer.undoAction();
  if (key === "end") return inText && !event.shiftKey ? () => viewer.view.scrollToEnd() : null;
  // The rest is not repeated while a key is held.
  if (event.repeat) return null;
  if (key === "enter") return inText && !viewer.edit.isOn ? () => viewer.chooseInSight() : null;
  if (key === "m") return settings.markable ? () => viewer.mark() : null;
  if (key === "e") return settings.editable ? () => viewer.edit.start() : null;
  if (key === "w") return () => viewer.toggleWhiteSpace();
  if (key === "f") return () => viewer.toggleFullScreen();
  if (key === "?") return () => viewer.toggleKeys();
  return null;
}
