// help.js: the list of keys, made from the table that handles them, and the one hint of a first visit.

import { button, el } from "./dom.js";
import { keyName } from "./keys.js";

const HAND = [
	["drag a body", "grab it; the wheel meanwhile brings it closer"],
	["Shift and flick", "push it"],
	["double click", "pin it there, or take a pin away"],
	["click", "select; on the ground: go there"],
	["drag the background", "look around"],
	["right drag, two fingers", "move the picture"],
	["wheel, pinch", "closer, farther"],
];

export function makeHelp(app) {
	const dialog = document.getElementById("help");
	const label = e => e.label || [...new Set(e.keys.map(k => (e.shift ? "Shift " : "") + keyName(k)))].join("  ");

	app.showHelp = () => {
		const groups = new Map();
		for (const e of app.keys.table) if (!e.hidden) groups.set(e.group, [...(groups.get(e.group) || []), e]);
		const part = (title, rows) => el("section", null, el("h3", null, title),
			el("dl", null, ...rows.flatMap(([a, b]) => [el("dt", null, ...a.split("  ").map(k => el("kbd", null, k))),
			el("dd", null, b)])));
		dialog.replaceChildren(el("div", { class: "row" }, el("h2", { class: "grow" }, "Keys and gestures"),
			button("close", "Close", () => dialog.close(), { class: "plain icon-only" })),
			el("div", { class: "columns" }, part("By hand", HAND),
				...[...groups].map(([title, list]) => part(title, list.map(e => [label(e), e.help])))));
		dialog.showModal();
	};
	dialog.addEventListener("click", event => event.target === dialog && dialog.close());
	app.keys.add({ group: "Window", keys: ["?"], help: "this list", down: () => app.showHelp() });

	const hint = document.getElementById("hint");
	const first = o => o?.can?.grab ? `Drag the body, ${o.can.command ? "hold an arrow key, " : ""}` :
		o ? "Choose Pose to bend the body, drag the playhead, " : "";
	const write = () => hint.replaceChildren(el("span", null, first(app.object), "press ", el("kbd", null, "?"),
		" for keys"));
	let wanted = false;
	const show = () => hint.hidden = !wanted || app.tool !== "direct";
	app.on("hello", ({ mode }) => {
		wanted = mode === "scene" && localStorage.getItem("limber-hint") !== "seen";
		show();
		write();
	});
	app.on("tool", show);
	app.on("select", write);
	app.on("grabbed", () => {
		if (!wanted) return;
		wanted = false;
		show();
		localStorage.setItem("limber-hint", "seen");
	});
}
