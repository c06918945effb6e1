// How high texts are before they have been laid out, and searching by a test.

/**
 * The first integer from low to high that passes a test which all later ones pass too; high when none does.
 * @param {number} low
 * @param {number} high
 * @param {(i: number) => boolean} passes
 * @returns {number}
 */
function firstOf(low, high, passes) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The width of a text in Latin letters, roughly: East Asian characters and emoji take two.
 * @param {string} text
 * @returns {number}
 */
function widthOf(text) {
  return text.length + (text.match(/[\u1100-\u11ff\u2e80-\udbff\uf900-\uffef]/g)?.length ?? 0);
}

/**
 * How high a text will be in a box, roughly, so that the scroll bar is about right before everything has been laid out.
 * @param {HTMLElement} box
 * @returns {(text: string) => number}
 */
function heightEstimate(box) {
  const style = getComputedStyle(box);
  const fontSize = parseFloat(style.fontSize) || 16;
  const lineHeight = parseFloat(style.lineHeight) || 1.75 * fontSize;
  const perLine = Math.max(10, (box.clientWidth || 600) / (0.46 * fontSize));
  return (text) => {
    let lines = 0;
    for (const line of text.split("\n")) lines += Math.max(1, Math.ceil(widthOf(line) / perLine));
    return Math.round((text.endsWith("\n") ? lines - 1 : lines) * lineHeight);
  };
}
