// panel.js: the panel at the left: the objects, and for the one that is selected what it obeys: grab, behaviour, examples
// with their live weights, every setting of its engine's table. Tools put their own sections here instead.

import { button, eachPicture, el, plain } from "./dom.js";
import { hasField, makeField } from "./field.js";

export function makePanel(app) {
	const panel = document.getElementById("panel");
	const head = el("div", { class: "head" }), body = el("div", { class: "body" }), foot = el("div", { class: "foot" });
	panel.append(head, body, foot);
	let fields = new Map(), strengths = [], weights = [];
	app.panelSections = {}; // by tool: () -> nodes

	// ---- foot: undo, redo, write ----
	const undo = button("undo", "Undo", () => app.send({ do: "undo" }), { class: "icon-only", key: "Ctrl+Z" });
	const redo = button("redo", "Redo", () => app.send({ do: "redo" }), { class: "icon-only", key: "Ctrl+Shift+Z" });
	const write = button("save", "Write the values to the scene and save it", () => save(),
		{ text: "Write to scene", class: "grow" });
	foot.append(undo, redo, write);
	function save() {
		const { settings = {}, planned, dirty } = app.state, changed = Object.keys(settings).length > 0 || planned > 0;
		if (!changed && !dirty) return app.tell("note", "Nothing has changed: the scene's file is as you see it.");
		if (changed) app.send({ do: "write" });
		app.send({ do: "save", overwrite: true });
	}
	app.on("state", s => {
		undo.disabled = !s.undo, redo.disabled = !s.redo;
		undo.title = s.undo ? `Undo ${s.undo} (Ctrl+Z)` : "Nothing to undo";
		redo.title = s.redo ? `Redo ${s.redo} (Ctrl+Shift+Z)` : "Nothing to redo";
		write.classList.toggle("main", Boolean(s.dirty));
	});
	const ready = () => app.hello?.mode === "scene";
	app.keys.add({ group: "Window", keys: ["z"], ctrl: true, shift: false, label: "Ctrl Z", help: "undo", when: ready,
		down: () => app.tool === "pose" ? app.send({ do: "pose_undo" }) : app.send({ do: "undo" }) });
	app.keys.add({ group: "Window", keys: ["z"], ctrl: true, shift: true, label: "Ctrl Shift Z", help: "redo",
		when: ready, down: () => app.send({ do: "redo" }) });
	app.keys.add({ group: "Window", keys: ["y"], ctrl: true, label: "Ctrl Y", help: "redo", when: ready,
		down: () => app.send({ do: "redo" }) });
	app.keys.add({ group: "Window", keys: ["s"], ctrl: true, label: "Ctrl S", help: "write to the scene", when: ready,
		down: save });
	app.keys.add({ group: "Window", keys: ["q"], help: "panel on or off", when: ready, down: () => toggle() });
	function toggle() {
		panel.hidden = !panel.hidden;
		app.emit("layout");
	}

	// ---- objects ----
	function objects() {
		const { objects: list } = app.hello;
		const chip = (o, i) => {
			const swatch = el("span", { class: "swatch" });
			swatch.style.background = cssColor(o.color);
			return el("button", { type: "button", role: "option", class: "object",
				"aria-selected": String(i === app.selected), onclick: () => app.select(i),
				title: `${o.name}: ${o.engine}` },
				swatch, el("span", { class: "grow" }, o.name), el("span", { class: "quiet" }, o.engine));
		};
		head.replaceChildren(el("div", { class: "row" }, el("h2", { class: "grow" }, "Objects"),
			button("panel", "Hide the panel", toggle, { class: "plain icon-only", key: "Q" })),
			el("div", { class: "objects", role: "listbox", "aria-label": "Objects" }, ...list.map(chip)));
	}

	// ---- sections: opened and closed as they were left ----
	const opened = new Map();
	const section = (title, open, ...nodes) => {
		const key = `${app.tool} ${title}`, details = el("details", { class: "section" }, el("summary", { onclick: () =>
			opened.set(key, !details.open) }, title), ...nodes);
		details.open = opened.get(key) ?? open;
		return details;
	};
	app.section = section;

	// What has the focus keeps it, though it is made anew: keys go on from there.
	const nameOf = node => node.getAttribute("aria-label") || node.textContent;
	function keepFocus(work) {
		const { activeElement } = document, name = panel.contains(activeElement) ? nameOf(activeElement) : null;
		work();
		if (name === null || panel.contains(document.activeElement)) return;
		const same = [...panel.querySelectorAll(activeElement.tagName)].find(node => nameOf(node) === name &&
			node.type === activeElement.type);
		same?.focus({ preventScroll: true });
	}

	const build = () => app.hello?.mode === "scene" && keepFocus(rebuild);
	function rebuild() {
		objects();
		fields = new Map(), strengths = [], weights = [];
		const own = app.panelSections[app.tool];
		body.replaceChildren(...(own ? own() : direct()).filter(Boolean));
		showValues();
	}
	app.refreshPanel = build;

	function direct() {
		const o = app.object;
		if (!o) return [el("p", { class: "quiet" }, "There is nothing soft in this scene.")];
		const poses = examples(o), told = behaviour(); // what it is told goes before what it is like
		return [...(told ? [told, poses] : [poses]), o.can?.grab === false ? null : hand(o), settings(o)];
	}

	function hand(o) {
		const strength = makeField({ key: "strength", kind: "number", low: 0.5, high: 20, value: app.grabFrequency,
			default: 3, unit: "Hz", help: "How fast the springs of a grab pull, alike for light and heavy bodies." },
			v => app.grabFrequency = v);
		const size = o.size || 1;
		const radius = makeField({ key: "patch", kind: "number", low: 0, high: size, value: app.grabRadius ||
			0.1 * size, default: 0.1 * size, unit: "m", help: "How much of the surface a grab takes hold of." },
			v => app.grabRadius = v);
		const pins = el("button", { type: "button", class: "wide", onclick: () => app.releasePins() },
			"Take all pins away");
		return section("Hand", false, strength.node, radius.node, pins);
	}

	function behaviour() {
		const told = app.commandFields();
		if (!told) return null;
		const { gait, values, changed } = told;
		const list = (gait.keys || []).filter(k => k.kind === "number" || k.kind === "integer");
		if (list.length === 0) return null;
		return section(gait.name[0].toUpperCase() + plain(gait.name).slice(1), true,
			...list.map(k => makeField({ ...k, live: true, value: values[k.key] ?? k.value ?? k.default }, v => {
			values[k.key] = v;
			changed();
		}).node));
	}

	function examples(o) {
		if (!o.examples?.length) return null;
		return section("Examples", o.examples.length <= 8, ...o.examples.map((example, i) => {
			const bar = el("span", { class: "weight", title: "its weight now" }, el("i"));
			weights.push({ bar, column: app.hello.numbers.findIndex(n => n.object === app.selected &&
				n.name === `weight_${i + 1}`) });
			if (!(o.can?.example ?? o.engine === "match")) return el("div", { class: "example" },
				el("span", { class: "name" }, plain(example.name)), bar);
			const send = eachPicture(v => app.send({ do: "example", object: o.name, example: i, strength: v }));
			const field = makeField({ key: plain(example.name), kind: "number", low: 0, high: 1,
				value: example.strength ?? 1, default: 1,
				help: `How much it is drawn to this pose. Key ${i + 1}, held: all of it.` }, v => send(v));
			const free = el("button", { type: "button", class: "plain tiny", title: "Follow the timeline again",
				"aria-label": `${example.name}: follow the timeline again`, hidden: true,
				onclick: () => app.send({ do: "free", object: o.name, example: i }) }, "free");
			field.node.querySelector(".value").before(free);
			field.node.append(bar);
			strengths.push({ field, free, i });
			return field.node;
		}));
	}

	function settings(o) {
		const live = [], again = [], all = o.settings || [];
		for (const s of all.filter(hasField)) {
			const isLive = s.live !== false;
			const send = eachPicture(v => app.send({ do: "set", object: o.name, key: s.key, value: v }));
			const field = makeField({ ...s, value: app.state.settings?.[o.name]?.[s.key] ?? s.value }, (v, done) => {
				if (isLive) send(v);
				else if (done) app.send({ do: "edit", path: s.path, value: v });
			});
			fields.set(s.key, field);
			(isLive ? live : again).push(field.node);
		}
		return el("div", null, live.length ? section("Settings", true, ...live) : null,
			again.length ? section("Starts the scene again", live.length === 0, ...again) : null,
			inFile(all.filter(s => !hasField(s))));
	}

	// What has no control is named, with what it does.
	function inFile(list) {
		if (list.length === 0) return null;
		const names = list.flatMap((s, i) => [i ? ", " : "", el("span", { title: s.help }, plain(s.key))]);
		return el("p", { class: "quiet in-file" }, "In the scene file: ", ...names, ".");
	}

	// ---- values that change by themselves ----
	function showValues() {
		const o = app.object;
		if (!o || app.tool !== "direct") return;
		const values = app.state.settings?.[o.name];
		for (const [key, value] of Object.entries(values || {})) fields.get(key)?.show(value);
		const told = app.state.examples?.[o.name];
		for (const { field, free, i } of strengths) {
			const v = told?.[i];
			free.hidden = typeof v !== "number";
			if (typeof v === "number") field.show(v);
		}
	}
	app.on("state", (state, message) => (message.settings || message.examples) && showValues());
	app.on("draw", () => {
		for (const { bar, column } of weights) {
			const w = column >= 0 ? app.numbers[column] : NaN, part = Number.isFinite(w)
				? Math.round(100 * Math.min(Math.max(w, 0), 1)) : 0;
			if (bar.dataset.part === String(part)) continue;
			bar.dataset.part = part;
			bar.firstChild.style.width = `${part}%`;
			bar.title = `its weight now: ${part} %`;
		}
	});

	// Digits pull an example to full while they are held.
	for (let k = 1; k <= 9; ++k)
		app.keys.add({ group: "Examples", keys: [String(k)], help: `held: example ${k} in full`, hidden: k > 1,
			label: k === 1 ? "1 … 9" : undefined, when: () => app.tool === "direct" && (app.object?.can?.example ??
			app.object?.engine === "match") && app.object.examples?.length >= k,
			down: () => app.send({ do: "example", object: app.object.name, example: k - 1, strength: 1 }),
			up: () => app.send({ do: "free", object: app.object.name, example: k - 1 }) });

	app.on("hello", build);
	app.on("select", build);
	app.on("tool", () => {
		build();
		body.scrollTop = 0;
	});
	app.on("gait", build);
}

export function cssColor(linear) {
	const c = linear.map(x => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));
	return `rgb(${c.join(" ")})`;
}
