// files.js: files that are dropped on the page, or chosen: scenes are opened with the meshes that came along, a mesh alone
// is opened, or added to the open scene.

import { askChoice } from "./notes.js";

const MESH = /\.(obj|ply|stl|msh|node)$/i, SCENE = /\.json$/i;
const LIMIT = 64 * 1024 * 1024;

export function makeFiles(app) {
	const cover = document.getElementById("drop");
	let depth = 0;
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
		app.bring([...event.dataTransfer.files]);
	});

	app.bring = async files => {
		const large = files.find(f => f.size > LIMIT);
		if (large) return app.tell("error", `${large.name} is larger than 64 MB.`);
		if (files.length === 0) return;
		const stored = new Map();
		try {
			for (const file of files) stored.set(file.name, await app.link.upload(file));
		} catch (error) {
			return app.tell("error", error.message);
		}
		const scene = files.find(f => SCENE.test(f.name)), mesh = files.find(f => MESH.test(f.name));
		if (scene) app.send({ do: "open", scene: stored.get(scene.name) });
		else if (!mesh) app.tell("note", `Stored ${[...stored.values()].join(", ")}.`);
		else meet(stored.get(mesh.name));
	};

	function meet(name) {
		const open = () => app.send({ do: "open", scene: name });
		if (app.hello.mode !== "scene") return open();
		const [x, , z] = app.view.orbit.target;
		const add = engine => () => app.send({ do: "add", object: { mesh: name, engine, position: [Number(x.toFixed(3)),
			0, Number(z.toFixed(3))] } });
		askChoice(name, "Add it to this scene, or open it by itself?", [["Add as a soft body", add("match")],
			["Open it", open]]);
	}
}
