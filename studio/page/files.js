// files.js: files that are dropped on the page, or chosen: scenes are opened with the meshes that came along, a mesh alone
// is opened, or added to the open scene.

import { askChoice } from "./notes.js";

const MESH = /\.(obj|ply|stl|msh|node)$/i, SCENE = /\.json$/i;
const LIMIT = 64 * 1024 * 1024;

// As the studio names files: "My Bear (1).OBJ" -> "my-bear-1.obj".
const safeName = name => {
	const dot = name.lastIndexOf("."), stem = dot > 0 ? name.slice(0, dot) : name;
	const ending = dot > 0 ? name.slice(dot) : "";
	const clean = /^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/.test(stem) ? stem
		: stem.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "file";
	return clean.slice(0, 80) + ending.toLowerCase();
};

// The scene's text with the names under which its files were stored; it may have named them with folders.
function renamed(text, stored) {
	const walk = value => {
		if (typeof value === "string") return stored.get(value.split(/[\\/]/).pop()) ?? value;
		if (Array.isArray(value)) return value.map(walk);
		if (!value || typeof value !== "object") return value;
		return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v)]));
	};
	let scene;
	try {
		scene = JSON.parse(text);
	} catch {
		return text; // the studio says what is wrong with it
	}
	const changed = walk(scene);
	return JSON.stringify(changed) === JSON.stringify(scene) ? text : JSON.stringify(changed, null, "\t");
}

export function makeFiles(app) {
	const cover = document.getElementById("drop");
	let depth = 0, objects = Infinity;
	const carriesFiles = event => [...(event.dataTransfer?.types || [])].includes("Files");
	const show = on => cover.hidden = !on;

	window.addEventListener("dragenter", event => {
		if (!carriesFiles(event)) return;
		event.preventDefault();
		++depth;
		show(true);
	});
	window.addEventListener("dragleave", () => show((depth = Math.max(0, depth - 1)) > 0));
	window.addEventListener("dragover", event => carriesFiles(event) && event.preventDefault());
	window.addEventListener("drop", event => {
		if (!carriesFiles(event)) return;
		event.preventDefault();
		depth = 0;
		show(false);
		app.bring([...event.dataTransfer.files], [event.clientX, event.clientY]);
	});

	// `at`: pixels of where they were dropped.
	app.bring = async (files, at) => {
		const large = files.find(f => f.size > LIMIT);
		if (large) return app.tell("error", `${large.name} is larger than 64 MB: put it beside the scene by hand.`);
		const scenes = files.filter(f => SCENE.test(f.name)), others = files.filter(f => !SCENE.test(f.name));
		const stored = new Map();
		try {
			for (const file of others) stored.set(file.name, await app.link.upload(file, safeName(file.name)));
			for (const file of scenes) {
				const text = renamed(await file.text(), stored);
				stored.set(file.name, await app.link.upload(new Blob([text]), safeName(file.name)));
			}
		} catch (error) {
			return app.tell("error", error.message);
		}
		const mesh = others.find(f => MESH.test(f.name));
		if (scenes.length) app.send({ do: "open", scene: stored.get(scenes[0].name) });
		else if (mesh) meet(stored.get(mesh.name), at);
		else if (files.length) app.tell("note", `Stored ${[...stored.values()].join(", ")}.`);
	};

	function meet(name, at) {
		const open = () => app.send({ do: "open", scene: name });
		if (app.hello.mode !== "scene") return open();
		const [x, , z] = (at && app.view.pickGround(...at)) || app.view.orbit.target;
		const add = engine => () => {
			objects = app.hello.objects.length;
			app.send({ do: "add", object: { mesh: name, engine, near: [Number(x.toFixed(3)), Number(z.toFixed(3))] } });
		};
		askChoice(name, "Add it to this scene, or open it by itself?", [["Add as a character", add("act")],
			["Add as a soft body", add("match")], ["Open it", open]]);
	}
	app.on("hello", ({ objects: list = [] }) => { // what was added is what one has in hand
		if (list.length > objects) requestAnimationFrame(() => app.select(list.length - 1));
		objects = Infinity;
	});
}
