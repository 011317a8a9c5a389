// part.js: where the processor draws, only the part of the picture that changes is drawn anew: what moves, where it was
// and where it is, with its shadow on the floor. Everything else stays as it is, while the camera does. Shadows are not
// drawn anew with every picture, so that places of a few pictures ago count, too.

import { SUN } from "./shaders.js";

const MARGIN = 8;    // pixels, for outlines and soft edges
const MOST = 0.6;    // of the picture: above it all of it is drawn
const KEPT = 5;      // boxes, more than there are pictures between two shadows

export class Part {
	constructor() {
		this.seen = ""; // the camera and all that a change of would change everything
		this.boxes = []; // the last few
		this.out = [0, 0, 0];
	}

	// What is to be drawn: { x, y, w, h } in pixels of the page from the lower left corner; null: all of it.
	find(view, whole) {
		const { orbit } = view;
		const seen = [...orbit.eye, ...orbit.target, orbit.fov, view.width, view.height, view.sharpness, view.still, ...view.insets,
			view.selected, view.shown.length, orbit.floor].join();
		const same = seen === this.seen && !whole, now = same ? this.box(view) : null;
		this.seen = seen;
		if (!now) {
			this.boxes = [];
			return null;
		}
		this.boxes.push(now);
		if (this.boxes.length === 1) return null;
		if (this.boxes.length > KEPT) this.boxes.shift();
		const low = [0, 1].map(k => Math.min(...this.boxes.map(b => b.low[k])) - MARGIN),
			high = [0, 1].map(k => Math.max(...this.boxes.map(b => b.high[k])) + MARGIN);
		const x = Math.max(Math.floor(low[0]), 0), w = Math.min(Math.ceil(high[0]), view.width) - x;
		const top = Math.max(Math.floor(low[1]), 0), bottom = Math.min(Math.ceil(high[1]), view.height);
		if (w <= 0 || bottom <= top) return { x: 0, y: 0, w: 1, h: 1 };
		if (w * (bottom - top) > MOST * view.width * view.height) return null;
		return { x, y: view.height - bottom, w, h: bottom - top };
	}

	// Around what moves and its shadow, in pixels from the upper left corner; null where that cannot be said.
	box(view) {
		const floor = view.orbit.floor, low = [Infinity, Infinity], high = [-Infinity, -Infinity];
		let good = floor > -Infinity;
		const add = (x, y, z) => {
			const { out } = this;
			view.project([x, y, z], out);
			good &&= out[2] === 1;
			for (let k = 0; k < 2; ++k) low[k] = Math.min(low[k], out[k]), high[k] = Math.max(high[k], out[k]);
		};
		for (const { surface, info, mesh } of view.shown) {
			if (!mesh || info.fixed) continue;
			for (let c = 0; c < 8; ++c) {
				const p = [0, 1, 2].map(k => surface.origin[k] + (c >> k & 1 ? surface.high : surface.low)[k]);
				add(...p);
				const s = (p[1] - floor) / SUN[1];
				if (s > 0) add(...p.map((x, k) => x - s * SUN[k]));
			}
		}
		return good && low[0] <= high[0] ? { low, high } : null;
	}
}
