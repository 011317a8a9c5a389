// place.js: objects and colliders are placed, turned, scaled, copied, added and removed, by the gizmo or by numbers. What
// is edited is the scene's document; the world then starts again from it, so the first frame is shown. While the gizmo is
// dragged the surface is shown where it will be. The gizmo is in the middle of a body, wherever its file has the origin.

import { button, el, plain } from "./dom.js";
import { makeField, makeSegments } from "./field.js";
import { conjugate, degreesOf, readTurn, turn, turnFromDegrees } from "./turns.js";

const exact = (x, digits = 5) => Number(x.toFixed(digits));
const mean = ([x, y, z]) => Math.cbrt(Math.abs(x * y * z)) || 1;
const NEW = {
	box: { shape: "box", half: [0.25, 0.25, 0.25] },
	sphere: { shape: "sphere", radius: 0.25 },
	plane: { shape: "plane" },
};

export function makePlace(app) {
	const { view } = app;
	let chosen = null; // ["objects" | "colliders", index]
	let mode = "translate";
	let back = null; // frame that was shown before, as long as nothing is edited

	const item = () => chosen && app.hello.document?.[chosen[0]]?.[chosen[1]];
	const nameOf = (kind, i) => app.hello.document[kind][i].name || `${kind.slice(0, -1)}${i}`;
	const surfaceOf = ([kind, i]) => app.hello.surfaces.findIndex(s => (kind === "objects" ? s.object
		: s.collider) === i);
	const originOf = thing => thing.position || [0, 0, 0];
	// `position` is then where it stands
	const stands = thing => chosen[0] === "objects" && (thing.place ?? (thing.act?.character ? "ground" : "")) === "ground";

	// Where the gizmo is: in the middle of what is seen of it; planes have none.
	function frameOf(thing) {
		const surface = view.surface(surfaceOf(chosen)), middle = thing.shape !== "plane" && surface?.center();
		return { position: middle || originOf(thing), rotation: readTurn(thing.rotation), scale: [1, 1, 1] };
	}

	function choose(next) {
		chosen = next && app.hello.document?.[next[0]]?.[next[1]] ? next : null;
		if (!chosen) {
			view.hideGizmo();
			view.select(-1);
			return app.refreshPanel();
		}
		if (chosen[0] === "objects") app.selected = chosen[1];
		view.select(surfaceOf(chosen));
		gizmo();
		app.refreshPanel();
	}

	function gizmo() {
		const thing = item();
		if (!thing || app.tool !== "place") return view.hideGizmo();
		const start = frameOf(thing), surface = surfaceOf(chosen);
		const usable = mode === "scale" && thing.shape === "plane" ? "translate" : mode;
		view.showGizmo(start, usable, {
			change: now => view.preview(surface, about(thing, start), about(thing, start, now)),
			end: now => apply(usable, thing, start, now) });
	}

	// What turns and scales about where it stands stays there. Only boxes are scaled along one axis.
	function about(thing, start, now = start) {
		const moved = now.position.map((x, k) => x - start.position[k]);
		const from = stands(thing) ? originOf(thing) : start.position;
		const scale = thing.shape === "box" ? now.scale : [0, 1, 2].map(() => mean(now.scale));
		return { position: from.map((x, k) => x + moved[k]), rotation: now.rotation, scale };
	}

	function apply(usable, thing, start, now) {
		const edits = [], path = key => [...chosen, key], from = about(thing, start), to = about(thing, start, now);
		const far = turn(conjugate(from.rotation), originOf(thing).map((x, k) => x - from.position[k]));
		const position = turn(to.rotation, far.map((x, k) => x * to.scale[k])).map((x, k) => exact(x + to.position[k]));
		if (position.some((x, k) => Math.abs(x - originOf(thing)[k]) > 2e-5))
			edits.push({ path: path("position"), value: position });
		if (usable === "rotate") edits.push({ path: path("rotation"), value: now.rotation.map(x => exact(x, 7)) });
		if (usable === "scale") scaleEdits(thing, now.scale, path, edits);
		if (edits.length) app.send({ do: "edits", edits,
			label: `${{ translate: "move", rotate: "turn", scale: "scale" }[usable]} ${nameOf(...chosen)}` });
	}

	// Spheres and meshes stay in proportion; boxes do not have to.
	function scaleEdits(thing, scale, path, edits) {
		const factor = mean(scale), set = (key, value) => edits.push({ path: path(key), value });
		if (thing.shape === "box") set("half", thing.half.map((x, k) => exact(Math.abs(x * scale[k]))));
		else if (thing.shape === "sphere") set("radius", exact(thing.radius * factor));
		else if (thing.shape === "capsule") set("radius", exact(thing.radius * factor)),
			set("half_length", exact(thing.half_length * factor));
		else if (thing.height) set("height", exact(thing.height * factor));
		else if (thing.shape !== "plane") set("scale", exact((thing.scale ?? 1) * factor));
	}

	app.tools.place = {
		wanted: info => info.object >= 0 || info.collider >= 0,
		down: () => false,
		click(hit) {
			choose(hit ? hit.info.object >= 0 ? ["objects", hit.info.object] : ["colliders", hit.info.collider] : null);
		},
		hover(hit) {
			view.shown.forEach((shown, i) => view.glow(i, hit && hit.i === i ? 0.12 : 0));
		},
	};

	app.on("tool", (now, before) => {
		if (before === "place") {
			view.hideGizmo(), view.select(-1);
			if (back !== null) app.send({ do: "rewind", frame: back });
			back = null;
		}
		if (now === "place") {
			if (app.state.playing) app.send({ do: "pause" });
			if (app.state.frame > 0) back = app.state.frame, app.send({ do: "rewind", frame: 0 });
			choose(app.object ? ["objects", app.selected] : null);
		}
	});
	app.on("select", (i, again) => app.tool === "place" && !again && (!chosen || chosen[0] !== "objects" || chosen[1] !== i) &&
		choose(["objects", i]));
	let colliders = 0;
	app.on("frame", frame => { // the first has come, where everything starts
		if (frame === 0 && app.tool === "place" && chosen && !view.gizmoDragged) gizmo();
	});
	app.on("hello", hello => {
		back = null;
		// one that was added is chosen
		const count = hello.document?.colliders?.length || 0, isNew = app.tool === "place" && count > colliders;
		colliders = count;
		if (app.tool === "place") requestAnimationFrame(() => choose(isNew ? ["colliders", count - 1] : chosen));
	});

	const copy = () => chosen && app.send({ do: "copy", path: chosen });
	const remove = () => chosen && app.send({ do: "remove", path: chosen });
	const edit = (key, value) => app.send({ do: "edit", path: [...chosen, key], value });

	// ---- panel ----
	app.panelSections.place = () => {
		const colliders = app.hello.document?.colliders || [], thing = item();
		const list = colliders.map((c, i) => el("button", { type: "button", role: "option", class: "object",
			"aria-selected": String(chosen?.[0] === "colliders" && chosen[1] === i),
			onclick: () => choose(["colliders", i]) },
			el("span", { class: "grow" }, nameOf("colliders", i)), el("span", { class: "quiet" }, c.shape)));
		const modes = makeSegments("Gizmo", [["translate", "Move"], ["rotate", "Turn"], ["scale", "Scale"]], mode,
			setMode);
		const add = shape => el("button", { type: "button", class: "grow", onclick: () => addCollider(shape) },
			plain(shape));
		return [app.section("Colliders", true,
			el("div", { class: "objects", role: "listbox", "aria-label": "Colliders" }, ...list),
			el("div", { class: "row" }, el("span", { class: "quiet" }, "Add"), add("box"), add("sphere"),
			add("plane"))),
			thing ? app.section(nameOf(...chosen), true, modes, ...numbers(thing), el("div", { class: "row" },
				button("copy", "Copy", copy, { text: "Copy", class: "grow" }), button("bin", "Remove", remove,
				{ text: "Remove", class: "grow" }))) :
				el("p", { class: "quiet" }, "Click an object or collider to move it.")];
	};

	function numbers(thing) {
		const vector = (key, label, value, unit, tell) => makeField({ key, label, kind: "vector", value, unit },
			tell).node;
		const number = (key, value, unit) => makeField({ key, kind: "number", low: 0, high: Math.max(4 * value, 1),
			above: true, value, default: value, unit }, (v, done) => done && edit(key, v)).node;
		const fields = [vector("position", "position", thing.position || [0, 0, 0], "m", v => edit("position", v)),
			vector("rotation", "rotation", degreesOf(readTurn(thing.rotation)), "°",
				v => edit("rotation", turnFromDegrees(v).map(x => exact(x, 7))))];
		if (thing.half) fields.push(vector("half", "half sides", thing.half, "m", v => edit("half", v)));
		if (thing.radius) fields.push(number("radius", thing.radius, "m"));
		if (thing.height && chosen[0] === "objects") fields.push(number("height", thing.height, "m"));
		else if (chosen[0] === "objects") fields.push(number("scale", thing.scale ?? 1, ""));
		return fields;
	}

	function setMode(next) {
		mode = next;
		gizmo();
		app.refreshPanel();
	}

	function addCollider(shape) {
		const [x, , z] = view.orbit.target, r = 0.15 * view.orbit.distance, size = exact(Math.max(r * 0.5, 0.01), 3);
		const made = structuredClone(NEW[shape]);
		if (made.half) made.half = [size, size, size];
		if (made.radius) made.radius = size;
		if (shape !== "plane") made.position = [exact(x, 3), size, exact(z, 3)];
		app.send({ do: "add", collider: made });
	}

	const inPlace = () => app.tool === "place";
	for (const [key, value, help] of [["1", "translate", "gizmo moves"], ["2", "rotate", "gizmo turns"],
		["3", "scale", "gizmo scales"]])
		app.keys.add({ group: "Place", keys: [key], help, when: inPlace, down: () => setMode(value) });
	app.keys.add({ group: "Place", keys: ["Delete", "Backspace"], help: "remove what is selected",
		when: () => inPlace() && chosen, down: remove });
	app.keys.add({ group: "Place", keys: ["d"], ctrl: true, label: "Ctrl D", help: "copy what is selected",
		when: () => inPlace() && chosen, down: copy });
}
