// overlay.js: lines and points over the picture, on a canvas of their own: rubber bands, pins, contact points, the centre
// of mass with its place on the ground, support, trail, feet and goals. Tools add to it with app.on("mark", f).

import { Pen } from "./pen.js";

const BAND = "#ff8a1f", PIN = "#e5484d", CONTACT = "#12a594", CENTER = "#f2c200", GOAL = "#7c66dc";
const TRAIL = 2; // seconds

export function makeOverlay(app) {
	const canvas = document.getElementById("marks"), { view } = app;
	// where there is no graphics card, in main memory
	const pen = new Pen(canvas, { willReadFrequently: view.slow });
	const a = [0, 0, 0], b = [0, 0, 0], place = [0, 0, 0];
	const trail = { points: new Float64Array(3 * 256), frames: new Int32Array(256), next: 0, count: 0, object: -1 };
	app.shows = { handles: true, centre: true, contacts: true, trail: true };

	const line = (from, to) => {
		view.project(from, a), view.project(to, b);
		if (!a[2] || !b[2]) return;
		pen.beginPath();
		pen.moveTo(a[0], a[1]);
		pen.lineTo(b[0], b[1]);
		pen.stroke();
	};
	const dot = (p, radius, fill, ring) => {
		view.project(p, a);
		if (!a[2]) return;
		pen.beginPath();
		pen.arc(a[0], a[1], radius, 0, 7);
		if (fill) pen.fillStyle = fill, pen.fill();
		if (ring) pen.strokeStyle = ring, pen.stroke();
	};
	app.pen = { pen, line, dot };

	function band(from, to, color, full) {
		pen.lineCap = "round";
		pen.lineWidth = 5, pen.strokeStyle = "rgba(255,255,255,.55)";
		line(from, to);
		pen.lineWidth = 2.5, pen.strokeStyle = color;
		line(from, to);
		pen.lineWidth = 2;
		dot(from, 4.5, color, "#fff");
		dot(to, full ? 6 : 5, "#fff", color);
	}

	function handles() {
		for (const grab of app.grabs.values()) {
			const surface = view.surface(grab.i);
			if (surface) band(surface.point(grab.triangle, grab.at, place), grab.to, BAND, true);
		}
		for (const handle of app.overlay?.handles || []) {
			if (app.grabs.has(handle.id)) continue; // drawn above, where the pointer is now
			if (handle.pin) pin(handle.at);
			else band(handle.at, handle.to, BAND, false);
		}
		if (app.flick) arrow(app.flick.from, app.flick.to);
	}

	function pin(at) {
		pen.lineWidth = 2;
		dot(at, 7, PIN, "#fff");
		dot(at, 2.5, "#fff");
	}

	function arrow(from, to) {
		view.project(from, a), view.project(to, b);
		const angle = Math.atan2(b[1] - a[1], b[0] - a[0]), [x, y] = [b[0], b[1]];
		pen.lineWidth = 3, pen.strokeStyle = BAND;
		line(from, to);
		pen.beginPath();
		pen.moveTo(x, y);
		for (const turn of [2.6, -2.6]) pen.lineTo(x + 12 * Math.cos(angle + turn), y + 12 * Math.sin(angle + turn));
		pen.closePath();
		pen.fillStyle = BAND;
		pen.fill();
	}

	function support(points) {
		if (points.length < 6) return;
		pen.beginPath();
		for (let k = 0; k < points.length; k += 3) {
			place[0] = points[k], place[1] = points[k + 1], place[2] = points[k + 2];
			view.project(place, a);
			if (!a[2]) return;
			if (k === 0) pen.moveTo(a[0], a[1]);
			else pen.lineTo(a[0], a[1]);
		}
		pen.closePath();
		pen.fillStyle = "rgba(18,165,148,.16)", pen.strokeStyle = CONTACT, pen.lineWidth = 1.5;
		pen.fill();
		pen.stroke();
	}

	function contacts(points) {
		pen.fillStyle = CONTACT;
		const step = 3 * Math.max(1, Math.ceil(points.length / 1500)); // many are thinned out: 500 say enough
		for (let k = 0; k < points.length; k += step) {
			place[0] = points[k], place[1] = points[k + 1], place[2] = points[k + 2];
			dot(place, 2.2, CONTACT);
		}
	}

	function centre({ center, ground }) {
		if (ground) {
			pen.setLineDash([3, 4]);
			pen.lineWidth = 1.5, pen.strokeStyle = "rgba(40,45,55,.7)";
			line(center, ground);
			pen.setLineDash([]);
			pen.lineWidth = 2;
			dot(ground, 4, null, CENTER);
		}
		view.project(center, a);
		if (!a[2]) return;
		const [x, y] = a, r = 6; // the sign of a centre of mass: quarters in turn
		pen.lineWidth = 1.5, pen.strokeStyle = "#22262e", pen.fillStyle = "#fff";
		pen.beginPath(), pen.arc(x, y, r, 0, 7), pen.fill();
		pen.fillStyle = CENTER;
		for (const quarter of [0, Math.PI]) pen.beginPath(), pen.moveTo(x, y), pen.arc(x, y, r, quarter, quarter +
			Math.PI / 2), pen.fill();
		pen.beginPath(), pen.arc(x, y, r, 0, 7), pen.stroke();
	}

	app.on("frame", frame => {
		const center = app.overlay?.objects?.[app.selected]?.center;
		if (!center) return;
		if (trail.object !== app.selected ||
			(trail.count > 0 && frame <= trail.frames[(trail.next + 255) % 256])) trail.count = 0;
		trail.object = app.selected;
		for (let k = 0; k < 3; ++k) trail.points[3 * trail.next + k] = center[k];
		trail.frames[trail.next] = frame;
		trail.next = (trail.next + 1) % 256;
		trail.count = Math.min(trail.count + 1, 256);
	});

	function drawTrail() {
		const reach = TRAIL * app.hello.scene.fps;
		let before = null;
		pen.lineCap = "round";
		for (let n = 1; n <= trail.count; ++n) {
			const i = (trail.next - n + 256) % 256, age = (app.frame - trail.frames[i]) / reach;
			if (age > 1) break;
			const now = [trail.points[3 * i], trail.points[3 * i + 1], trail.points[3 * i + 2]];
			pen.strokeStyle = `rgba(242,194,0,${0.75 * (1 - age)})`, pen.lineWidth = 3.5 - 2 * age;
			if (before) line(before, now);
			before = now;
		}
	}

	function character({ feet, goal }) {
		pen.lineWidth = 2;
		for (const foot of feet || []) dot(foot, 4, "#fff", CONTACT);
		if (goal) dot(goal, 7, null, GOAL), dot(goal, 2.5, GOAL);
	}

	app.on("draw", () => {
		const { shows } = app, chosen = app.tool === "direct" ? app.overlay?.objects?.[app.selected] : null;
		if (shows.trail && chosen) drawTrail();
		if (chosen && shows.contacts) support(chosen.support || []), contacts(chosen.contacts || []);
		if (chosen && shows.centre && chosen.center) centre(chosen), character(chosen);
		if (app.tool === "direct") handles();
		app.emit("mark", pen);
		pen.show(view.width, view.height, Math.min(window.devicePixelRatio || 1, 2));
	});
}
