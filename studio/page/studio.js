// studio.js: where everything meets: the connection, what the server told last, and the loop that draws. Every other
// file gets `app`: it listens with app.on(kind, f), and tells the server with app.send(message).

import { Link, decode } from "./link.js";
import { makeView } from "./view.js";
import { makeNotes } from "./notes.js";
import { makeKeys } from "./keys.js";
import { makeTop } from "./top.js";
import { makePointer } from "./pointer.js";
import { makeKeyhand } from "./keyhand.js";
import { makeOverlay } from "./overlay.js";
import { makeGrab } from "./grab.js";
import { makeCommands } from "./commands.js";
import { makeTimeline } from "./timeline.js";
import { makePanel } from "./panel.js";
import { makePose } from "./pose.js";
import { makePaint } from "./paint.js";
import { makePlace } from "./place.js";
import { makePlots } from "./plots.js";
import { makeGallery } from "./gallery.js";
import { makeFiles } from "./files.js";
import { makeHelp } from "./help.js";

const ROOM = 1.8; // how much farther the camera stands from a character than it must to see all of it

const $ = id => document.getElementById(id);

class App {
	constructor() {
		this.listeners = new Map();
		this.hello = null;
		this.state = { playing: false, speed: 1, frame: 0, frames: 0, jobs: [], marks: [], examples: {}, doing: {} };
		this.overlay = null;
		this.numbers = new Float32Array(0);
		this.frame = 0;
		this.selected = 0; // object
		this.tool = "direct";
		this.toDraw = 0;   // frames that came and are not drawn yet
		this.costs = new Float32Array(64); // milliseconds of JavaScript, of the last drawn frames
		this.delays = []; // of the last moves of the pointer that a body followed: when they came to what, milliseconds
		this.delayCount = 0;
		this.waiting = null;
		this.applied = 0;
		this.drawn = 0;
		this.spent = 0;
		this.picture = $("picture");
		this.view = makeView(this.picture);
		this.sink = this.makeSink();
		if (this.view?.slow) document.body.dataset.slow = "1";
	}

	on(kind, listener) {
		if (!this.listeners.has(kind)) this.listeners.set(kind, []);
		this.listeners.get(kind).push(listener);
	}

	emit(kind, ...values) {
		for (const listener of this.listeners.get(kind) || []) listener(...values);
	}

	send(message) {
		return this.link.send(message);
	}

	get object() {
		return this.hello?.objects?.[this.selected] || null;
	}

	surfaceOf(object) {
		return this.hello.surfaces.findIndex(s => s.object === object);
	}

	select(object, quietly) {
		this.selected = object;
		this.view.select(quietly ? -1 : this.surfaceOf(object));
		this.emit("select", object, quietly);
	}

	setTool(name) {
		if (this.tool === name) name = "direct";
		if (this.tool === name) return;
		const before = this.tool;
		this.tool = name;
		document.body.dataset.tool = name;
		this.emit("tool", name, before);
	}

	// ---- what the server says ----

	text(message) {
		switch (message.kind) {
		case "hello": return this.begin(message);
		case "state": return this.changed(message);
		case "overlay":
			this.overlay = message;
			this.view.mark();
			break;
		}
		this.emit(message.kind, message);
	}

	begin(hello) {
		const old = this.hello, sameScene = old?.scene && hello.scene &&
			(old.scene.file === hello.scene.file || old.scene.opened === hello.scene.opened); // edited, it may be a copy
		this.hello = hello;
		this.overlay = null;
		if (!sameScene) this.state = { ...this.state, frame: 0, frames: 0, marks: [], examples: {}, doing: {},
			settings: {} };
		document.body.dataset.mode = hello.mode;
		document.title = hello.scene ? `${hello.scene.name} – limber` : "limber";
		this.view.begin(hello.scene, hello.surfaces || []);
		if (hello.scene && !sameScene) this.lookAt(hello);
		this.emit("hello", hello, sameScene);
		const keep = sameScene && this.selected < hello.objects.length;
		if (hello.objects?.length) this.select(keep ? this.selected : 0, true);
		if (hello.scene) this.emit("show");
	}

	// The scene's camera. Where it is automatic and there is one character, that one has room to go, and is followed.
	lookAt({ scene, objects }) {
		const { camera, size } = scene, alone = camera.automatic && objects.length === 1 && objects[0].behaviours?.length;
		const eye = alone ? camera.eye.map((x, k) => camera.target[k] + ROOM * (x - camera.target[k])) : camera.eye;
		this.view.lookAs({ ...camera, eye, aspect: size ? size[0] / size[1] : 1.5 });
		if (alone) this.view.follow(this.surfaceOf(0));
	}

	changed(message) {
		for (const [key, value] of Object.entries(message)) if (value !== undefined) this.state[key] = value;
		this.emit("state", this.state, message);
	}

	binary(buffer) {
		const start = performance.now();
		decode(buffer, this.sink);
		this.spent += performance.now() - start;
		if (this.view.slow && this.toDraw > 0 && this.hello) this.drawNow();
	}

	makeSink() {
		const { view } = this;
		return {
			topology: (i, triangles) => view.topology(i, triangles),
			positions: (i, points, x, y, z) => view.positions(i, points, x, y, z),
			colors: (i, colors) => this.emit("vertex-colors", i, colors),
			lines: (object, points) => view.lines(object, points),
			numbers: values => {
				if (this.numbers.length !== values.length) this.numbers = new Float32Array(values.length);
				this.numbers.set(values);
			},
			frame: (frame, command) => {
				this.frame = frame;
				this.applied = command;
				if (this.waiting && command >= this.waiting.seq) this.waiting.came ||= performance.now();
				++this.toDraw;
				view.mark();
				this.emit("frame", frame);
			},
		};
	}

