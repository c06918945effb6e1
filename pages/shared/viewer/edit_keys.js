// The keys that work while boundaries are edited, before all others.

/** The keys, as the help lists them. */
const EDIT_HELP = [
  ["E", "edit boundaries, or leave them"],
  ["J / K", "next / previous boundary"],
  ["← / →", "move the boundary (with Ctrl by words)"],
  ["B or double click", "add a boundary at the caret, or in the middle of the chunk"],
  ["Del", "remove the boundary"],
  ["Ctrl + Z", "undo (with Shift: redo)"],
];

/**
 * What a key does in the mode.
 * @param {EditMode} mode
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function editAction(mode, event) {
  const key = event.key.toLowerCase();
  const onHandle = Boolean(event.target.closest(".handle"));
  const withControl = event.ctrlKey || event.metaKey;
  if (event.altKey || isTyped(event)) return null;
  if (withControl && key === "z") return () => (event.shiftKey ? mode.redo() : mode.undo());
  if (withControl && key === "y") return () => mode.redo();
  if (onHandle && !event.shiftKey && (key === "arrowleft" || key === "arrowright")) {
    return () => mode.nudge(key === "arrowright" ? 1 : -1, withControl ? "word" : "grapheme");
  }
  if (withControl) return null;
  if (onHandle && (key === "delete" || key === "backspace")) return () => mode.remove();
  if (key === "j") return () => mode.step(1);
  if (key === "k") return () => mode.step(-1);
  if (key === "b") return event.repeat ? null : () => mode.add();
  if (key === "e") return event.repeat ? null : () => mode.stop();
  return null;
}
