/**
 * {@link Viewport}: which part of a picture is seen, as a shift and a scale, and the pointer events that change it. Dragging and the wheel
 * pan; pinching, and the wheel with Ctrl, zoom about the pointer.
 */

/** @typedef {import("./picture.js").Picture} Picture */

const MOST = 6;
const MARGIN = 18;
/** Below this scale the texts of cells cannot be read; at the other one they can. */
const ILLEGIBLE = 0.55;
const READABLE = 0.75;
/** A picture that fills less than this part of the room in one direction is a band. */
const BAND = 0.25;
/** A pointer that moved less than this many pixels was a click. */
const CLICK = 5;

export class Viewport {
  /**
   * @param {HTMLElement} host
   * @param {object} callbacks
   * @param {() => void} callbacks.changed
   * @param {(x: number, y: number) => void} callbacks.point in units of the picture
   * @param {() => void} callbacks.leave
   * @param {(x: number, y: number, more: boolean) => void} callbacks.pick
   */
  constructor(host, callbacks) {
    this.host = host;
    this.callbacks = callbacks;
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.least = 0.02;
    /** Whether the whole picture is in view because nobody moved it. */
    this.isFitted = true;
    /** Whether the reader asked to see all of it. */
    this.isWhole = false;
    /** @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    this.moved = 0;
    this.abort = new AbortController();
    const { signal } = this.abort;
    host.addEventListener("pointerdown", (event) => this.down(event), { signal });
    host.addEventListener("pointermove", (event) => this.move(event), { signal });
    host.addEventListener("pointerup", (event) => this.up(event), { signal });
    host.addEventListener("pointercancel", (event) => this.up(event), { signal });
    host.addEventListener("pointerleave", () => callbacks.leave(), { signal });
    host.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
  }

  destroy() {
    this.abort.abort();
  }

  /** @param {PointerEvent | WheelEvent} event */
  within(event) {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) {
      return;
    }
    this.pointers.set(event.pointerId, this.within(event));
    this.moved = this.pointers.size > 1 ? CLICK : 0;
    this.host.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const at = this.within(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.callbacks.point((at.x - this.x) / this.scale, (at.y - this.y) / this.scale);
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    this.pointers.set(event.pointerId, at);
    this.moved += Math.hypot(at.x - before.x, at.y - before.y);
    if (others.length === 0) {
      if (this.moved >= CLICK) {
        this.pan(at.x - before.x, at.y - before.y);
      }
      return;
    }
    const [other] = others;
    const distance = (/** @type {{x: number, y: number}} */ point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
    this.zoom(distance(at) / distance(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
    this.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (!this.pointers.delete(event.pointerId) || event.type === "pointercancel") {
      return;
    }
    if (this.moved < CLICK) {
      const at = this.within(event);
      const [x, y] = [(at.x - this.x) / this.scale, (at.y - this.y) / this.scale];
      this.callbacks.point(x, y);
      this.callbacks.pick(x, y, event.shiftKey);
    }
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const { x, y } = this.within(event);
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.008)), x, y);
    } else {
      const unit = event.deltaMode === 1 ? 16 : 1;
      this.pan(-(event.shiftKey ? event.deltaY : event.deltaX) * unit, event.shiftKey ? 0 : -event.deltaY * unit);
    }
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.isFitted = false;
    this.callbacks.changed();
  }

  /** @param {number} factor @param {number} x a point of the host that stays where it is @param {number} y */
  zoom(factor, x, y) {
    const scale = Math.min(MOST, Math.max(this.least, this.scale * factor));
    const ratio = scale / this.scale;
    this.x = x - (x - this.x) * ratio;
    this.y = y - (y - this.y) * ratio;
    this.scale = scale;
    this.isFitted = false;
    this.callbacks.changed();
  }

  /**
   * Shows all of a picture, or the beginning of one that is too large, or that would be a band which cannot be read.
   * @param {Picture} picture @param {number} width @param {number} height @param {boolean} isWhole whether a band is shown too
   */
  fit(picture, width, height, isWhole) {
    const whole = Math.min((width - 2 * MARGIN) / picture.width, (height - 2 * MARGIN) / picture.height);
    const scale = picture.isPartial ? 1 : Math.min(1.7, Math.max(this.least, whole));
    const filled = scale * Math.min(picture.width / width, picture.height / height);
    this.scale = !isWhole && scale < ILLEGIBLE && filled < BAND ? READABLE : scale;
    this.isWhole = isWhole;
    const spare = width - picture.width * this.scale;
    const spareHeight = height - picture.height * this.scale;
    this.x = spare > 0 && !picture.isPartial ? spare / 2 : MARGIN;
    this.y = spareHeight > 0 && !picture.isPartial ? Math.min(spareHeight / 2, 64) : MARGIN;
    this.isFitted = true;
    this.callbacks.changed();
  }

  /** Keeps the cell at the edge where it is when cells became wider. @param {Picture} before @param {Picture} after */
  rescale(before, after) {
    const [from, to] = [before.grids[0], after.grids[0]];
    if (from && to) {
      const col = (-this.x / this.scale - from.x) / before.cellWidth;
      this.x = -(to.x + col * after.cellWidth) * this.scale;
    }
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} high @param {number} width @param {number} height */
  reveal(x, y, wide, high, width, height) {
    const shift = (/** @type {number} */ from, /** @type {number} */ extent, /** @type {number} */ most) =>
      from < 40 ? 40 - from : from + extent > most - 20 ? most - 20 - from - extent : 0;
    const dx = shift(this.x + x * this.scale, wide * this.scale, width);
    const dy = shift(this.y + y * this.scale, high * this.scale, height);
    if (dx !== 0 || dy !== 0) {
      this.pan(dx, dy);
    }
  }
}
