// dom.js: elements made in one line. No inline styles or handlers in text: the page's Content-Security-Policy forbids
// them, and names that come from files are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";

// el("button", { class: "round", onclick: f, "aria-label": "Play" }, child, "text")
export function el(tag, properties, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
		else if (name === "class") node.className = value;
		else if (name in node && typeof value !== "string") node[name] = value;
		else node.setAttribute(name, value === true ? "" : value);
	}
	for (const child of children.flat()) if (child !== null && child !== undefined &&
		child !== false) node.append(child);
	return node;
}

// Shapes on a 20 x 20 grid; a leading "!" fills instead of drawing a line.
const shapes = {
	play: "!M6 4l10 6-10 6z",
	pause: "!M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
	start: "!M4 4h2v12H4zM16 4v12l-9-6z",
	back: "!M13 4h2.5v12H13zM10.5 4v12L3 10z",
	on: "!M4.5 4H7v12H4.5zM9.5 4v12L17 10z",
	record: "!M10 4.5a5.5 5.5 0 1 0 .01 0z",
	keep: "M4 12v4h12v-4M10 3v9M6.5 8.5L10 12l3.5-3.5",
	takes: "M4 5h12M4 10h12M4 15h8",
	undo: "M4 8h8a4 4 0 0 1 0 8H8M4 8l4-4M4 8l4 4",
	redo: "M16 8H8a4 4 0 0 0 0 8h4M16 8l-4-4M16 8l-4 4",
	direct: "M7 10V5a1.5 1.5 0 0 1 3 0v4M10 9V3.5a1.5 1.5 0 0 1 3 0V9M13 9V5a1.5 1.5 0 0 1 3 0v7a5 5 0 0 1-5 5h-1c-3 0-4.5-2-6.5-6a1.3 1.3 0 0 1 2.3-1.2L7 12",
	pose: "M10 6a2 2 0 1 0-.01 0M10 6v6M5 9l5-1.5L15 9M6.5 17.5L10 12l3.5 5.5",
	paint: "M16.5 3.5c-4 1.5-7 4.5-8.5 8M8 11.5a3 3 0 0 0-3.5 3c0 1-1 1.8-2 2 3 1.5 7.5 .5 8-2.5a3 3 0 0 0-2.5-2.5",
	place: "M10 2.5v15M2.5 10h15M10 2.5L8 4.5M10 2.5l2 2M10 17.5l-2-2M10 17.5l2-2M2.5 10l2-2M2.5 10l2 2M17.5 10l-2-2M17.5 10l-2 2",
	plots: "M3 16.5h14M4 13l3.5-5 3.5 3.5L16.5 4",
	eye: "M2 10c2.5-4 5-5.5 8-5.5s5.5 1.5 8 5.5c-2.5 4-5 5.5-8 5.5S4.5 14 2 10M10 7.5a2.5 2.5 0 1 0 .01 0",
	theme: "M10 3.5a6.5 6.5 0 1 0 .01 0M10 3.5v13",
	help: "M7 7.5a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1-1.5 2.4M10 15.5v.5",
	panel: "M3 4.5h14v11H3zM8 4.5v11",
	close: "M5 5l10 10M15 5L5 15",
	follow: "M10 6.5a3.5 3.5 0 1 0 .01 0M10 2v3M10 15v3M2 10h3M15 10h3",
	left: "M12.5 4.5L7 10l5.5 5.5",
	right: "M7.5 4.5L13 10l-5.5 5.5",
	up: "M4.5 12.5L10 7l5.5 5.5",
	down: "M4.5 7.5L10 13l5.5-5.5",
	plus: "M10 4v12M4 10h12",
	bin: "M4 6h12M8 6V4h4v2M6 6l.7 10.5h6.6L14 6",
	copy: "M7 7h9v9H7zM4 13V4h9",
	pin: "M10 17.5v-6M6.5 3.5h7l-1 5 2 3h-9l2-3z",
	save: "M4 4h9.5L16 6.5V16H4zM7 4v4h5V4M7 16v-4.5h6V16",
};

export function icon(name) {
	const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
	const shape = shapes[name], filled = shape.startsWith("!");
	svg.setAttribute("viewBox", "0 0 20 20");
	svg.setAttribute("aria-hidden", "true");
	svg.setAttribute("class", filled ? "icon filled" : "icon");
	path.setAttribute("d", filled ? shape.slice(1) : shape);
	svg.append(path);
	return svg;
}

// A button with an icon, a name for screen readers, and a tooltip that also tells the key.
export function button(name, label, onclick, { key, text, ...more } = {}) {
	return el("button", { type: "button", "aria-label": label, title: key ? `${label} (${key})` : label, onclick,
		...more },
		icon(name), text ? el("span", { class: "text" }, text) : null);
}

export function setIcon(node, name, label) {
	if (node.dataset.icon === name) return;
	node.dataset.icon = name;
	node.querySelector("svg").replaceWith(icon(name));
	if (label) {
		node.setAttribute("aria-label", label);
		node.title = label;
	}
}

export function setText(node, text) {
	if (node.textContent !== text) node.textContent = text;
}

// At most once per drawn picture, with the newest arguments.
export function eachPicture(work) {
	let waiting = null;
	return (...values) => {
		if (waiting === null) requestAnimationFrame(() => {
			const newest = waiting;
			waiting = null;
			work(...newest);
		});
		waiting = values;
	};
}

// What people type: "0,5", "1.234,5", "1,234.5", "1 000", "−3". NaN: it is no number, which is said (notes.js).
export function readNumber(input) {
	let text = input.value.replace(/[\s\u00a0\u2009\u202f'’]/g, "").replace("−", "-");
	const mark = Math.max(text.lastIndexOf(","), text.lastIndexOf(".")); // the last one is the decimal mark,
	const other = text[mark] === "," ? "." : ",";
	if (text.includes(",")) text = text.replaceAll(other, "").replace(",", "."); // the other one parts thousands
	const value = text === "" ? NaN : Number(text);
	if (Number.isFinite(value)) return value;
	if (text !== "") say(input, `“${input.value.slice(0, 30)}” is not a number.`);
	return NaN;
}

// Something to tell by who stands in the page.
export const say = (node, text) => node.dispatchEvent(new CustomEvent("say", { bubbles: true, detail: text }));

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
export const plain = name => String(name).replace(/_/g, " ");

// 0.0012345 -> "0.00123", 1234.5 -> "1234.5": as many digits as one reads, never 1e-3 for everyday numbers.
export function short(x, digits = 3) {
	if (!Number.isFinite(x)) return "–";
	if (x === 0) return "0";
	const size = Math.abs(x);
	if (size >= 1e6 || size < 1e-4) return x.toExponential(1).replace("e+", "e");
	return String(Number(x.toPrecision(size >= 1000 ? 5 : digits)));
}

const units = { "m/s^2": "m/s²", "N/m^2": "N/m²", "1/s": "1/s", "m^2": "m²", "N m^2": "N m²" };
export const unit = text => units[text] || text || "";
