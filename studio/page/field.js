// field.js: a control for one key of a table: slider and number, switch, choice or vector, with unit, help and range.
// Sliders cover what is usual; the number beside takes everything that is allowed.

import { clamp, el, plain, readNumber, say, short, unit } from "./dom.js";

// How a slider's 0 .. 1 becomes a value. Ranges that are wide beside the default are logarithmic around it.
export function scaleOf({ low, high, default: preset, value, kind }) {
	const given = typeof value === "number" && value !== 0 ? Math.abs(value) : 0;
	let usual = typeof preset === "number" && preset !== 0 ? Math.abs(preset) : given || 1;
	if (given > 50 * usual || (given > 0 && given < usual / 50)) usual = given; // the value is what is usual here
	const a = low ?? -Infinity, b = high ?? Infinity;
	if (b - a <= 100 && usual >= 0.04 * (b - a)) return { to: s => a + s * (b - a), from: v => (v - a) / (b - a) };
	if (a < 0) {
		const span = Math.min(20 * usual, Math.max(-a, b));
		return { to: s => (2 * s - 1) * span, from: v => 0.5 * (1 + v / span) };
	}
	if (kind === "integer") {
		const top = Math.min(b, Math.max(10, 10 * usual));
		return { to: s => a + s * (top - a), from: v => (v - a) / (top - a) };
	}
	// 0 has its own place
	const least = Math.max(a, usual / 100), most = Math.min(b, usual * 100), zero = a === 0 ? 0.04 : 0;
	const range = Math.log(most / least);
	return {
		to: s => s < zero ? 0 : least * Math.exp(range * (s - zero) / (1 - zero)),
		from: v => v <= 0 ? 0 : zero + (1 - zero) * clamp(Math.log(v / least) / range, 0, 1),
	};
}

const shown = x => short(x, Math.abs(x) < 0.1 ? 3 : 4);
const rounded = (x, kind) => kind === "integer" ? Math.round(x) : Number(x.toPrecision(4));

const makers = { number: makeNumber, integer: makeNumber, flag: makeFlag, choice: makeChoice, vector: makeVector,
	text: makeText };

// Lists and tables have no control: they are edited elsewhere.
export const hasField = setting => setting.kind in makers;

// `tell(value, done)`: done is false while a slider is dragged. Returns { node, show(value), key }.
export function makeField(setting, tell) {
	const made = makers[setting.kind](setting, setting.label || plain(setting.key), tell);
	made.node.classList.add("field");
	if (setting.help) made.node.title = setting.help + rangeText(setting);
	if (setting.live === false) made.node.querySelector(".name").append(el("span",
		{ class: "again", title: "starts the scene again" }, "↻"));
	return { ...made, key: setting.key };
}

function rangeText({ low, high, above, kind, default: preset }) {
	if (kind === "flag" || kind === "choice") return "";
	const bound = x => Math.abs(x) < 1e9;
	const from = low !== undefined && bound(low) ? `${above ? "above" : "from"} ${short(low)}` : "";
	const to = high !== undefined && bound(high) ? `to ${short(high)}` : "";
	const usual = typeof preset === "number" ? `; default ${short(preset)}` : "";
	return from || to ? `\n${[from, to].filter(Boolean).join(" ")}${usual}` : "";
}

