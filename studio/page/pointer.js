// pointer.js: whose gesture it is. The gizmo comes first, then the tool in hand, then the camera: left drag turns it,
// right or middle drag and two fingers pan, wheel and pinch come closer.
//
// A tool has down(hit, pointer) -> whether it takes the gesture, move(pointer), up(pointer, moved), and may have
// hover(hit), click(hit, pointer), double(hit, pointer), wanted(info), wheel(delta). A pointer is { x, y, shift, alt, touch, time }.

import { eachPicture } from "./dom.js";

const STILL = 4;        // pixels that a click may move
const DOUBLE = 500;     // milliseconds

export function makePointer(app) {
	const { picture, view } = app;
	const fingers = new Map();
	let gesture = null, last = { time: 0, x: 0, y: 0 };

	app.tools = {};
	const tool = () => app.tools[app.tool] || app.tools.direct;

	const read = event => {
		const box = picture.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top, shift: event.shiftKey, alt: event.altKey,
			touch: event.pointerType === "touch", time: event.timeStamp, button: event.button, id: event.pointerId };
	};
	const pick = p => view.pick(p.x, p.y, info => (tool().wanted ? tool().wanted(info) : info.object >= 0));

	picture.addEventListener("pointerdown", event => {
		if (app.hello?.mode !== "scene") return;
		event.preventDefault();
		picture.focus({ preventScroll: true });
		const p = read(event);
		try { picture.setPointerCapture(event.pointerId); } catch { /* a made-up pointer has none to capture */ }
		fingers.set(event.pointerId, p);
		if (fingers.size === 2) return pinch();
		if (fingers.size > 2) return;
		if (event.button === 1 || event.button === 2) return begin("pan", p);
		if (view.gizmoPointer("down", p.x, p.y)) return begin("gizmo", p);
		const hit = pick(p);
		begin(tool().down(hit, p) ? "tool" : "turn", p, hit);
	});

	function begin(kind, p, hit = null) {
		gesture = { kind, start: p, at: p, hit, moved: false, tool: tool() };
		document.body.dataset.gesture = kind;
	}

	// A second finger ends what the first one did.
	function pinch() {
		if (gesture?.kind === "tool") gesture.tool.up(gesture.at, true, true);
		gesture = { kind: "pinch", ...spread() };
	}

	function spread() {
		const [a, b] = [...fingers.values()];
		return { x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y), size: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) };
	}

	picture.addEventListener("pointermove", event => {
		if (app.hello?.mode !== "scene") return;
		const p = read(event);
		if (fingers.has(event.pointerId)) fingers.set(event.pointerId, p);
		if (!gesture) return hover(p);
		if (gesture.kind === "pinch") return fingers.size === 2 && pinched();
		const dx = p.x - gesture.at.x, dy = p.y - gesture.at.y;
		gesture.moved ||= Math.hypot(p.x - gesture.start.x, p.y - gesture.start.y) > STILL;
		gesture.at = p;
		if (gesture.kind === "gizmo") view.gizmoPointer("move", p.x, p.y);
		else if (gesture.kind === "tool") gesture.tool.move(p, gesture.moved);
		else if (gesture.moved) look(gesture.kind, dx, dy);
	});

	// The browser hands out moves once for each of its pictures; where those are slow, the hand need not be.
	picture.addEventListener("pointerrawupdate", event => {
		if (gesture?.kind === "tool" && gesture.moved && gesture.tool.early) gesture.tool.early(read(event));
	});

	function look(kind, dx, dy) {
		if (kind === "turn") view.orbit.turn(dx, dy);
		else {
			view.orbit.pan(dx, dy, view.height);
			if (view.followed) view.followed = null;
		}
		view.dirty = true;
	}

	function pinched() {
		const now = spread();
		view.orbit.zoom(gesture.size / now.size);
		view.orbit.pan(now.x - gesture.x, now.y - gesture.y, view.height);
		Object.assign(gesture, now);
		view.dirty = true;
	}

	const hover = eachPicture(p => {
		if (gesture) return;
		const onGizmo = view.gizmoPointer("hover", p.x, p.y), hit = onGizmo ? null : pick(p);
		app.pointer = p;
		if (tool().hover) tool().hover(hit, p);
		picture.dataset.over = onGizmo ? "gizmo" : hit ? "body" : "";
	});

	function end(event, cancelled) {
		const known = fingers.delete(event.pointerId);
		if (!gesture || !known) return;
		if (gesture.kind === "pinch") {
			if (fingers.size === 0) gesture = null;
			return;
		}
		const p = read(event), done = gesture;
		gesture = null;
		delete document.body.dataset.gesture;
		if (done.kind === "gizmo") view.gizmoPointer("up", p.x, p.y);
		if (done.kind === "tool") done.tool.up(p, done.moved, cancelled);
		if (cancelled || done.moved || done.kind === "gizmo" || done.kind === "pan") return;
		const twice = p.time - last.time < DOUBLE && Math.hypot(p.x - last.x, p.y - last.y) < 12;
		last = twice ? { time: 0, x: 0, y: 0 } : p;
		if (twice && done.tool.double) done.tool.double(done.hit, p);
		else if (done.tool.click) done.tool.click(done.hit, p);
	}
	picture.addEventListener("pointerup", event => end(event, false));
	picture.addEventListener("pointercancel", event => end(event, true));
	picture.addEventListener("lostpointercapture", event => fingers.has(event.pointerId) && end(event, true));
	picture.addEventListener("contextmenu", event => event.preventDefault());
	picture.addEventListener("pointerleave", () => {
		app.pointer = null;
		if (!gesture && tool().hover) tool().hover(null, null);
	});

	picture.addEventListener("wheel", event => {
		event.preventDefault();
		const pixels = event.deltaY * (event.deltaMode === 1 ? 18 : 1);
		if (gesture?.kind === "tool" && gesture.tool.wheel) return gesture.tool.wheel(pixels, gesture.at);
		if (!gesture && event.shiftKey && tool().wheel) return tool().wheel(pixels || event.deltaX, read(event));
		view.orbit.zoom(Math.exp(0.0012 * pixels));
		view.dirty = true;
	}, { passive: false });

	app.on("let-go", () => {
		if (gesture?.kind === "tool") gesture.tool.up(gesture.at, true, true);
		gesture = null;
		fingers.clear();
	});
}
