// pen.js: a pen for the canvas over the picture. It notes what is drawn, and then draws it on a canvas that is no larger
// than that: a browser that puts pictures together by the processor takes its time for every pixel of it.

const STEP = 64; // pixels: sizes and places go by these, so that the canvas is seldom made anew

export class Pen {
	constructor(canvas, options) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", options);
		this.list = [];      // names and values, one behind the other
		this.count = 0;
		this.widest = 1;
		this.box = [0, 0, 0, 0]; // of the canvas: left, top, right, bottom
		this.ratio = 1;
		this.clear();
		canvas.style.left = canvas.style.top = "0";
	}

	clear() {
		this.count = 0;
		this.widest = 1;
		this.low = [Infinity, Infinity], this.high = [-Infinity, -Infinity];
	}

	note(name, a, b, c, d, e) {
		const { list, count } = this;
		list[count] = name, list[count + 1] = a, list[count + 2] = b, list[count + 3] = c, list[count + 4] = d,
			list[count + 5] = e;
		this.count += 6;
	}

	reach(x, y, r) {
		const { low, high } = this;
		if (x - r < low[0]) low[0] = x - r;
		if (y - r < low[1]) low[1] = y - r;
		if (x + r > high[0]) high[0] = x + r;
		if (y + r > high[1]) high[1] = y + r;
	}

	set strokeStyle(value) { this.note("strokeStyle", value); }
	set fillStyle(value) { this.note("fillStyle", value); }
	set lineCap(value) { this.note("lineCap", value); }
	set lineWidth(value) {
		this.widest = Math.max(this.widest, value);
		this.note("lineWidth", value);
	}
	beginPath() { this.note("beginPath"); }
	closePath() { this.note("closePath"); }
	fill() { this.note("fill"); }
	stroke() { this.note("stroke"); }
	setLineDash(dashes) { this.note("setLineDash", dashes); }
	moveTo(x, y) {
		this.reach(x, y, 0);
		this.note("moveTo", x, y);
	}
	lineTo(x, y) {
		this.reach(x, y, 0);
		this.note("lineTo", x, y);
	}
	arc(x, y, radius, from, to) {
		this.reach(x, y, radius);
		this.note("arc", x, y, radius, from, to);
	}

	// What was noted, on the canvas, within a picture of this size; and forgets it.
	show(width, height, ratio) {
		const wide = this.widest, [l, t] = this.low, [r, b] = this.high;
		const need = [Math.max(l - wide, 0), Math.max(t - wide, 0), Math.min(r + wide, width), Math.min(b + wide, height)];
		const any = this.count > 0 && need[2] > need[0] && need[3] > need[1];
		this.canvas.style.display = any ? "block" : "none";
		if (any) {
			this.fit(need, width, height, ratio);
			this.replay();
		}
		this.clear();
	}

	fit(need, width, height, ratio) {
		const { box, canvas } = this, area = ([a, b, c, d]) => (c - a) * (d - b);
		const inside = need[0] >= box[0] && need[1] >= box[1] && need[2] <= box[2] && need[3] <= box[3];
		const wanted = [STEP * Math.floor(need[0] / STEP), STEP * Math.floor(need[1] / STEP),
			Math.min(STEP * Math.ceil(need[2] / STEP), width), Math.min(STEP * Math.ceil(need[3] / STEP), height)];
		if (inside && this.ratio === ratio && area(box) <= 4 * area(wanted)) return;
		this.box = wanted, this.ratio = ratio;
		const w = wanted[2] - wanted[0], h = wanted[3] - wanted[1];
		canvas.width = Math.round(w * ratio), canvas.height = Math.round(h * ratio);
		canvas.style.width = `${w}px`, canvas.style.height = `${h}px`;
		canvas.style.transform = `translate(${wanted[0]}px, ${wanted[1]}px)`;
	}

	replay() {
		const { context: c, list, count, ratio, box } = this;
		c.setTransform(1, 0, 0, 1, 0, 0);
		c.clearRect(0, 0, this.canvas.width, this.canvas.height);
		c.setTransform(ratio, 0, 0, ratio, -ratio * box[0], -ratio * box[1]);
		for (let i = 0; i < count; i += 6) {
			const name = list[i], a = list[i + 1], b = list[i + 2];
			switch (name) {
			case "moveTo": c.moveTo(a, b); break;
			case "lineTo": c.lineTo(a, b); break;
			case "arc": c.arc(a, b, list[i + 3], list[i + 4], list[i + 5]); break;
			case "beginPath": c.beginPath(); break;
			case "closePath": c.closePath(); break;
			case "fill": c.fill(); break;
			case "stroke": c.stroke(); break;
			case "setLineDash": c.setLineDash(a); break;
			default: c[name] = a;
			}
		}
	}
}