function makeNumber(setting, name, tell) {
	const scale = scaleOf(setting), { kind } = setting;
	const slider = el("input", { type: "range", min: "0", max: "1", step: "0.001", "aria-label": name });
	const number = el("input", { type: "text", inputmode: "decimal",
		"aria-label": `${name}${setting.unit ? `, ${setting.unit}` : ""}`, autocomplete: "off" });
	let value = setting.value;
	const show = v => {
		value = v;
		if (document.activeElement !== number) number.value = typeof v === "number" ? shown(v) : "–";
		if (!slider.dataset.held) slider.value = String(clamp(scale.from(typeof v === "number" ? v : 0), 0, 1));
		slider.style.setProperty("--part", `${100 * slider.value}%`);
		slider.setAttribute("aria-valuetext", `${number.value} ${unit(setting.unit)}`);
	};
	const restore = () => {
		number.value = typeof value === "number" ? shown(value) : "–";
		show(value);
	};
	const drag = done => {
		let v = rounded(scale.to(Number(slider.value)), kind);
		v = clamp(v, setting.low ?? -Infinity, setting.high ?? Infinity);
		if (setting.above && v <= setting.low) v = rounded(scale.to(0.001), "number") || 1e-3;
		if (!done && v === value) return;
		show(v);
		tell(v, done);
	};
	slider.addEventListener("pointerdown", () => slider.dataset.held = "1");
	slider.addEventListener("pointerup", () => delete slider.dataset.held);
	slider.addEventListener("input", () => drag(false));
	slider.addEventListener("change", () => (delete slider.dataset.held, drag(true)));
	slider.addEventListener("dblclick", () => typeof setting.default === "number" && (show(setting.default),
		tell(setting.default, true)));
	number.addEventListener("change", () => {
		const v = readNumber(number);
		if (Number.isNaN(v)) return restore();
		const inside = clamp(kind === "integer" ? Math.round(v) : v, setting.low ?? -Infinity, setting.high ?? Infinity);
		if (setting.above && inside <= setting.low) return say(number, `${name}: ${rangeText(setting).trim()}.`), restore();
		if (inside !== v) say(number, `${name}: ${kind === "integer" ? "a whole number, " : ""}${rangeText(setting).trim()}.`);
		number.value = shown(inside);
		show(inside);
		tell(inside, true);
	});
	number.addEventListener("keydown", event => event.key === "Enter" && number.blur());
	const node = el("div", null, el("span", { class: "name" }, name), el("span", { class: "value" }, number,
		el("span", { class: "unit" }, unit(setting.unit))), slider);
	show(value);
	return { node, show };
}

function makeFlag(setting, name, tell) {
	const box = el("input", { type: "checkbox", role: "switch", "aria-label": name, onchange: () => tell(box.checked,
		true) });
	const show = v => box.checked = Boolean(v);
	show(setting.value);
	return { node: el("label", { class: "flag" }, el("span", { class: "name" }, name), box), show };
}

function makeChoice(setting, name, tell) {
	const select = el("select", { "aria-label": name, onchange: () => tell(select.value, true) },
		...(setting.choices || []).map(c => el("option", { value: c }, plain(c))));
	const show = v => select.value = typeof v === "number" ? setting.choices[v] : v ?? "";
	show(setting.value);
	return { node: el("label", { class: "choice" }, el("span", { class: "name" }, name), select), show };
}

function makeText(setting, name, tell) {
	const input = el("input", { type: "text", "aria-label": name, autocomplete: "off",
		onchange: () => tell(input.value, true) });
	const show = v => document.activeElement !== input && (input.value = v ?? "");
	show(setting.value);
	return { node: el("label", { class: "choice" }, el("span", { class: "name" }, name), input), show };
}

function makeVector(setting, name, tell) {
	const value = Array.isArray(setting.value) ? setting.value.slice() : [0, 0, 0];
	const inputs = value.map((x, k) => el("input", { type: "text", inputmode: "decimal",
		"aria-label": `${name} ${"xyzw"[k]}`, value: short(x, 4),
		onchange: () => {
			const v = readNumber(inputs[k]);
			if (!Number.isNaN(v)) value[k] = v, tell(value.slice(), true);
			inputs[k].value = short(value[k], 4);
		} }));
	const show = v => Array.isArray(v) && v.forEach((x, k) => {
		value[k] = x;
		if (document.activeElement !== inputs[k]) inputs[k].value = short(x, 4);
	});
	return { node: el("div", { class: "vector" }, el("span", { class: "name" }, name, setting.unit
		? el("span", { class: "unit" }, ` ${unit(setting.unit)}`) : null), el("span", { class: "row" }, ...inputs)),
		show };
}

// A few choices beside each other: [[value, text], ...]; `value` is the one that counts now.
export function makeSegments(label, choices, value, tell) {
	const nodes = choices.map(([choice, text]) => el("button", { type: "button", role: "radio", onclick: () => {
		mark(choice);
		tell(choice);
	} }, text));
	const mark = now => nodes.forEach((node, i) => node.setAttribute("aria-checked", String(choices[i][0] === now)));
	mark(value);
	return el("div", { class: "segments", role: "radiogroup", "aria-label": label }, ...nodes);
}
