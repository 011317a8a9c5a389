// gallery.js: the page of pictures: every scene of the gallery, and what lies in the folder.

import { el } from "./dom.js";

const ENGINES = {
	match: ["Soft bodies that remember poses", "Example-based elastic bodies: grab them."],
	act: ["Characters", "They stand, hop, walk, roll and crawl: hold an arrow key."],
	together: ["Together", "Soft bodies, characters and cloth in one world."],
	track: ["Cloth that follows", "Shells that track a coarse animation."],
	design: ["Motion by design", "Keyframed shapes and what lies between."],
};

export function makeGallery(app) {
	const page = document.getElementById("gallery");

	const images = new Map(); // by scene: pictures that are not made yet come when the studio says so
	app.on("pictures", ({ names }) => {
		for (const found of names.map(name => images.get(name)))
			if (found && !found.image.src) found.image.src = found.picture;
	});

	function card({ name, title, description, picture, engine, ready }) {
		const image = el("img", { alt: "", loading: "lazy", width: "320", height: "180" });
		image.addEventListener("error", () => image.classList.add("missing"));
		image.addEventListener("load", () => image.classList.remove("missing"));
		images.set(name, { image, picture });
		if (ready === false) image.classList.add("missing");
		else image.src = picture;
		return el("button", { type: "button", class: "card", onclick: () => app.open(name), title: description,
			"aria-label": `${title || name}. ${description || ""}` },
			el("span", { class: `frame ${engine}` }, image), el("b", null, title || name),
				el("span", { class: "quiet" }, description || ""));
	}

	function build({ gallery = [], files = [], version }) {
		const engines = [...new Set(gallery.map(g => g.engine))];
		const order = [...Object.keys(ENGINES).filter(e => engines.includes(e)), ...engines.filter(e => !ENGINES[e])];
		const find = el("input", { type: "search", placeholder: "Find a scene", "aria-label": "Find a scene",
			oninput: () => filter(find.value.toLowerCase()) });
		const pick = el("input", { type: "file", multiple: true, hidden: true, "aria-hidden": "true", tabindex: "-1",
			onchange: () => app.bring([...pick.files]) });
		page.replaceChildren(
			el("header", null, el("div", { class: "grow" }, el("h1", null, "limber"), el("p", { class: "quiet" },
				`Choose a scene, or drop a mesh or a scene here. Version ${version}.`)),
				find, el("button", { type: "button", onclick: () => pick.click() }, "Open a file …"), pick),
			files.length ? el("section", null, el("h2", null, "Yours"), el("div", { class: "files" },
				...files.map(f => el("button", { type: "button", onclick: () => app.open(f) }, f)))) : "",
			...order.map(e => el("section", null, el("h2", null, ENGINES[e]?.[0] || e), el("p", { class: "quiet" },
				ENGINES[e]?.[1] || ""),
				el("div", { class: "cards" }, ...gallery.filter(g => g.engine === e).map(card)))));
	}

	function filter(text) {
		for (const section of page.querySelectorAll("section")) {
			let any = false;
			for (const item of section.querySelectorAll(".card, .files button")) {
				item.hidden = !item.textContent.toLowerCase().includes(text) &&
					!(item.title || "").toLowerCase().includes(text);
				any ||= !item.hidden;
			}
			section.hidden = !any;
		}
	}

	app.on("hello", hello => {
		page.hidden = hello.mode !== "gallery";
		if (!page.hidden) build(hello);
	});
}
