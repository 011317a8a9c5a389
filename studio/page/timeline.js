// timeline.js: the transport below the picture: play, step, speed, the line of time with what was told, record, takes,
// and keeping what was made.

import { button, clamp, eachPicture, el, setIcon, setText } from "./dom.js";
import { makeMenu } from "./menu.js";
import { makeKeepMenu, makeTakesMenu } from "./keep.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export function makeTimeline(app) {
	const foot = document.getElementById("transport");
	const play = button("play", "Play", () => toggle(), { class: "play", key: "Space" });
	const first = button("start", "To the beginning", () => app.send({ do: "rewind", frame: 0 }),
		{ key: "R", class: "icon-only" });
	const back = button("back", "A frame back", () => step(-1), { key: ",", class: "icon-only" });
	const on = button("on", "A frame on", () => step(1), { key: ".", class: "icon-only" });
	const record = button("record", "Record", () => app.send({ do: "record", on: !app.state.recording }),
		{ key: "K", class: "record", text: "Record" });
	const clock = el("span", { class: "clock" }, el("b"), el("span"));
	const real = el("span", { class: "real",
		title: "How fast it runs: seconds of the scene per second, and the time that a frame takes to compute" });
	const speed = el("button", { type: "button", class: "speed", "aria-label": "Speed", title: "Speed" }, "1×");
	const keep = button("keep", "Keep", () => {}, { class: "main keep", text: "Keep" });
	const takes = button("takes", "Takes", () => {}, { class: "icon-text", text: "Takes" });
	const line = makeLine(app);
	foot.append(
		el("div", { class: "group controls" }, first, back, play, on),
		el("div", { class: "group times" }, clock, speed, real),
		line,
		el("div", { class: "group ends" }, record, takes, keep));
	makeMenu(speed, "Speed", close => [el("h2", null, "Speed"), ...SPEEDS.map(x =>
		el("button", { type: "button", class: `wide${app.state.speed === x ? " chosen" : ""}`,
			onclick: () => (app.send({ do: "speed", value: x }), close(true)) }, `${x}×`))]);
	makeTakesMenu(app, takes);
	makeKeepMenu(app, keep);

	const toggle = () => app.send({ do: app.state.playing ? "pause" : "play" });
	const step = frames => app.send({ do: "step", frames });
	app.step = step;

	app.on("state", s => {
		const fps = app.hello?.scene?.fps || 24;
		setIcon(play, s.playing ? "pause" : "play", s.playing ? "Pause (Space)" : "Play (Space)");
		record.classList.toggle("on", Boolean(s.recording));
		record.setAttribute("aria-pressed", String(Boolean(s.recording)));
		setText(clock.firstChild, time(s.frame / fps));
		setText(clock.lastChild, `frame ${s.frame}`);
		setText(speed, `${s.speed}×`);
		const slow = s.playing && s.real > 0 && s.real < 0.9 * s.speed;
		setText(real, s.playing && s.real > 0 ? `${s.real.toFixed(2)}× real time` : "");
		real.classList.toggle("slow", slow);
	});

	const ready = () => app.hello?.mode === "scene";
	const add = (keys, help, down, more) => app.keys.add({ group: "Time", keys, help, down, when: ready, ...more });
	add([" "], "play or pause", toggle);
	add(["."], "a frame on", () => step(1));
	add([","], "a frame back", () => step(-1));
	add(["r"], "to the beginning", () => app.send({ do: "rewind", frame: 0 }), { shift: false });
	add(["r"], "read the file again", () => app.send({ do: "reload" }), { shift: true });
	add(["k"], "record on or off", () => app.send({ do: "record", on: !app.state.recording }));
}

const time = seconds => `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, "0")}`;

