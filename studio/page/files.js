// files.js: files and folders that are dropped on the page, or chosen: scenes are opened with the meshes that came along
// or come later, a mesh alone is opened, or added to the open scene.

import { askChoice } from "./notes.js";

const MESH = /\.(obj|ply|stl|msh|node)$/i, SCENE = /\.json$/i, WANTED = /\.(json|obj|ply|stl|msh|node|ele|pc2|mdd|take|mtl)$/i;
const NEEDED = /\.(obj|ply|stl|msh|node|pc2|mdd)$/i; // what a scene names in order to have it
const OTHER_MODELS = /\.(glb|gltf|fbx|blend|dae|abc|usd[acz]?|3ds|max|ma|mb|c4d|x3d|3mf|step|stp)$/i;
const LIMIT = 64 * 1024 * 1024;
const MOST = 500; // files of a folder
const MANY = 8; // meshes that are added at once; more are a sequence

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

// The files without which the scene cannot be opened, by their names without folders.
function neededBy(text) {
	const names = new Set();
	const walk = (value, key) => {
		if (typeof value === "string") {
			if (NEEDED.test(value) && !/^[/\\]|[{]/.test(value) && key !== "name" &&
				key !== "description") names.add(value.split(/[\\/]/).pop());
		} else if (Array.isArray(value)) value.forEach(v => walk(v, key));
		else if (value && typeof value === "object") for (const [k, v] of Object.entries(value)) walk(v, k);
	};
	try {
		walk(JSON.parse(text));
	} catch {
		return []; // the studio says what is wrong with it
	}
	return [...names];
}

const readEntries = reader => new Promise((good, bad) => reader.readEntries(good, bad));

// All files of a folder and its folders, as [file, whether it came in a folder]; a file's own entry is itself.
async function filesOf(entry, found, deep = false) {
	if (found.length >= MOST) return;
	if (entry.isFile) return void found.push([await new Promise((good, bad) => entry.file(good, bad)), deep]);
	const reader = entry.createReader();
	for (let some; (some = await readEntries(reader)).length > 0;) // they come by the hundred
		for (const one of some) await filesOf(one, found, true);
}

// What was dropped: files, and of folders what can be of use.
async function dropped(entries, files) {
	if (!entries.some(entry => entry?.isDirectory)) return files;
	const found = [];
	for (const entry of entries) if (entry) await filesOf(entry, found);
	return found.filter(([file, deep]) => !deep || WANTED.test(file.name)).map(([file]) => file);
}

function whyNot(name) {
	const takes = "limber opens scenes (.json) and meshes (.obj, .ply, .stl, .msh)";
	if (OTHER_MODELS.test(name)) return `${name}: ${takes}. Export it as one of these.`;
	return `${name} is neither a scene nor a mesh: ${takes}, and takes caches (.pc2, .mdd) along.`;
}

export function makeFiles(app) {
	const cover = document.getElementById("drop");
	let depth = 0, objects = Infinity;
	let later = []; // meshes that are to be added to what is being opened
	let waiting = null; // a scene that came without its files: { scene, missing, note }
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
		const { items, files } = event.dataTransfer, at = [event.clientX, event.clientY];
		dropped([...items].map(item => item.webkitGetAsEntry?.()), [...files]).then(list => list.length > 0
			? app.bring(list, at) : app.tell("note", "There is no scene and no mesh in this folder."),
			() => app.tell("error", "What was dropped cannot be read."));
	});

	// Stores files, scenes last: they are to name the others as those are stored. Returns the names by the files' own.
	async function store(scenes, others) {
		const stored = new Map();
		for (const file of others) stored.set(file.name, await app.link.upload(file, safeName(file.name)));
		const there = new Map((app.hello.files || []).map(name => [name, name]));
		for (const file of scenes) {
			const text = await file.text(), needed = neededBy(text), names = new Map(stored);
			for (const name of needed) if (!names.has(name) && there.has(safeName(name))) names.set(name, safeName(name));
			const missing = needed.filter(name => !names.has(name));
			if (missing.length > 0 && file === scenes[0]) waiting = { scene: file, others, missing };
			stored.set(file.name, await app.link.upload(new Blob([renamed(text, names)]), safeName(file.name)));
		}
		return stored;
	}

	// A scene whose files were forgotten waits for them.
	function askFor({ scene, missing }, open) {
		const few = missing.slice(0, 4).join(", ") + (missing.length > 4 ? ` and ${missing.length - 4} more` : "");
		waiting.note = app.tell("note", `${scene.name} needs ${few}: drop ${missing.length > 1 ? "them" : "it"} here, too.`,
			["Open without", open]);
	}

	// `at`: pixels of where they were dropped.
	app.bring = async (given, at) => {
		for (const file of given) {
			if (!WANTED.test(file.name)) app.tell("error", whyNot(file.name));
			else if (file.size > LIMIT) app.tell("error", `${file.name} is larger than 64 MB: put it beside the scene by hand.`);
		}
		let files = given.filter(f => WANTED.test(f.name) && f.size <= LIMIT);
		if (files.length === 0) return;
		if (waiting && files.some(f => waiting.missing.includes(f.name))) {
			waiting.note?.remove();
			files = [waiting.scene, ...waiting.others, ...files];
		}
		waiting = null;
		const scenes = files.filter(f => SCENE.test(f.name)), others = files.filter(f => !SCENE.test(f.name));
		let stored;
		try {
			stored = await store(scenes, others);
		} catch (error) {
			return app.tell("error", error instanceof TypeError ? "A file cannot be read." : error.message);
		}
		const meshes = others.filter(f => MESH.test(f.name)).map(f => stored.get(f.name));
		const open = () => app.open(stored.get(scenes[0].name));
		if (waiting) askFor(waiting, open);
		else if (scenes.length) open();
		else if (meshes.length > MANY) app.tell("note", `Stored ${meshes.length} meshes. Drop a few of them, or a scene that names them.`);
		else if (meshes.length > 0) meet(meshes, at);
		else app.tell("note", `Stored ${[...stored.values()].join(", ")}.`);
	};

	// The first may be opened by itself; the others then come into its scene.
	function meet(names, at) {
		const open = () => {
			later = names.slice(1);
			app.open(names[0]);
		};
		if (app.hello.mode !== "scene") return open();
		const [x, , z] = (at && app.view.pickGround(...at)) || app.view.orbit.target;
		const near = [Number(x.toFixed(3)), Number(z.toFixed(3))];
		askChoice(names.join(", "), names.length > 1 ? "Add them to this scene, or open them by themselves?" :
			"Add it to this scene, or open it by itself?", [["Add as a character", () => add(names, "act", near)],
			["Add as a soft body", () => add(names, "match", near)], [names.length > 1 ? "Open them" : "Open it", open]]);
	}

	function add(names, engine, near) {
		objects = app.hello.objects.length;
		for (const mesh of names) app.send({ do: "add", object: { mesh, engine, near } });
	}

	app.on("told", ({ level }) => level === "error" && (later = []));
	app.on("hello", ({ mode, objects: list = [] }) => { // what was added is what one has in hand
		if (list.length > objects) requestAnimationFrame(() => app.select(list.length - 1));
		objects = Infinity;
		if (mode !== "scene" || later.length === 0) return;
		const names = later;
		later = [];
		add(names, list[0].engine, [0, 0]);
	});
}
