// paint.js: painting vertex groups on the shown surface (Bergou et al. 2007, section 4.1). A dab covers what is within the
// brush along the surface, by distances over edges; the page shows it at once and sends only what changed. Within one
// stroke a vertex is never painted more than once over, however often the brush passes.

import { clamp, el, plain } from "./dom.js";
import { makeField, makeSegments } from "./field.js";
import { cleanName } from "./keep.js";
import { askText } from "./notes.js";
import { screenColor } from "./view.js";

const MOST = 1500; // vertices per message: far below 64 kB
const COLORS = [[255, 110, 30], [20, 130, 235], [60, 200, 80]];
const USES = { match: ["groups"], track: ["regions"], act: ["feet", "trunk"], design: [] };

// The one that is farthest from the body's own.
function paintColor(own) {
	const far = c => Math.hypot(...c.map((x, k) => x - 255 * own[k]));
	return COLORS.reduce((a, b) => (far(b) > far(a) + 60 ? b : a));
}

export function makePaint(app) {
	const { view } = app;
	const brush = { size: 0.12, soft: 0.7, strength: 1, add: true };
	const layers = new Map(); // "object/group" -> Float32Array of values
	let group = null, stroke = null, over = null, colors = null;

	const index = () => app.surfaceOf(app.selected);
	const layerKey = () => `${app.object.name}/${group}`;
	const radius = () => 0.5 * brush.size * (app.object.size || view.surface(index())?.size || 1);
	function layer() {
		const count = view.surface(index())?.count || 0, key = layerKey();
		if (!layers.has(key) || layers.get(key).length !== count) layers.set(key, new Float32Array(count));
		return layers.get(key);
	}

	function show() {
		const surface = view.surface(index());
		if (!surface || app.tool !== "paint" || !group) return;
		const values = layer();
		if (!colors || colors.length !== 4 * values.length) colors = new Uint8Array(4 * values.length);
		const [r, g, b] = paintColor(screenColor(app.object.color));
		for (let v = 0; v < values.length; ++v) {
			colors[4 * v] = r, colors[4 * v + 1] = g, colors[4 * v + 2] = b;
			colors[4 * v + 3] = 225 * values[v];
		}
		view.tint(index(), colors, 4);
	}

	function open(name) {
		group = name;
		app.send({ do: "paint_open", object: app.object.name, group });
		app.refreshPanel();
		show();
	}

	app.on("weights", ({ object, group: name, vertices, values }) => {
		if (object !== app.object?.name || name !== group) return;
		const all = layer();
		all.fill(0);
		vertices.forEach((v, k) => all[v] = values[k]);
		show();
	});
	app.on("tool", (now, before) => {
		if (before === "paint") view.shown.forEach((item, i) => view.tint(i, null)), app.show({});
		if (now !== "paint" || !app.object) return;
		if (app.state.playing) app.send({ do: "pause" });
		first();
		shownFor = view.surface(index()), changed = false; // a new group may be chosen before the next picture
	});
	const first = () => open(app.object?.groups?.[0]?.name || "painted");
	app.on("select", (i, again) => app.tool === "paint" && !again && first());
	let changed = false;
	app.on("hello", (hello, same) => {
		stroke = over = null;
		changed = !same;
	});
	let shownFor = null;
	app.on("before-draw", () => { // a scene that began again has new meshes
		const surface = app.tool === "paint" && app.hello.scene ? view.surface(index()) : null;
		if (!surface || shownFor === surface) return;
		shownFor = surface;
		if (changed || !group) first();
		else open(group);
		changed = false;
	});

	// ---- strokes ----
	const fall = x => {
		const inner = 1 - brush.soft;
		const t = clamp((x - inner) / Math.max(1 - inner, 1e-6), 0, 1);
		return 1 - t * t * (3 - 2 * t);
	};

	function dab(hit) {
		const surface = view.surface(hit.i), values = layer(), size = radius();
		surface.around(hit.triangle, hit.at, size, (v, distance) => {
			const amount = brush.strength * fall(distance / size);
			if (amount <= (stroke.amount.get(v) || 0)) return;
			if (!stroke.before.has(v)) stroke.before.set(v, values[v]);
			stroke.amount.set(v, amount);
			const from = stroke.before.get(v);
			values[v] = from + ((stroke.add ? 1 : 0) - from) * amount;
			stroke.changed.add(v);
		});
		show();
	}

	function flush(end) {
		const changed = [...stroke.changed], values = layer();
		stroke.changed.clear();
		for (let k = 0; k < changed.length || (end && k === 0); k += MOST) {
			const part = changed.slice(k, k + MOST), last = end && k + MOST >= changed.length;
			app.send({ do: "paint", object: app.object.name, group, vertices: part,
				values: part.map(v => Number(values[v].toFixed(3))), ...(last ? { end: true } : {}) });
		}
	}

	const pickAt = p => view.pick(p.x, p.y, info => info.object === app.selected);

	app.tools.paint = {
		wanted: info => info.object === app.selected,
		down(hit, p) {
			if (!hit || !group) return false;
			stroke = { add: brush.add !== (p.shift || p.alt), before: new Map(), amount: new Map(), changed: new Set(),
				last: p };
			dab(hit);
			return true;
		},
		move(p) {
			over = { p, hit: pickAt(p) };
			view.dirty = true;
			const far = Math.hypot(p.x - stroke.last.x, p.y - stroke.last.y), steps = Math.min(Math.ceil(far / 12), 8);
			for (let k = 1; k <= steps; ++k) {
				const t = k / steps, hit = pickAt({ x: stroke.last.x + t * (p.x - stroke.last.x), y: stroke.last.y +
					t * (p.y - stroke.last.y) });
				if (hit) dab(hit);
			}
			stroke.last = p;
			if (stroke.changed.size > 400) flush(false);
		},
		up() {
			if (stroke) flush(true);
			stroke = null;
			app.emit("grabbed");
		},
		hover(hit, p) {
			over = hit ? { hit, p } : null;
			view.dirty = true;
		},
		wheel(pixels) {
			brush.size = clamp(brush.size * Math.exp(-0.002 * pixels), 0.01, 1);
			app.refreshPanel();
			view.dirty = true;
		},
	};

	app.on("mark", pen => {
		if (app.tool !== "paint" || !over?.hit) return;
		const a = view.project(over.hit.point).slice(), edge = over.hit.point.map((x, k) => x +
			radius() * view.orbit.right[k]), b = view.project(edge);
		const r = Math.hypot(b[0] - a[0], b[1] - a[1]);
		for (const [color, width] of [["rgba(0,0,0,.55)", 3.5], ["#fff", 1.5]]) {
			pen.strokeStyle = color, pen.lineWidth = width;
			pen.beginPath(), pen.arc(a[0], a[1], Math.max(r, 2), 0, 7), pen.stroke();
		}
	});

	// ---- panel ----
	app.panelSections.paint = () => {
		const o = app.object;
		if (!o) return [el("p", { class: "quiet" }, "There is nothing to paint on.")];
		const names = [...new Set([...(o.groups || []).map(g => g.name), group].filter(Boolean))];
		const select = el("select", { "aria-label": "Group", onchange: () => open(select.value) },
			...names.map(n => el("option", { value: n }, n)));
		if (group) select.value = group;
		const make = () => askText("A new group", "", "Make it", text => {
			const name = cleanName(text) || "painted";
			o.groups = [...(o.groups || []), { name, count: 0 }];
			open(name);
		}, "Its name, as scenes use it.");
		const use = el("select", { "aria-label": "Use the group as", onchange: () =>
			app.send({ do: "paint_use", object: o.name, group, as: use.value }) },
			...["none", "pins", ...(USES[o.engine] || [])].map(u => el("option", { value: u }, u === "none"
				? "a group only" : plain(u))));
		use.value = usedAs(o);
		const add = makeSegments("Brush", [[true, "Add"], [false, "Remove"]], brush.add, v => brush.add = v);
		const field = (key, low, high, preset, help, unit) => makeField({ key, kind: "number", low, high,
			value: brush[key], default: preset, help, unit }, v => brush[key] = v).node;
		return [app.section("Group", true, el("div", { class: "row" }, select,
			el("button", { type: "button", onclick: make }, "New …")), el("label", { class: "field choice" },
			el("span", { class: "name" }, "Use it as"), use)),
			app.section("Brush", true, add, field("size", 0.01, 1, 0.12,
				"Width of the brush, as a share of the body's size. Shift and wheel, or [ and ]."),
				field("soft", 0, 1, 0.7, "How far the edge fades."), field("strength", 0, 1, 1,
				"How much one stroke paints."),
				el("p", { class: "quiet" }, "Drag on the body to paint; Shift does the opposite. Undo takes back a stroke."))];
	};

	function usedAs(o) {
		if (o.feet?.includes(group)) return "feet";
		if (o.trunk === group) return "trunk";
		const item = app.hello.document?.objects?.[app.selected] || {};
		if (item.pins?.some(p => p.group === group)) return "pins";
		if (item.match?.groups?.includes(group)) return "groups";
		return "none";
	}

	const resize = factor => () => app.tools.paint.wheel(factor);
	app.keys.add({ group: "Paint", keys: ["["], help: "a smaller brush", when: () => app.tool === "paint",
		down: resize(120) });
	app.keys.add({ group: "Paint", keys: ["]"], help: "a larger brush", when: () => app.tool === "paint",
		down: resize(-120) });
	app.keys.add({ group: "Paint", keys: ["e"], help: "add or remove", when: () => app.tool === "paint",
		down: () => (brush.add = !brush.add, app.refreshPanel()) });
}