// The line of time. It is as long as the scene, or as what was computed; a drag goes to any frame that was, a drag of a
// key moves the key.
function makeLine(app) {
	const canvas = el("canvas"), node = el("div", { class: "line", tabindex: "0", role: "slider", "aria-label": "Frame",
		"aria-valuemin": "0" }, canvas);
	const pen = canvas.getContext("2d");
	let width = 1, height = 1, held = false, wasPlaying = false, aim = null, key = null;
	new ResizeObserver(() => {
		const ratio = window.devicePixelRatio || 1;
		width = node.clientWidth, height = node.clientHeight;
		canvas.width = width * ratio, canvas.height = height * ratio;
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		paint();
	}).observe(node);

	const length = () => Math.max(app.state.frames,
		Math.round((app.hello?.scene?.seconds || 5) * (app.hello?.scene?.fps || 24)), 1);
	const x = frame => 8 + (width - 16) * frame / length();
	const frameAt = (event, most = app.state.frames) => {
		const box = node.getBoundingClientRect();
		return clamp(Math.round((event.clientX - box.left - 8) / (width - 16) * length()), 0, most);
	};
	const lineY = () => Math.round(height * 0.62), keysY = () => lineY() - 13; // keys stand above the playhead's dot
	const keysOf = () => app.state.keys?.[app.object?.name] || [];
	const keyAt = event => {
		const box = node.getBoundingClientRect();
		const [at] = keysOf().find(([frame]) => Math.hypot(x(frame) - (event.clientX - box.left),
			keysY() - (event.clientY - box.top)) < (event.pointerType === "touch" ? 16 : 8)) || [];
		return at === undefined ? null : { at, to: at, from: event.clientX, object: app.object.name, moved: false };
	};
	const moveKey = event => {
		const fps = app.hello?.scene?.fps || 24;
		key.moved ||= Math.abs(event.clientX - key.from) > 4;
		if (!key.moved) return;
		key.to = frameAt(event, Math.round((app.hello?.scene?.seconds || 5) * fps));
		node.title = `to ${Number((key.to / fps).toFixed(3))} s`;
		paint();
	};
	const rewind = eachPicture(frame => app.send({ do: "rewind", frame }));
	const go = frame => {
		if (aim === frame) return;
		aim = frame;
		rewind(frame);
		paint();
	};
	node.addEventListener("pointerdown", event => {
		event.preventDefault();
		node.focus();
		try { node.setPointerCapture(event.pointerId); } catch { /* made-up pointers */ }
		key = keyAt(event);
		if (key) return;
		held = true;
		wasPlaying = app.state.playing;
		if (wasPlaying) app.send({ do: "pause" });
		go(frameAt(event));
	});
	node.addEventListener("pointermove", event => held ? go(frameAt(event)) : key && moveKey(event));
	const dropKey = event => {
		const { at, to, object, moved } = key, fps = app.hello?.scene?.fps || 24;
		key = null;
		if (event.type === "pointerup" && moved && to !== at)
			app.send({ do: "move_key", object, time: at / fps, to_time: to / fps });
		else if (event.type === "pointerup" && !moved)
			app.send({ do: "rewind", frame: Math.min(Math.round(at), app.state.frames) });
		paint();
		app.picture.focus({ preventScroll: true });
	};
	const end = event => {
		if (key) dropKey(event);
		if (!held) return;
		held = false;
		aim = null;
		if (wasPlaying) requestAnimationFrame(() => app.send({ do: "play" }));
		app.picture.focus({ preventScroll: true });
	};
	node.addEventListener("pointerup", end);
	node.addEventListener("pointercancel", end);
	node.addEventListener("keydown", event => {
		const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -24, PageUp: 24 }[event.key];
		if (event.key === "Escape" && key) key = null, paint();
		else if (steps) app.send({ do: "rewind", frame: clamp(app.state.frame + steps, 0, app.state.frames) });
		else if (event.key === "Home") app.send({ do: "rewind", frame: 0 });
		else if (event.key === "End") app.send({ do: "rewind", frame: app.state.frames });
		else return;
		event.preventDefault();
	});

	function paint() {
		const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue(name).trim();
		const { frames, marks = [], recording, replaying } = app.state, frame = aim ?? app.state.frame,
			fps = app.hello?.scene?.fps || 24;
		const y = lineY(), r = 3;
		pen.clearRect(0, 0, width, height);
		pen.fillStyle = color("--track");
		pen.beginPath(), pen.roundRect(x(0) - r, y - r, x(length()) - x(0) + 2 * r, 2 * r, r), pen.fill();
		pen.fillStyle = recording ? color("--record-soft") : replaying ? color("--replay") : color("--computed");
		pen.beginPath(), pen.roundRect(x(0) - r, y - r, x(frames) - x(0) + 2 * r, 2 * r, r), pen.fill();
		ticks(color("--quiet"), fps, y);
		pen.fillStyle = color("--accent");
		let last = -99;
		for (const [at] of marks) {
			if (x(at) - last < 3) continue;
			last = x(at);
			pen.beginPath(), pen.moveTo(last, y - 6), pen.lineTo(last - 3, y - 12), pen.lineTo(last + 3, y - 12),
				pen.fill();
		}
		keys(color("--accent"), color("--card-solid"), keysY());
		pen.fillStyle = color("--text");
		pen.beginPath(), pen.roundRect(x(frame) - 1.5, 4, 3, height - 8, 1.5), pen.fill();
		pen.beginPath(), pen.arc(x(frame), y, 6, 0, 7), pen.fill();
		pen.fillStyle = color("--card-solid");
		pen.beginPath(), pen.arc(x(frame), y, 2.5, 0, 7), pen.fill();
		node.setAttribute("aria-valuemax", String(frames));
		node.setAttribute("aria-valuenow", String(frame));
		node.setAttribute("aria-valuetext", `${(frame / fps).toFixed(2)} seconds`);
	}

	// Of the selected designed object: those that only show the way are hollow.
	function keys(fill, hollow, y) {
		pen.strokeStyle = fill, pen.lineWidth = 1.5;
		for (const [at, kind] of keysOf()) {
			const now = x(key && key.at === at ? key.to : at), r = key && key.at === at ? 7 : 5;
			pen.fillStyle = kind === "via" ? hollow : fill;
			pen.beginPath(), pen.moveTo(now, y - r), pen.lineTo(now + r, y), pen.lineTo(now, y + r),
				pen.lineTo(now - r, y), pen.closePath(), pen.fill(), pen.stroke();
		}
	}

	function ticks(color, fps, y) {
		const seconds = length() / fps, space = (width - 16) / seconds;
		const step = [0.5, 1, 2, 5, 10, 30, 60, 300].find(s => s * space > 46) || 600;
		pen.fillStyle = color, pen.font = "10px system-ui, sans-serif", pen.textAlign = "center";
		for (let s = step; s < seconds - 0.2 * step; s += step) {
			pen.fillRect(x(s * fps) - 0.5, y + 3, 1, 3);
			pen.fillText(`${s} s`, x(s * fps), height - 1);
		}
	}

	node.addEventListener("pointermove", event => {
		if (key) return;
		node.style.cursor = keyAt(event) ? "ew-resize" : "";
		const near = (app.state.marks || []).filter(([at]) =>
			Math.abs(x(at) - (event.clientX - node.getBoundingClientRect().left)) < 5);
		near.push(...keysOf().filter(([at]) =>
			Math.abs(x(at) - (event.clientX - node.getBoundingClientRect().left)) < 6).map(([at, kind]) =>
			[at, `${kind}, drag to move it`]));
		node.title = near.length ? near.map(([at, what]) => `frame ${Number(at.toFixed(2))}: ${what}`).slice(0, 6).join("\n") : "";
	});
	app.on("state", paint);
	app.on("theme", paint);
	app.on("select", paint);
	return node;
}
