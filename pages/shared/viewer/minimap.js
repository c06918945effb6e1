// The whole document as a strip beside the text: chunks and their cuts on the left; marks and hits in lanes of their
// own on the right; and a frame around what is in sight. Its height stands for the length of the text.

/** Shares of the strip's width: chunks, marks, hits. */
const CHUNK_LANE = [0, 0.5];
const MARK_LANE = [0.56, 0.22];
const HIT_LANE = [0.78, 0.22];

/** With less height than this for a chunk, in device pixels, the strip shows how dense the cuts are instead. */
const LEAST_ROWS = 2;

/** Least height of a mark and of a hit, in CSS pixels, so that they are seen in a long text. */
const LEAST_SIGN = 3;

/** The frame is no lower than this, in CSS pixels, so that it can be seen and held. */
const LEAST_FRAME = 6;

class Minimap {
  /**
   * @param {TextView} view
   * @param {HTMLElement} strip  where it is put; keys do all that it does, so screen readers pass it by
   */
  constructor(view, strip) {
    this.view = view;
    this.strip = strip;
    this.canvas = makeElement("canvas", "");
    this.frame = makeElement("div", "frame");
    /** Takes the colours of the theme out of CSS variables. */
    this.probe = makeElement("span", "probe");
    strip.append(this.canvas, this.frame, this.probe);
    view.box.addEventListener("scroll", () => this.soon(), { passive: true });
    strip.addEventListener("pointerdown", (event) => this.onPress(event));
    this.resizes = new ResizeObserver(() => this.redraw());
    this.resizes.observe(strip);
  }

  destroy() {
    this.resizes.disconnect();
    cancelAnimationFrame(this.job);
  }

  /** Draws all again in the next frame: another model, other marks, another theme. */
  redraw() {
    this.stale = true;
    this.soon();
  }

  /** Moves the frame in the next frame. */
  soon() {
    if (this.waiting) return;
    this.waiting = true;
    this.job = requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.view.model) return;
      this.strip.hidden = !this.view.model.text;
      if (!this.strip.clientHeight) return;
      if (this.stale) this.draw();
      this.stale = false;
      this.placeFrame();
    });
  }

  placeFrame() {
    const { box, model } = this.view;
    const { top, bottom } = box.getBoundingClientRect();
    const height = this.strip.clientHeight;
    const from = (this.view.unitNear(top) / model.text.length) * height;
    const to = (this.view.unitNear(bottom) / model.text.length) * height;
    const shown = Math.max(LEAST_FRAME, to - from);
    this.frame.style.height = `${shown}px`;
    this.frame.style.transform = `translateY(${Math.min(from, height - shown)}px)`;
  }

  /** A colour as a canvas takes it. @param {string} variable @returns {string} */
  colour(variable) {
    this.probe.style.color = `var(${variable})`;
    return getComputedStyle(this.probe).color;
  }

  /** An empty canvas, as large as the strip. @returns {CanvasRenderingContext2D} */
  freshBrush() {
    const { canvas, strip } = this;
    const scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(strip.clientWidth * scale);
    canvas.height = Math.round(strip.clientHeight * scale);
    return canvas.getContext("2d");
  }

  draw() {
    const brush = this.freshBrush();
    const { starts } = this.view.model;
    if (starts.length * LEAST_ROWS > brush.canvas.height) this.drawDensity(brush);
    else this.drawChunks(brush);
    this.drawSigns(brush, LEAST_SIGN * (globalThis.devicePixelRatio || 1));
  }

  /** Each row in the colour of the chunk there, with a line where a chunk starts. @param {CanvasRenderingContext2D} brush */
  drawChunks(brush) {
    const { segments, text, starts } = this.view.model;
    const { height } = brush.canvas;
    const [left, width] = lane(brush, CHUNK_LANE);
    const colours = Array.from({ length: PALETTE }, (_, i) => this.colour(`--chunk-${i}`));
    for (let row = 0; row < height; row++) {
      const chunk = segments.tops[0][segmentAt(segments, Math.floor(((row + 0.5) / height) * text.length))];
      if (chunk < 0) continue;
      brush.fillStyle = colours[chunk % PALETTE];
      brush.fillRect(left, row, width, 1);
    }
    brush.fillStyle = this.colour("--quiet");
    for (const start of starts) brush.fillRect(left, Math.round((start / text.length) * height), width, 1);
  }

  /** Each row the darker, the more chunks start in it. @param {CanvasRenderingContext2D} brush */
  drawDensity(brush) {
    const { text, starts } = this.view.model;
    const { height } = brush.canvas;
    const [left, width] = lane(brush, CHUNK_LANE);
    const counts = new Uint32Array(height);
    for (const start of starts) counts[Math.min(height - 1, Math.floor((start / text.length) * height))]++;
    const most = Math.max(...counts);
    brush.fillStyle = this.colour("--quiet");
    counts.forEach((count, row) => {
      brush.globalAlpha = (0.45 * count) / most;
      brush.fillRect(left, row, width, 1);
    });
    brush.globalAlpha = 1;
  }

  /**
   * Marks, hits and the selected chunk.
   * @param {CanvasRenderingContext2D} brush
   * @param {number} least  height of a sign, in device pixels
   */
  drawSigns(brush, least) {
    const { text, marks, hits, starts, ends, selected } = this.view.model;
    const { height } = brush.canvas;
    const bar = ([left, width], start, end, variable) => {
      const from = Math.round(Math.min(height - least, (start / text.length) * height));
      brush.fillStyle = this.colour(variable);
      brush.fillRect(left, from, width, Math.round(Math.max(least, ((end - start) / text.length) * height)));
    };
    for (const { start, end } of marks) bar(lane(brush, MARK_LANE), start, end, "--mark");
    for (const [chunk, { answers }] of hits) {
      bar(lane(brush, HIT_LANE), starts[chunk], ends[chunk], answers ? "--good" : "--st-text-color");
    }
    if (selected >= 0) bar(lane(brush, [0, 0.14]), starts[selected], ends[selected], "--st-text-color");
  }

  /** Scrolls to where it is pressed, and follows until it is let go. @param {PointerEvent} press */
  onPress(press) {
    if (press.button !== 0 || !this.view.model?.text) return;
    press.preventDefault();
    const { strip, view } = this;
    const follow = ({ clientY }) => {
      const { top, height } = strip.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (clientY - top) / height));
      view.scrollTo(Math.round(share * view.model.text.length), 0.5);
    };
    strip.setPointerCapture(press.pointerId);
    strip.addEventListener("pointermove", follow);
    strip.addEventListener("lostpointercapture", () => strip.removeEventListener("pointermove", follow), { once: true });
    follow(press);
  }
}

/**
 * @param {CanvasRenderingContext2D} brush
 * @param {number[]} shares  left and width
 * @returns {number[]} the same in device pixels
 */
function lane(brush, [left, width]) {
  return [Math.round(left * brush.canvas.width), Math.round(width * brush.canvas.width)];
}
