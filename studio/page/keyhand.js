// keyhand.js: a hand for those who use keys alone. Shift and arrows aim a ring over the picture, Enter is the button of a
// mouse there: held, arrows drag, with whatever tool is chosen; pressed, it is a click. Shift and W A S D turn the camera,
// + and - come closer and go away.

const SPEED = 260;  // pixels per second
const TURN = 220;   // of a drag that turns, pixels per second
const ZOOM = 1.2;   // e-folds per second
const POINTER = 7070; // a number that no other pointer has
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
	a: [1, 0], d: [-1, 0], w: [0, 1], s: [0, -1], "+": [0, -1], "=": [0, -1], "-": [0, 1] };

export function makeKeyhand(app) {
	const { view, picture } = app;
	let at = null, pressed = false, last = 0;
	const held = new Map(); // key -> what it does
	const inScene = () => app.hello?.mode === "scene";

	// The ring begins where the selected body is seen, else in the middle of the picture.
	function place() {
		const [left, top, right, bottom] = view.insets;
		at ||= (app.object && app.where(app.object.name)) ||
			[0.5 * (left + view.width - right), 0.5 * (top + view.height - bottom)];
		view.mark();
	}

	const point = kind => picture.dispatchEvent(new PointerEvent(kind, { clientX: at[0], clientY: at[1],
		pointerId: POINTER, button: 0, buttons: pressed ? 1 : 0, bubbles: true, cancelable: true }));

	function step() {
		if (held.size === 0) return;
		requestAnimationFrame(step);
		const now = performance.now(), seconds = Math.min(now - last, 100) / 1000;
		last = now;
		for (const [key, act] of held) act(...WAYS[key].map(x => x * seconds));
	}

	const acts = {
		aim(x, y) {
			place();
			at = [at[0] + SPEED * x, at[1] + SPEED * y];
			point("pointermove");
		},
		turn(x, y) {
			view.orbit.turn(TURN * x, TURN * y);
			view.dirty = true;
		},
		zoom(x, y) {
			view.orbit.zoom(Math.exp(ZOOM * y));
			view.dirty = true;
		},
	};

	function add(keys, act, more) {
		app.keys.add({ group: "Picture", keys, when: inScene, ...more,
			down: key => {
				held.set(key, acts[act]);
				if (held.size > 1) return;
				last = performance.now();
				requestAnimationFrame(step);
			},
			up: key => held.delete(key) });
	}

	const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
	app.keys.add({ group: "By keys", keys: ["Enter"], help: "the mouse's button, at the ring", when: inScene,
		down: () => {
			place();
			pressed = true;
			point("pointerdown");
		},
		up: () => {
			point("pointerup");
			pressed = false;
			view.mark();
		} });
	add(arrows, "aim", { group: "By keys", shift: true, label: "Shift  ← → ↑ ↓",
		help: "moves the ring; with Enter held, arrows drag" });
	add(arrows, "aim", { hidden: true, when: () => inScene() && pressed });
	add(["w", "a", "s", "d"], "turn", { shift: true, label: "Shift  W A S D", help: "look around" });
	add(["+", "=", "-"], "zoom", { label: "+  -", help: "closer, farther" });

	picture.addEventListener("pointerdown", event => {
		if (event.pointerId !== POINTER) at = null; // a pointer is there
	});
	app.on("select", (i, again) => {
		if (!again && !pressed) at = null;
	});
	app.on("tool", () => at = null);
	app.on("hello", (hello, same) => {
		if (!same) at = null;
	});
	app.on("mark", pen => {
		if (!at || ![picture, document.body].includes(document.activeElement)) return;
		for (const [color, width] of [["rgba(0,0,0,.55)", 4], [pressed ? "#ff8a1f" : "#fff", 2]]) {
			pen.strokeStyle = color, pen.lineWidth = width;
			pen.beginPath(), pen.arc(at[0], at[1], 9, 0, 7), pen.stroke();
		}
	});
}
