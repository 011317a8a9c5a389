// notes.js: what the studio has to say: errors, things that were kept, questions.

import { button, el, setText } from "./dom.js";

const SHOWN = { note: 4000, saved: 6000, error: 9000 }; // milliseconds; "wait" is shown until it is over
const PATIENCE = 300;

export function makeNotes(app) {
	const list = document.getElementById("notes");
	app.toldTexts = [];

	app.tell = (level, text, ...buttons) => {
		if (level !== "wait") app.toldTexts.push(`${level}: ${text}`);
		if (app.toldTexts.length > 100) app.toldTexts.shift();
		for (const old of list.children) if (old.dataset.text === text) old.remove();
		const close = () => note.remove();
		const actions = buttons.map(([label, act]) => el("button", { type: "button", class: "plain",
			onclick: () => (close(), act()) }, label));
		const note = el("div", { class: `note ${level}`, role: level === "error" ? "alert" : "status" },
			el("p", null, text), ...actions, button("close", "Close", close, { class: "plain icon-only" }));
		note.dataset.text = text;
		list.append(note);
		while (list.children.length > 3) list.firstChild.remove();
		if (buttons.length === 0 && SHOWN[level]) setTimeout(close, SHOWN[level]);
		else if (level === "saved") setTimeout(close, 3 * SHOWN.saved);
		return note;
	};

	app.on("told", ({ level, text, file }) => {
		if (level !== "saved" || !file || !text.endsWith(file)) return app.tell(level, text);
		const another = file.endsWith(".json") && app.hello.scene && app.hello.scene.file.split("/").pop() !== file;
		const buttons = another ? [["Open it", () => app.open(file)]] : [];
		app.tell(level, `Saved: ${text}`, ...buttons);
	});

	window.addEventListener("say", event => app.tell("note", event.detail));

	// A scene or a mesh is opened; what takes a while is said to go on.
	let opening = null;
	app.open = name => {
		app.send({ do: "open", scene: name });
		opened();
		opening = setTimeout(() => opening = app.tell("wait", `Opening ${name} …`), PATIENCE);
	};
	const opened = () => {
		clearTimeout(opening);
		opening?.remove?.();
		opening = null;
	};
	app.on("hello", opened);
	app.on("told", ({ level }) => level === "error" && opened());
	app.on("lost", opened);

	let lost = null;
	app.on("lost", async (event, tries) => {
		lost ||= app.tell("error", "The studio does not answer. Trying again …", ["Try now", () => location.reload()]);
		// A studio that answers, but not to this page, has been started anew: its token is another.
		if (tries < 1 || lost.dataset.foreign || !(await fetch("/favicon.ico").catch(() => null))?.ok || !lost) return;
		lost.dataset.foreign = "1";
		setText(lost.querySelector("p"), "This page is of an earlier run of the studio, or lacks its token: use the page that opened, " +
			"or the address that was printed. Nothing is lost.");
	});
	app.on("open", () => {
		lost?.remove();
		lost = null;
	});

	app.on("hello", ({ recover, left }) => {
		if (left && !app.leftAsked) {
			app.leftAsked = true;
			app.tell("note", `An earlier session left something in ${left}.`, ["Open it", () => app.open(left)]);
		}
		if (recover && !app.recoverAsked) {
			app.recoverAsked = true;
			const size = recover.commands > 0 ? ` (${recover.commands} commands, ${recover.frames} frames)` : "";
			app.tell("note", recover.text.replace(/\.$/, "") + size + ".",
				["Bring it back", () => app.send({ do: "recover", yes: true })],
				["Start anew", () => app.send({ do: "recover", yes: false })]);
		}
	});
}

// A question with a line of text. Calls answer(text) on Enter or the button.
export function askText(title, value, label, answer, hint) {
	const dialog = document.getElementById("ask");
	const input = el("input", { type: "text", value, "aria-label": title, maxlength: "60", spellcheck: "false",
		autocomplete: "off" });
	const form = el("form", { method: "dialog", onsubmit: event => {
		event.preventDefault();
		dialog.close();
		if (input.value.trim()) answer(input.value.trim());
	} }, el("h2", null, title), hint ? el("p", { class: "quiet" }, hint) : null, input,
	el("div", { class: "row end" }, el("button", { type: "button", class: "plain", onclick: () => dialog.close() },
		"Cancel"),
		el("button", { class: "main" }, label)));
	dialog.replaceChildren(form);
	dialog.showModal();
	input.select();
}

// A question with a few answers: [[label, act], ...], the first is the likely one.
export function askChoice(title, text, choices) {
	const dialog = document.getElementById("ask");
	const buttons = choices.map(([label, act], i) =>
		el("button", { type: "button", class: i === 0 ? "main" : "", onclick: () => (dialog.close(), act()) }, label));
	dialog.replaceChildren(el("form", { method: "dialog" }, el("h2", null, title), el("p", { class: "quiet" }, text),
		el("div", { class: "row end" }, el("button", { type: "button", class: "plain", onclick: () => dialog.close() },
			"Cancel"), ...buttons.reverse())));
	dialog.showModal();
	dialog.querySelector(".main").focus();
}
