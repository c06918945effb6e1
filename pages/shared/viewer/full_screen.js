// Full screen, and what stands in for it where the browser refuses.

/**
 * Full screen by the browser, or, where it refuses (as in some frames), over the whole page by CSS.
 * @param {Chrome} chrome
 * @param {boolean} on
 */
async function setFullScreen(chrome, on) {
  const { box } = chrome;
  if (!on) {
    box.classList.remove("expanded");
    if (box.getRootNode().fullscreenElement === box) await document.exitFullscreen();
  } else {
    await box.requestFullscreen().catch(() => box.classList.add("expanded"));
  }
  showFullScreen(chrome);
}

/** @param {Chrome} chrome @returns {boolean} */
function isFullScreen({ box }) {
  return box.classList.contains("expanded") || box.getRootNode().fullscreenElement === box;
}

/** Names the full-screen button for what it would do now. @param {Chrome} chrome */
function showFullScreen(chrome) {
  nameButton(chrome.full, isFullScreen(chrome) ? "Leave full screen" : "Full screen", "F");
}
