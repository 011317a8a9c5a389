// plots.js: the last ten seconds of any numbers of the world, each drawn to its own range.

import { button, el, plain, setText, short, unit } from "./dom.js";
import { makeMenu } from "./menu.js";

const SECONDS = 10, MOST = 1024; // frames kept
const FIRST = ["kinetic_energy", "speed", "frame_seconds"];

export function makePlots(app) {
	const card = document.getElementById("plots");
	let columns = [];  // { column, node, canvas, now }
	let all = new Float32Array(0); // of every number, MOST values each: what is chosen late has its past, too
	const frames = new Int32Array(MOST);
	let next = 0, count = 0, drawnAt = 0;

	const list = el("div", { class: "plots" });
	const choose = button("plus", "Choose numbers", () => {}, { class: "plain icon-only" });
	card.append(el("div", { class: "row" }, el("h2", { class: "grow" }, "Last 10 s"), choose,
		button("close", "Close the plots", () => app.togglePlots(), { class: "plain icon-only" })), list);

	app.togglePlots = () => {
		card.hidden = !card.hidden;
		app.emit("layout");
	};
	app.keys.add({ group: "Window", keys: ["t"], help: "plots on or off", when: () => app.hello?.mode === "scene",
		down: () => app.togglePlots() });

	const label = n => (n.object >= 0 && app.hello.objects.length > 1 ? `${app.hello.objects[n.object].name}: ` : "") +
		plain(n.name);

	makeMenu(choose, "Numbers", () => {
		const boxes = app.hello.numbers.map((n, i) => el("label", { class: "field flag", title: n.help },
			el("span", { class: "name" }, label(n)),
			el("input", { type: "checkbox", checked: columns.some(c => c.column === i), onchange: event =>
				(event.target.checked ? add(i) : remove(i)) })));
		return [el("h2", null, "Numbers"), el("div", { class: "scroll" }, ...boxes)];
	});

	function add(column) {
		const n = app.hello.numbers[column], canvas = el("canvas"), now = el("b");
		const node = el("figure", { title: n.help }, el("figcaption", null, el("span", { class: "grow" }, label(n)),
			now, el("span", { class: "unit" }, unit(n.unit))), canvas);
		columns.push({ column, node, canvas, pen: canvas.getContext("2d"), now, width: 0, height: 0 });
		list.append(node);
		save();
	}

	function remove(column) {
		columns.find(c => c.column === column)?.node.remove();
		columns = columns.filter(c => c.column !== column);
		save();
	}

	const save = () => sessionStorage.setItem("limber-plots",
		JSON.stringify(columns.map(c => app.hello.numbers[c.column].name)));

	app.on("hello", ({ numbers }, same) => {
		next = count = 0;
		all = new Float32Array((numbers || []).length * MOST);
		if (same && columns.every(c => c.column < numbers.length)) return;
		const wanted = JSON.parse(sessionStorage.getItem("limber-plots") || "null") || FIRST;
		columns = [];
		list.replaceChildren();
		for (const name of wanted) {
			const at = (numbers || []).findIndex(n => n.name === name);
			if (at >= 0) add(at);
		}
	});

	app.on("frame", frame => {
		// after a rewind
		while (count > 0 && frames[(next + MOST - 1) % MOST] >= frame) next = (next + MOST - 1) % MOST, --count;
		frames[next] = frame;
		for (let n = 0; n < all.length / MOST; ++n) all[n * MOST + next] = app.numbers[n];
		next = (next + 1) % MOST;
		count = Math.min(count + 1, MOST);
	});

	app.on("draw", () => {
		const time = performance.now();
		if (card.hidden || time - drawnAt < 90) return;
		drawnAt = time;
		const style = getComputedStyle(document.documentElement), line = style.getPropertyValue("--accent").trim(),
			grid = style.getPropertyValue("--track").trim(), words = style.getPropertyValue("--quiet").trim();
		for (const c of columns) draw(c, line, grid, words);
	});

	function fit(c) {
		const ratio = window.devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = c.canvas;
		if (w === c.width && h === c.height) return;
		c.width = w, c.height = h;
		c.canvas.width = w * ratio, c.canvas.height = h * ratio;
		c.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	function draw(c, line, grid, words) {
		fit(c);
		const { pen, width, height } = c, reach = SECONDS * app.hello.scene.fps,
			values = all.subarray(c.column * MOST, (c.column + 1) * MOST), last = frames[(next + MOST - 1) % MOST];
		let low = Infinity, high = -Infinity;
		for (let n = 1; n <= count; ++n) {
			const i = (next - n + MOST) % MOST, v = values[i];
			if (last - frames[i] > reach) break;
			if (v < low) low = v;
			if (v > high) high = v;
		}
		pen.clearRect(0, 0, width, height);
		pen.fillStyle = grid;
		pen.fillRect(0, height - 1, width, 1);
		setText(c.now, short(values[(next + MOST - 1) % MOST]));
		if (!(low <= high)) return;
		const flat = high === low, span = high - low || Math.abs(high) || 1, room = flat ? 0.5 : 0.08;
		const top = high + room * span, bottom = low - room * span;
		pen.strokeStyle = line, pen.lineWidth = 1.5, pen.lineJoin = "round";
		pen.beginPath();
		let begun = false;
		for (let n = 1; n <= count; ++n) {
			const i = (next - n + MOST) % MOST, age = last - frames[i], v = values[i];
			if (age > reach) break;
			if (Number.isNaN(v)) {
				begun = false;
				continue;
			}
			const x = width * (1 - age / reach), y = (height - 2) * (1 - (v - bottom) / (top - bottom)) + 1;
			if (begun) pen.lineTo(x, y);
			else pen.moveTo(x, y);
			begun = true;
		}
		pen.stroke();
		if (flat) return;
		pen.fillStyle = words, pen.font = "9px system-ui, sans-serif";
		pen.fillText(short(high), 1, 8);
		pen.fillText(short(low), 1, height - 4);
	}
}
