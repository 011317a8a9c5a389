// commands.js: telling characters what to do: buttons, held keys and places on the ground, all made from the table of
// behaviours that the studio sends. A behaviour that can go to a place (`to`) is a gait: arrow keys and the cross give it
// a velocity while they are held. The others are done at once.

import { button, el, plain } from "./dom.js";
import { keyName } from "./keys.js";

// letters where they are free, else the next of the name
const WANTED = { stand: "x", hop: "h", jump: "j", crouch: "c" };
const TAKEN = "wasdrkpfqtgbvnlo";                               // other tools have these
// rad/s: steered figures face where they go; sideways they fall (crusty-2: 6 of 12 changes of way, with this 0 of 16)
const TURN = 0.5;
// of sqrt(g height)
const SPEEDS = { walk: { speed: 0.1 }, go: { speed: 0.15 }, hop: { speed: 0.16, up: 0.48 }, jump: { up: 0.48 } };
const WAYS = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] }; // right and forward, as seen

export function makeCommands(app) {
	const dock = document.getElementById("commands");
	const held = new Set(); // ways
	const memory = new Map(); // "object" -> { gait, values: { behaviour: { key: value } } }
	let letters = new Map();

	const behaviours = () => (app.hello.behaviours || []).filter(b => app.object?.behaviours?.includes(b.name));
	const has = (b, key) => b.keys?.some(k => k.key === key);
	const isGait = b => has(b, "to");
	const written = object => app.hello.document?.objects?.[app.hello.objects.indexOf(object)] || {};
	// it lives in the plane z = 0
	const isFlat = object => object.plane ?? ["curve", "solid2"].includes(written(object).act?.model);
	const named = name => (app.hello.behaviours || []).find(b => b.name === name);

	// What the scene itself tells the body is where sliders start: gallery scenes are tuned.
	function mind(object = app.object) {
		if (!memory.has(object.name)) {
			const timeline = written(object).act?.commands || [];
			const gaits = (app.hello.behaviours || []).filter(b => object.behaviours.includes(b.name) && isGait(b));
			const first = gaits.find(b => timeline.some(c => c.do === b.name));
			const preferred = first || gaits.find(b => b.name === (object.feet?.length >= 2 ? "walk" : "hop")) ||
				gaits[0];
			const values = {};
			for (const b of app.hello.behaviours || []) {
				values[b.name] = { ...ownSpeeds(object, b), ...startValues(b, timeline.find(c => c.do === b.name)) };
				if (has(b, "turn") && !isFlat(object)) values[b.name].turn ??= TURN;
			}
			memory.set(object.name, { gait: preferred?.name || null, values });
		}
		return memory.get(object.name);
	}

	// What suits a character of this height, as `limber character` writes it.
	function ownSpeeds(object, behaviour) {
		const { act, height } = written(object), share = SPEEDS[behaviour.name];
		if (!act?.character || !share) return {};
		const unit = Math.sqrt(Math.hypot(...app.hello.scene.gravity) * (height ?? object.size));
		return Object.fromEntries(Object.entries(share).map(([key, x]) => [key, Number((x * unit).toPrecision(2))]));
	}

	function startValues(behaviour, command) {
		const values = {};
		if (!command) return values;
		for (const { key, kind } of behaviour.keys || [])
			if ((kind === "number" || kind === "integer") && typeof command[key] === "number") values[key] =
				command[key];
		let v = command.velocity;
		if (Array.isArray(v?.[0])) v = v[0].slice(1);
		if (Array.isArray(v)) {
			const along = Math.hypot(v[0], v[2]);
			if (along > 0) values.speed = along;
			if (v[1] > 0) values.up = v[1];
		}
		return values;
	}
	app.commandValues = (object, behaviour) => mind(object).values[behaviour] ||= {};
	app.gaitOf = object => mind(object).gait;

	// World direction of what is held: along the axis of the world that is most to the right, as seen.
	function direction() {
		let right = 0, forward = 0;
		for (const way of held) right += WAYS[way][0], forward += WAYS[way][1];
		const quarter = Math.round(app.view.orbit.yaw / (Math.PI / 2)) * Math.PI / 2;
		const x = right * Math.cos(quarter) - forward * Math.sin(quarter),
			z = -right * Math.sin(quarter) - forward * Math.cos(quarter);
		const flat = isFlat(app.object), length = Math.hypot(x, flat ? 0 : z);
		return length < 1e-9 ? null : [x / length, flat ? 0 : z / length];
	}

	function order(behaviour, more) {
		const values = { ...mind().values[behaviour.name] };
		delete values.speed, delete values.up;
		app.send({ do: "command", object: app.object.name, behaviour: behaviour.name, ...values, ...more });
	}

	function velocity(behaviour, way) {
		const values = mind().values[behaviour.name], speed = values.speed ?? 0.5;
		// these take the speed at which they leave the ground
		const jumps = behaviour.name === "hop" || behaviour.name === "jump";
		return [way ? speed * way[0] : 0, jumps ? values.up ?? 1.5 : 0, way ? speed * way[1] : 0];
	}

	let going = false;
	function steer() {
		const gait = named(mind().gait);
		if (!gait) return;
		const way = direction();
		if (way) {
			going = true;
			order(gait, { velocity: velocity(gait, way) });
		} else if (going) {
			going = false;
			rest();
		}
	}

	function rest() {
		const stand = named("stand");
		if (stand && app.object.behaviours.includes("stand")) order(stand, {});
		else app.send({ do: "free", object: app.object.name });
	}

	// Gaits become what the arrows do; those that go by themselves begin at once. Others are done.
	function choose(behaviour) {
		const mine = mind();
		if (isGait(behaviour)) {
			mine.gait = behaviour.name;
			const way = direction(), still = behaviour.name === "hop";
			if (way || still) order(behaviour, { velocity: velocity(behaviour, way) });
		} else order(behaviour, has(behaviour, "velocity") ? { velocity: velocity(behaviour, direction()) } : {});
		refresh();
		app.emit("gait");
	}

	app.on("ground", place => {
		if (!app.object?.can?.command || !app.object.behaviours?.length) return;
		const gait = named(mind().gait);
		if (!gait || !has(gait, "to")) return;
		const values = mind().values[gait.name], more = { to: place };
		if (has(gait, "speed") && values.speed) more.speed = values.speed;
		if (has(gait, "up") && values.up) more.up = values.up;
		order(gait, more);
		app.goal = { place, time: performance.now() };
		app.view.dirty = true;
	});
	app.on("mark", pen => {
		const { goal } = app;
		if (!goal) return;
		const age = (performance.now() - goal.time) / 900;
		if (age > 1) return void (app.goal = null);
		pen.lineWidth = 2.5;
		pen.globalAlpha = 1 - age;
		app.pen.dot(goal.place, 6 + 22 * age, null, "#7c66dc");
		pen.globalAlpha = 1;
		requestAnimationFrame(() => app.view.dirty = true);
	});

	// ---- keys and buttons ----

	function assignLetters() {
		letters = new Map();
		const used = new Set(TAKEN);
		const give = (b, from) => {
			const letter = letters.has(b.name) ? null : from.find(c => c && /[a-z]/.test(c) && !used.has(c));
			if (!letter) return;
			used.add(letter);
			letters.set(b.name, letter);
		};
		for (const b of behaviours()) give(b, [WANTED[b.name]]);
		for (const b of behaviours()) give(b, [...b.name]);
	}

	function hold(way, on) {
		if (on === held.has(way)) return;
		if (on) held.add(way);
		else held.delete(way);
		if (app.object?.can?.command) steer();
		for (const node of dock.querySelectorAll("[data-way]")) node.classList.toggle("held",
			held.has(node.dataset.way));
	}

	const ready = () => app.hello?.mode === "scene" && app.tool === "direct" && app.object?.behaviours?.length > 0;
	function addKeys() {
		app.keys.remove("Characters");
		if (!behaviours().length) return;
		const moves = { left: ["ArrowLeft", "a"], right: ["ArrowRight", "d"], up: ["ArrowUp", "w"],
			down: ["ArrowDown", "s"] };
		for (const [way, keys] of Object.entries(moves))
			app.keys.add({ group: "Characters", keys,
				help: `held: ${way === "up" ? "away from the camera" : way === "down" ? "towards the camera" : way}`,
				when: ready,
				down: () => hold(way, true), up: () => hold(way, false) });
		for (const b of behaviours()) {
			const letter = letters.get(b.name);
			if (!letter) continue;
			const whileHeld = b.name === "crouch";
			app.keys.add({ group: "Characters", keys: [letter], shift: false, help: b.name + (whileHeld ? " while held"
				: ""), when: ready,
				down: () => choose(b), ...(whileHeld ? { up: rest } : {}) });
			if (b.name === "hop") app.keys.add({ group: "Characters", keys: [letter], shift: true, help: "hop high",
				when: ready, down: () => {
				const v = velocity(b, direction());
				order(b, { velocity: [v[0], 1.5 * v[1], v[2]] });
			} });
		}
	}

	function pad() {
		const arrow = (way, label) => {
			const node = button(way, label, () => {}, { class: "way" });
			node.dataset.way = way;
			const press = on => event => {
				event.preventDefault();
				if (on) try { node.setPointerCapture(event.pointerId); } catch { /* made-up pointers */ }
				hold(way, on);
			};
			node.addEventListener("pointerdown", press(true));
			for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) node.addEventListener(kind,
				press(false));
			node.addEventListener("keydown", event => (event.key === " " || event.key === "Enter") && !event.repeat &&
				hold(way, true));
			node.addEventListener("keyup", event => (event.key === " " || event.key === "Enter") && hold(way, false));
			node.addEventListener("blur", () => hold(way, false));
			return node;
		};
		const flat = isFlat(app.object);
		return el("div", { class: `pad${flat ? " flat" : ""}` }, arrow("left", "Left (held)"), flat ? null
			: el("span", { class: "col" }, arrow("up", "Away (held)"), arrow("down", "Closer (held)")),
			arrow("right", "Right (held)"));
	}

	function build() {
		const list = app.object?.can?.command !== false ? behaviours() : [];
		dock.hidden = list.length === 0 || app.hello.mode !== "scene" || app.tool !== "direct";
		dock.replaceChildren();
		if (list.length === 0) return;
		assignLetters();
		addKeys();
		const make = b => {
			const letter = letters.get(b.name);
			const node = el("button", { type: "button", class: "behaviour", title: b.help, onclick: () => choose(b) },
				plain(b.name), letter ? el("kbd", null, keyName(letter)) : null);
			node.dataset.behaviour = b.name;
			return node;
		};
		const gaits = list.filter(isGait), rest = list.filter(b => !isGait(b));
		dock.append(pad(), el("div", { class: "segments wrap", role: "group", "aria-label": "What the arrows do" },
			...gaits.map(make)),
			el("div", { class: "row wrap", role: "group", "aria-label": "At once" }, ...rest.map(make)));
		refresh();
		app.emit("layout");
	}

	function refresh() {
		if (dock.hidden || !app.object) return;
		const doing = app.state.doing?.[app.object.name], { gait } = mind();
		for (const node of dock.querySelectorAll("[data-behaviour]")) {
			node.classList.toggle("doing", node.dataset.behaviour === doing);
			node.classList.toggle("chosen", node.dataset.behaviour === gait);
			node.setAttribute("aria-pressed", String(node.dataset.behaviour === gait));
		}
	}

	app.on("hello", (hello, same) => {
		if (!same) memory.clear();
		held.clear();
		going = false;
	});
	app.on("select", build);
	app.on("tool", build);
	app.on("state", refresh);
	app.on("let-go", () => { for (const way of [...held]) hold(way, false); });
	app.commandFields = () => {
		if (!app.object?.behaviours?.length) return null;
		const gait = named(mind().gait);
		return gait ? { gait, values: mind().values[gait.name], changed: () => held.size && steer() } : null;
	};
}