	// ---- the loop ----

	// From a move of the pointer to the picture that shows what it did, and where the time went: until the move was sent,
	// until a frame came that knows of it, until that was begun to be drawn, by JavaScript, and by what draws.
	measureDelay(begun, drawn) {
		const { waiting: w } = this, now = performance.now();
		if (!w || this.applied < w.seq) return;
		this.delays[this.delayCount++ % 64] = { all: now - w.moved, send: w.sent - w.moved, answer: w.came - w.sent,
			wait: begun - w.came, script: drawn - begun, draw: now - drawn };
		this.waiting = null;
	}

	// Once for each picture of the browser; where those come slowly, also as soon as a frame has come.
	draw() {
		requestAnimationFrame(() => this.draw());
		if (!this.hello) return;
		const now = performance.now();
		this.view.keepUp(now);
		this.view.rest(now);
		this.drawNow();
	}

	drawNow() {
		const start = performance.now();
		this.emit("before-draw");
		const drew = this.hello.scene && this.view.draw();
		if (drew) this.emit("draw");
		const end = performance.now(), spent = this.spent + end - start, came = this.toDraw;
		this.spent = 0;
		this.toDraw = 0;
		if (came > 0) this.costs[this.drawn % 64] = spent;
		if (drew) this.view.settle();
		if (came === 0) return;
		this.measureDelay(start, end);
		this.drawn += came;
		for (let k = 0; k < came; ++k) this.send({ do: "drawn", frame: this.frame,
			...(this.view.slow ? { ahead: 1 } : {}) });
	}
}

const median = list => list.sort((a, b) => a - b)[list.length >> 1] || 0;

// What tests may look at; nothing here changes anything.
function expose(app) {
	Object.defineProperty(window, "studio", { value: Object.freeze({
		get connected() { return app.link.open; },
		get mode() { return app.hello?.mode; },
		get scene() { return app.hello?.scene?.name; },
		get hello() { return app.hello && structuredClone(app.hello); },
		get state() { return structuredClone(app.state); },
		get frame() { return app.frame; },
		get drawn() { return app.drawn; },
		get settled() { return app.toDraw === 0 && !app.view.dirty && !app.view.stirred; }, // what came is drawn
		get cost() { return median([...app.costs].filter(x => x > 0)); },
		get delay() { return median(app.delays.map(d => d.all)); },
		get delayParts() {
			return Object.fromEntries(Object.keys(app.delays[0] || {}).map(k => [k, median(app.delays.map(d => d[k]))]));
		},
		get delays() { return app.delayCount; },
		get sharpness() { return app.view.sharpness; },
		get tool() { return app.tool; },
		get selected() { return app.object?.name; },
		get overlay() { return app.overlay && structuredClone(app.overlay); },
		get holding() { return app.holding ? app.holding() : 0; },
		get told() { return app.toldTexts ? app.toldTexts.slice() : []; },
		get handles() { return structuredClone(app.poseHandles()); },
		gizmoTip: axis => app.view.gizmoTip(axis),
		get camera() { return structuredClone({ ...app.view.orbit }); },
		numbers: name => app.hello.numbers.map((n, i) => n.name === name ? app.numbers[i] : null).filter(x =>
			x !== null),
		// Pixels of the middle of an object: of the nearest point of its surface, so that a click there hits it.
		where: name => app.where(name),
		over: (x, y) => app.hello.objects[app.view.pick(x, y, info => info.object >= 0)?.info.object]?.name,
		center: name => app.view.surface(app.surfaceOf(app.hello.objects.findIndex(o => o.name === name)))?.center(),
	}) });
}

App.prototype.where = function (name) {
	const i = this.surfaceOf(this.hello.objects.findIndex(o => o.name === name)), surface = this.view.surface(i);
	if (!surface) return null;
	const t = surface.corners.length / 3, at = [1 / 3, 1 / 3, 1 / 3], out = [0, 0, 0];
	const [left, top, right, bottom] = this.view.insets;
	const middle = this.view.project(surface.center()).slice();
	let best = null, least = Infinity;
	for (let k = 0; k < t; k += Math.max(1, Math.floor(t / 400))) {
		const [x, y] = this.view.project(surface.point(k, at), out), far = Math.hypot(x - middle[0], y - middle[1]);
		if (far >= least || x < left || y < top || x > this.view.width - right ||
			y > this.view.height - bottom) continue;
		if (this.view.pick(x, y, () => true)?.i !== i) continue;
		best = [x, y], least = far;
	}
	return best;
};

function sayOnly(text) {
	const p = document.createElement("p");
	p.className = "sentence";
	p.textContent = text;
	document.body.replaceChildren(p);
}

function start() {
	const app = new App();
	if (!app.view) return sayOnly("This browser has no WebGL, which the studio needs to draw: switch on hardware acceleration or try another browser.");
	for (const make of [makeNotes, makeKeys, makeTop, makePointer, makeKeyhand, makeOverlay, makeGrab, makeCommands,
		makeTimeline, makePanel, makePose, makePaint, makePlace, makePlots, makeGallery, makeFiles, makeHelp]) make(app);
	expose(app);
	app.link = new Link({
		open: () => app.emit("open"),
		lost: (event, tries) => app.emit("lost", event, tries),
		text: message => app.text(message),
		binary: buffer => app.binary(buffer),
	});
	app.draw();
}

start();

