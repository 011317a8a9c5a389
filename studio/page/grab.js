// grab.js: the tool in hand at first. Left drag on a body takes hold of it, the wheel meanwhile brings it closer; Shift
// and a flick push; a double click pins, and takes a pin away. A click selects, or tells a character where to go.

import { eachPicture } from "./dom.js";

const TOGETHER = 8; // milliseconds
const HOLD = 160; // milliseconds after which a pointer that does not move takes hold

export function makeGrab(app) {
	const { view } = app;
	app.grabs = new Map(); // id -> { object, i, triangle, at, to }: what this page holds
	let next = 1, mine = null, flick = null, pending = null;
	app.grabFrequency = 3;
	app.grabRadius = 0; // 0: what the studio takes
	app.holding = () => app.grabs.size;

	const newId = () => {
		next = next % 9999 + 1;
		return next;
	};

	function takeHold(hit, p) {
		const id = newId(), object = app.hello.objects[hit.info.object];
		mine = { id, i: hit.i, object: object.name, triangle: hit.triangle, at: hit.at, plane: hit.point,
			to: hit.point };
		app.grabs.set(id, mine);
		view.inHand = true;
		app.send({ do: "grab", object: object.name, triangle: hit.triangle, at: hit.at, id,
			frequency: app.grabFrequency,
			...(app.grabRadius > 0 ? { radius: app.grabRadius } : {}) });
		move(p);
		app.emit("grabbed");
	}

	// At once: pictures may come slowly. Of a fast pointer what comes within a few milliseconds goes together.
	let sent = 0;
	const sendLate = eachPicture(grab => app.grabs.has(grab.id) && sendNow(grab));
	function sendNow(grab) {
		sent = performance.now();
		const seq = app.link.ask({ do: "move", id: grab.id, to: grab.to });
		app.waiting ||= { seq, moved: grab.time, sent };
	}
	const sendMove = grab => (performance.now() - sent < TOGETHER ? sendLate(grab) : sendNow(grab));

	function move(p) {
		if (mine.x === p.x && mine.y === p.y) return;
		mine.x = p.x, mine.y = p.y;
		mine.to = view.across(p.x, p.y, mine.plane);
		mine.time = p.time;
		view.mark();
		sendMove(mine);
	}

	function letGo() {
		if (!mine) return;
		app.grabs.delete(mine.id);
		app.waiting = null;
		view.inHand = false;
		app.send({ do: "release", id: mine.id });
		mine = null;
		view.mark();
	}

	const can = (hit, what) => hit && hit.info.object >= 0 && app.hello.objects[hit.info.object].can?.[what] !== false;

	app.tools.direct = {
		wanted: info => info.object >= 0,

		down(hit, p) {
			if (!can(hit, "grab")) return false;
			if (p.shift && can(hit, "push")) {
				flick = { hit, trace: [p] };
				app.flick = { from: hit.point, to: hit.point };
				return true;
			}
			pending = { hit, p, timer: setTimeout(() => begin(p), HOLD) };
			return true;
		},

		move(p, moved) {
			if (flick) {
				flick.trace.push(p);
				if (flick.trace.length > 6) flick.trace.shift();
				app.flick.to = view.across(p.x, p.y, flick.hit.point);
				view.mark();
			} else if (pending && moved) begin(p);
			else if (mine) move(p);
		},

		// Before the browser makes the next picture.
		early(p) {
			if (mine) move(p);
		},

		up(p, moved, cancelled) {
			clearTimeout(pending?.timer);
			pending = null;
			if (flick && moved && !cancelled) push(flick, p);
			flick = app.flick = null;
			view.mark();
			letGo();
		},

		wheel(pixels, at) { // away and closer
			if (!mine) {
				view.orbit.zoom(Math.exp(0.0012 * pixels));
				view.dirty = true;
				return;
			}
			const n = view.orbit.forward, step = -0.0008 * pixels * view.orbit.distance;
			mine.plane = mine.plane.map((x, k) => x + step * n[k]);
			mine.x = NaN; // it moves, though the pointer does not
			move(at);
		},

		hover(hit) {
			view.shown.forEach((item, i) => view.glow(i, hit && hit.i === i ? 0.12 : 0));
		},

		click(hit, p) {
			if (hit) return app.select(hit.info.object);
			const place = view.pickGround(p.x, p.y);
			if (place) app.emit("ground", place);
		},

		double(hit, p) {
			const pin = nearestPin(p);
			if (pin) return app.send({ do: "release", id: pin.id });
			if (!can(hit, "grab")) return;
			app.send({ do: "pin", object: app.hello.objects[hit.info.object].name, triangle: hit.triangle, at: hit.at,
				id: newId() });
			app.emit("grabbed");
		},
	};

	function begin(p) {
		if (!pending) return;
		clearTimeout(pending.timer);
		const { hit } = pending;
		pending = null;
		takeHold(hit, p);
		if (hit.info.object !== app.selected) app.select(hit.info.object);
	}

	// The body gets the speed of the pointer, a part of it: mass times metres per second.
	function push({ hit, trace }, p) {
		const first = trace[0], seconds = Math.max((p.time - first.time) / 1000, 0.03);
		const from = view.across(first.x, first.y, hit.point), to = view.across(p.x, p.y, hit.point);
		const object = app.hello.objects[hit.info.object], mass = object.mass || 1;
		const most = 12 * Math.max(object.size || 1, 0.1);
		let impulse = to.map((x, k) => (x - from[k]) / seconds);
		const speed = Math.hypot(...impulse);
		if (speed < 1e-9) return;
		impulse = impulse.map(x => 0.5 * mass * x * Math.min(1, most / speed));
		app.send({ do: "push", object: object.name, triangle: hit.triangle, at: hit.at, to: impulse });
		app.emit("grabbed");
	}

	function nearestPin(p) {
		const out = [0, 0, 0];
		return (app.overlay?.handles || []).find(h => {
			if (!h.pin) return false;
			const [x, y] = view.project(h.at, out);
			return Math.hypot(x - p.x, y - p.y) < (p.touch ? 30 : 16);
		});
	}

	app.releasePins = () => {
		for (const handle of app.overlay?.handles || []) if (handle.pin) app.send({ do: "release", id: handle.id });
	};
	app.on("let-go", letGo);
	app.on("hello", () => {
		app.grabs.clear();
		view.inHand = false;
		mine = pending = flick = null;
	});
	app.on("tool", letGo);
}
