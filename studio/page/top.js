// top.js: the bar above: name of the scene, tools, how it runs, what is shown, theme. And the layout: what panels leave
// free of the picture.

import { button, el, setText } from "./dom.js";
import { makeMenu } from "./menu.js";

const TOOLS = [
	["direct", "Direct", "Grab, push, pin and command", null],
	["pose", "Pose", "Make a pose with handles", "p"],
	["paint", "Paint", "Paint groups and weights", "b"],
	["place", "Place", "Move, turn, copy objects and colliders", "g"],
];

export function makeTop(app) {
	makeTools(app);
	makeBadge(app);
	makeLayout(app);
	const right = document.getElementById("top-right");
	right.append(makeViewButton(app), button("plots", "Plots", () => app.togglePlots(),
		{ key: "T", class: "icon-only" }),
		makeTheme(app), button("help", "Keys and help", () => app.showHelp(), { key: "?", class: "icon-only" }));
	document.getElementById("home").addEventListener("click", () => {
		if (app.hello?.mode === "scene") app.send({ do: "close" });
	});
	app.on("hello", ({ scene }) => {
		const title = document.getElementById("title");
		setText(title, scene ? scene.name : "");
		title.title = scene ? [scene.description, scene.copy ? `Changes are written to a copy in ${scene.folder}.`
			: scene.file].filter(Boolean).join("\n") : "";
	});
	const inScene = () => app.hello?.mode === "scene";
	const selection = (step) => {
		const count = app.hello.objects.length;
		if (count) app.select((app.selected + step + count) % count);
	};
	app.keys.add({ group: "Picture", keys: ["f"], help: "look at what is selected", when: inScene,
		down: () => app.view.frame(app.surfaceOf(app.selected)) });
	app.keys.add({ group: "Picture", keys: ["0"], help: "the scene's own camera", when: inScene,
		down: () => app.view.toHome() });
	app.keys.add({ group: "Picture", keys: ["v"], help: "follow what is selected, or not", when: inScene,
		down: () => app.toggleFollow() });
	app.keys.add({ group: "Picture", keys: ["n"], shift: false, help: "next object", when: inScene,
		down: () => selection(1) });
	app.keys.add({ group: "Picture", keys: ["n"], shift: true, help: "the object before", when: inScene,
		down: () => selection(-1) });
	app.toggleFollow = () => {
		const on = app.view.following < 0;
		app.view.follow(on ? app.surfaceOf(app.selected) : -1);
		app.tell("note", on ? `The camera follows ${app.object.name}.` : "The camera stays where it is.");
	};
	app.on("select", object => app.view.following >= 0 && app.view.follow(app.surfaceOf(object)));
}

function makeTools(app) {
	const bar = document.getElementById("tools");
	for (const [name, label, help, key] of TOOLS) {
		const node = button(name, `${label}: ${help}`, () => app.tool !== name && app.setTool(name),
			{ key: key?.toUpperCase(), text: label, role: "radio", class: "tool" });
		node.dataset.tool = name;
		bar.append(node);
		if (key) app.keys.add({ group: "Tools", keys: [key], help: `${label.toLowerCase()}: ${help.toLowerCase()}`,
			when: () => app.hello?.mode === "scene", down: () => app.setTool(name) });
	}
	app.keys.add({ group: "Tools", keys: ["Escape"], help: "back to directing", when: () => app.tool !== "direct",
		down: () => app.setTool("direct") });
	bar.addEventListener("keydown", event => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		const at = TOOLS.findIndex(t => t[0] === app.tool);
		app.setTool(TOOLS[(at + step + TOOLS.length) % TOOLS.length][0]);
		bar.querySelector("[aria-checked=true]").focus();
		event.preventDefault();
	});
	const mark = () => {
		for (const node of bar.children) {
			const on = node.dataset.tool === app.tool;
			node.setAttribute("aria-checked", String(on));
			node.tabIndex = on ? 0 : -1;
		}
	};
	app.on("tool", mark);
	mark();
}

function makeBadge(app) {
	const badge = document.getElementById("badge");
	const show = () => {
		const s = app.state;
		if (app.hello?.mode !== "scene") return setText(badge, "");
		const kind = !app.link?.open ? "lost" : s.error ? "error" : s.busy ? "busy" : s.replaying ? "replay" : s.playing
			? "live" : "still";
		badge.dataset.kind = kind;
		const busy = s.busy ? `${s.busy.what}${s.busy.done > 0 ? ` ${Math.round(100 * s.busy.done)} %` : " …"}` : "";
		setText(badge, { lost: "No connection", error: "Stopped", busy, replay: "Replay", live: "Live",
			still: "Paused" }[kind]);
	};
	app.on("state", show);
	app.on("hello", show);
	app.on("lost", show);
	app.on("open", show);
}

function makeTheme(app) {
	const set = theme => {
		if (theme) document.documentElement.dataset.theme = theme;
		else delete document.documentElement.dataset.theme;
	};
	const now = () => document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches
		? "dark" : "light");
	set(localStorage.getItem("limber-theme"));
	const turn = () => {
		const next = now() === "dark" ? "light" : "dark";
		localStorage.setItem("limber-theme", next);
		set(next);
		app.emit("theme");
	};
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.emit("theme"));
	app.keys.add({ group: "Window", keys: ["l"], help: "light or dark", down: turn });
	return button("theme", "Light or dark", turn, { key: "L", class: "icon-only" });
}

