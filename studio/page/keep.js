// keep.js: the menus of takes, and of what can be kept: takes, scenes, caches, videos, pictures, with their progress.

import { button, el, setText } from "./dom.js";
import { makeMenu } from "./menu.js";

const KINDS = [
	["take", "Take", "what was told, repeated exactly by `limber run --take`"],
	["scene", "Scene", "a scene with this performance as its timeline"],
	["video", "Video", "through limber's own renderer (.mp4)"],
	["picture", "Picture", "this frame, through limber's own renderer (.png)"],
	["pc2", "Point cache PC2", "for Blender and others"],
	["mdd", "Point cache MDD", "for other programs"],
];

export const cleanName = text => text.toLowerCase().replace(/[^a-z0-9-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);

export function makeKeepMenu(app, opener) {
	const jobs = el("div", { class: "jobs", role: "status", "aria-label": "Being written" });
	document.getElementById("low").prepend(jobs);
	let waiting = null;

	makeMenu(opener, "Keep", close => {
		const kept = app.hello.takes?.length || 0;
		const name = el("input", { type: "text", value: `${cleanName(app.hello.scene.name) || "scene"}-${kept + 1}`,
			"aria-label": "Name", maxlength: "60", spellcheck: "false" });
		const keep = as => {
			const chosen = cleanName(name.value);
			if (!chosen) return name.focus();
			// as it is seen now
			const { eye, target, fov } = app.view.orbit, seen = as === "picture" || as === "video"
				? { camera: { eye, target, fov } } : {};
			waiting = { as, name: chosen, seen, seq: app.link.ask({ do: "keep", as, name: chosen, overwrite: false,
				...seen }) };
			close(true);
			app.picture.focus();
		};
		name.addEventListener("keydown", event => event.key === "Enter" && keep("take"));
		return [el("h2", null, "Keep as"), el("label", { class: "labelled" }, "Name", name),
			...KINDS.map(([as, label, help]) => el("button", { type: "button", class: "wide two",
				onclick: () => keep(as) }, el("b", null, label), el("span", { class: "quiet" }, help)))];
	});

	// Never over a file without being told.
	app.on("told", ({ level, seq, text }) => {
		if (!waiting || seq !== waiting.seq) return;
		const { as, name, seen } = waiting;
		waiting = null;
		if (level === "error" && /exist|already/.test(text))
			app.tell("note", `Write over ${name}?`,
				["Write over it", () => app.link.ask({ do: "keep", as, name, overwrite: true, ...seen })]);
	});

	app.on("state", ({ jobs: list = [] }) => {
		const known = new Map([...jobs.children].map(node => [node.dataset.job, node]));
		for (const { id, as, name, done } of list) {
			let node = known.get(String(id));
			known.delete(String(id));
			if (!node) {
				node = el("div", { class: "job" }, el("span"),
					el("progress", { max: "1", value: "0", "aria-label": `${as} ${name}` }),
					button("close", "Stop this", () => app.send({ do: "cancel", job: id }),
						{ class: "plain icon-only" }));
				node.dataset.job = id;
				jobs.append(node);
			}
			setText(node.firstChild, `${name}: ${as}`);
			if (done >= 0) node.children[1].value = done;
		}
		for (const node of known.values()) node.remove();
	});
}

export function makeTakesMenu(app, opener) {
	const menu = makeMenu(opener, "Takes", close => {
		const list = app.hello.takes || [], fps = app.hello.scene.fps;
		if (list.length === 0) return [el("h2", null, "Takes"), el("p", { class: "quiet" },
			"None kept yet. Everything that you do is in the current take: Keep, Take gives it a name.")];
		return [el("h2", null, "Takes"), ...list.map(({ name, frames, commands }) => el("button",
			{ type: "button", class: "wide two", onclick: () => {
			app.send({ do: "take", name });
			close(true);
			app.picture.focus();
		} }, el("b", null, name), el("span", { class: "quiet" },
			`${(frames / fps).toFixed(1)} s, ${commands} commands`)))];
	});
	app.on("hello", () => menu.refresh());
	app.on("takes", ({ takes }) => {
		app.hello.takes = takes;
		menu.refresh();
	});
}
