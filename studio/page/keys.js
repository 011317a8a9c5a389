// keys.js: one table of keys. It handles them, and `?` lists it. Keys act only while the picture (or nothing) has the
// focus; repeats are dropped; when the window loses the focus, everything that is held is let go.

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
export const keyName = key => NAMES[key] || (key.length === 1 ? key.toUpperCase() : key);

export function makeKeys(app) {
	const table = [];
	const held = new Map(); // key -> entry

	// { keys: ["a", "ArrowLeft"], group, help, shift: true|false|undefined, down(event), up(), when() }
	app.keys = {
		table,
		held,
		add(entry) {
			table.push(entry);
			return entry;
		},
		remove(group) {
			for (let i = table.length - 1; i >= 0; --i) if (table[i].group === group) table.splice(i, 1);
		},
		release() {
			for (const [key, entry] of [...held]) {
				held.delete(key);
				if (entry.up) entry.up(key);
			}
		},
	};

	const free = () => {
		const focus = document.activeElement;
		return (!focus || focus === document.body || focus === app.picture) && !document.querySelector("dialog[open]");
	};

	window.addEventListener("keydown", event => {
		if (event.ctrlKey || event.metaKey) return modified(event);
		if (event.altKey || !free()) return;
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		const entry = table.find(e => !e.ctrl && e.keys.includes(key) && (e.shift === undefined ||
			e.shift === event.shiftKey) && (!e.when || e.when()));
		if (!entry) return;
		event.preventDefault();
		if (event.repeat || held.has(key)) return;
		if (entry.up) held.set(key, entry);
		entry.down(key, event);
	});

	function modified(event) {
		if (document.activeElement?.matches("input[type=text], input[type=number]") ||
			document.querySelector("dialog[open]")) return;
		const key = event.key.toLowerCase();
		const entry = table.find(e => e.ctrl && e.keys.includes(key) && (e.shift === undefined ||
			e.shift === event.shiftKey) && (!e.when || e.when()));
		if (!entry) return;
		event.preventDefault();
		if (!event.repeat) entry.down(key, event);
	}

	window.addEventListener("keyup", event => {
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, entry = held.get(key);
		if (!entry) return;
		held.delete(key);
		entry.up(key, event);
	});

	const letGo = () => {
		app.keys.release();
		app.emit("let-go");
	};
	window.addEventListener("blur", letGo);
	document.addEventListener("visibilitychange", () => document.hidden && letGo());
	app.picture.addEventListener("blur", () => app.keys.release());
	app.on("lost", letGo);

	// Buttons that were clicked give the focus back, so that keys go on working; those reached by Tab keep it.
	document.addEventListener("click", event => {
		if (event.detail > 0 && event.target.closest("button") && app.hello?.mode === "scene" &&
			!document.querySelector("dialog[open]") &&
			!document.querySelector(".menu:not([hidden])")) app.picture.focus({ preventScroll: true });
	});
	document.addEventListener("change", event => {
		if (event.target.matches("input[type=range]") &&
			event.target.dataset.pointer) app.picture.focus({ preventScroll: true });
	});
	document.addEventListener("pointerdown", event => {
		if (event.target.matches?.("input[type=range]")) event.target.dataset.pointer = "1";
	});
	document.addEventListener("keydown", event => {
		if (event.target.matches?.("input[type=range]")) delete event.target.dataset.pointer;
		if (event.key === "Escape" && event.target.closest?.("#panel, #transport, #top, #commands, #plots")) app.picture.focus();
	});
}