// ---- what is shown over the picture ----

function makeViewButton(app) {
	app.seen = { colors: "none", lines: [] };
	let asked = 0;
	app.on("show", () => {
		if (app.hello?.mode === "scene") asked = app.link.ask({ do: "show", overlay: true, colors: app.seen.colors,
			lines: app.seen.lines });
	});
	app.on("told", ({ level, seq }) => { // colours that this scene does not have
		if (level === "error" && seq === asked && app.seen.colors !== "none") app.show({ colors: "none" });
	});
	app.show = change => {
		Object.assign(app.seen, change);
		app.emit("show");
		if (app.seen.colors === "none") app.view.shown.forEach((item, i) => app.view.tint(i, null));
		for (const key of [...app.view.wires.keys()]) if (!app.seen.lines.includes(key >>> 24 ? "cage"
			: "lattice")) app.view.dropLines(key);
		app.view.dirty = true;
	};
	app.on("vertex-colors", (i, colors) => app.seen.colors !== "none" && app.tool !== "paint" &&
		app.view.tint(i, colors));
	makeLegend(app);
	const node = button("eye", "What is shown", () => {}, { class: "icon-only" });
	const menu = makeMenu(node, "What is shown", () => {
		const check = (label, on, act) => el("label", { class: "field flag" }, el("span", { class: "name" }, label),
			el("input", { type: "checkbox", role: "switch", checked: on, onchange: event =>
			act(event.target.checked) }));
		const part = (key, label) => check(label, app.shows[key], on => (app.shows[key] = on, app.view.dirty = true));
		const line = name => check(name === "cage" ? "Cage" : "Lattice", app.seen.lines.includes(name), on =>
			app.show({ lines: on ? [...app.seen.lines, name] : app.seen.lines.filter(x => x !== name) }));
		const groups = app.object?.groups?.map(g => [`groups:${g.name}`, `group ${g.name}`]) || [];
		const select = el("select", { "aria-label": "Colours", onchange: () => app.show({ colors: select.value }) },
			...[["none", "its own"], ["regions", "regions"], ["weights", "weights"], ["strain", "strain"],
				...groups].map(([value, label]) => el("option", { value }, label)));
		select.value = app.seen.colors;
		return [el("h2", null, "Show"), part("centre", "Centre of mass"), part("trail", "Trail of 2 s"),
			part("contacts", "Contact and support"),
			line("lattice"), line("cage"), el("label", { class: "field choice" }, el("span", { class: "name" },
				"Colours"), select),
			check("Follow the selected", app.view.following >= 0, () => app.toggleFollow()),
			el("button", { type: "button", class: "wide", onclick: () => app.view.toHome() }, "The scene's camera"),
			el("button", { type: "button", class: "wide", onclick: () => keepCamera(app) },
				"Keep this camera in the scene")];
	});
	app.keys.add({ group: "Picture", keys: ["o"], help: "what is shown", when: () => app.hello?.mode === "scene",
		down: () => menu.open() });
	return node;
}

// What the colours mean, where the studio says so.
function makeLegend(app) {
	const legend = el("div", { id: "legend", role: "note", "aria-label": "What the colours mean", hidden: true });
	document.getElementById("low").prepend(legend);
	app.on("colors", ({ names = [] }) => {
		legend.replaceChildren(...names.slice(0, 24).map(n => {
			const swatch = el("span", { class: "swatch" });
			if (n.rgb) swatch.style.background = `rgb(${n.rgb.join(" ")})`;
			return el("span", { class: "row" }, swatch, n.name ?? n);
		}));
		legend.hidden = names.length === 0 || app.seen.colors === "none";
	});
	app.on("show", () => legend.hidden ||= app.seen.colors === "none");
	app.on("hello", () => legend.hidden = true);
}

function keepCamera(app) {
	const { eye, target, fov } = app.view.orbit, exact = v => v.map(x => Number(x.toFixed(4)));
	app.send({ do: "edit", path: ["camera"], value: { eye: exact(eye), target: exact(target), fov } });
}

// ---- layout ----

function makeLayout(app) {
	const free = id => {
		const box = document.getElementById(id).getBoundingClientRect();
		return box.width > 0 && box.height > 0 ? box : null;
	};
	const measure = () => {
		const width = window.innerWidth, height = window.innerHeight;
		const panel = free("panel"), plots = free("plots"), top = free("top"), below = free("transport"),
			dock = free("commands");
		const root = document.documentElement.style;
		const low = below ? height - below.top : 0;
		root.setProperty("--low", `${low + 8}px`);
		root.setProperty("--left", `${panel ? panel.right : 0}px`);
		root.setProperty("--right", `${plots ? width - plots.left : 0}px`);
		const insets = [panel ? panel.right : 0, top ? top.bottom : 0, plots ? width - plots.left : 0,
			low + (dock ? dock.height + 8 : 0)];
		app.view.resize(width, height, insets);
		app.emit("resize", width, height);
	};
	window.addEventListener("resize", measure);
	new ResizeObserver(measure).observe(document.getElementById("transport"));
	app.on("layout", () => requestAnimationFrame(measure));
	app.on("hello", () => requestAnimationFrame(measure));
	app.on("tool", () => requestAnimationFrame(measure));
	measure();
}
