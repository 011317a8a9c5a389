// place.js: objects and colliders are placed, turned, scaled, copied, added and removed, by the gizmo or by numbers. What
// is edited is the scene's document; the world then starts again from it. While the gizmo is dragged the surface is shown
// where it will be.

import { button, el, plain } from "./dom.js";
import { makeField, makeSegments } from "./field.js";
import { degreesOf, readTurn, turnFromDegrees } from "./turns.js";

const exact = (x, digits = 5) => Number(x.toFixed(digits));
const NEW = {
	box: { shape: "box", half: [0.25, 0.25, 0.25] },
	sphere: { shape: "sphere", radius: 0.25 },
	plane: { shape: "plane" },
};

export function makePlace(app) {
	const { view } = app;
	let chosen = null; // ["objects" | "colliders", index]
	let mode = "translate";

	const item = () => chosen && app.hello.document?.[chosen[0]]?.[chosen[1]];
	const nameOf = (kind, i) => app.hello.document[kind][i].name || `${kind.slice(0, -1)}${i}`;
	const surfaceOf = ([kind, i]) => app.hello.surfaces.findIndex(s => (kind === "objects" ? s.object
		: s.collider) === i);
	const frameOf = thing => ({ position: thing.position || [0, 0, 0], rotation: readTurn(thing.rotation),
		scale: [1, 1, 1] });

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
		view.showGizmo(start, usable, { change: now => view.preview(surface, start, now),
			end: now => apply(thing, start, now) });
	}

	function apply(thing, start, now) {
		const edits = [], path = key => [...chosen, key];
		if (mode === "translate") edits.push({ path: path("position"), value: now.position.map(x => exact(x)) });
		if (mode === "rotate") edits.push({ path: path("rotation"), value: now.rotation.map(x => exact(x, 7)) });
		if (mode === "scale") scaleEdits(thing, now.scale, path, edits);
		if (edits.length) app.send({ do: "edits", edits,
			label: `${{ translate: "move", rotate: "turn", scale: "scale" }[mode]} ${nameOf(...chosen)}` });
	}

	// Spheres and meshes stay in proportion; boxes do not have to.
	function scaleEdits(thing, scale, path, edits) {
		const mean = Math.cbrt(Math.abs(scale[0] * scale[1] * scale[2])) || 1, set = (key, value) =>
			edits.push({ path: path(key), value });
		if (thing.shape === "box") set("half", thing.half.map((x, k) => exact(Math.abs(x * scale[k]))));
		else if (thing.shape === "sphere") set("radius", exact(thing.radius * mean));
		else if (thing.shape === "capsule") set("radius", exact(thing.radius * mean)),
			set("half_length", exact(thing.half_length * mean));
		else if (thing.shape !== "plane") set("scale", exact((thing.scale ?? 1) * mean));
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
		if (before === "place") view.hideGizmo(), view.select(-1);
		if (now === "place") {
			if (app.state.playing) app.send({ do: "pause" });
			choose(app.object ? ["objects", app.selected] : null);
		}
	});
	app.on("select", i => app.tool === "place" && (!chosen || chosen[0] !== "objects" || chosen[1] !== i) &&
		choose(["objects", i]));
	let colliders = 0;
	app.on("hello", hello => {
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
		if (chosen[0] === "objects") fields.push(number("scale", thing.scale ?? 1, ""));
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
