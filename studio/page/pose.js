// pose.js: pose mode (Adams et al. 2009, section 5). The world is paused; a click on the surface puts a handle there, a
// drag moves it at once, Shift makes one that holds its place. The gizmo moves or turns the chosen one. The pose is kept
// as an example, or as a key of `design`.

import { button, eachPicture, el, readNumber, setText } from "./dom.js";
import { makeField, makeSegments } from "./field.js";
import { cleanName } from "./keep.js";

const DRAG = "#ff8a1f", FIX = "#3b82f6";

export function makePose(app) {
	const { view } = app;
	const options = { hard: true, radius: 0, volume: true, from: "now", gizmo: "translate", fix: false };
	let handles = new Map(), chosen = 0, next = 0, held = null, info = null, object = null, asked = 0;

	app.poseHandles = () => [...handles.values()];

	function enter() {
		object = app.object?.name;
		if (!object) return;
		handles = new Map(), chosen = 0, info = null;
		asked = app.link.ask({ do: "pose", object, on: true, from: options.from });
	}

	// What has no poses says so, and is directed as before.
	app.on("told", ({ level, seq }) => {
		if (level !== "error" || seq !== asked || app.tool !== "pose" || info) return;
		object = null;
		app.setTool("direct");
	});

	function leave() {
		if (object) app.send({ do: "pose", object, on: false });
		object = null;
		handles.clear();
		view.hideGizmo();
	}

	app.on("tool", (now, before) => {
		if (before === "pose") leave();
		if (now === "pose") enter();
	});
	app.on("select", () => {
		if (app.tool !== "pose" || app.object?.name === object) return;
		leave();
		enter();
		app.refreshPanel();
	});
	app.on("hello", () => app.tool === "pose" && app.setTool("direct"));

	// What the studio says counts, except for the handle in hand.
	app.on("pose", message => {
		if (message.object !== object) return;
		for (const h of message.handles) {
			const mine = handles.get(h.id);
			if (mine && (held === h.id || mine.waiting)) continue;
			handles.set(h.id, { ...mine, ...h });
		}
		for (const id of [...handles.keys()]) if (!message.handles.some(h => h.id === id) && held !== id &&
			!handles.get(id).waiting) handles.delete(id);
		for (const h of handles.values()) h.waiting = false;
		if (!handles.has(chosen)) choose(0);
		if (!info && !options.volume) app.send({ do: "volume", on: false });
		info = { ...message, ms: message.ms >= 0.05 || !info ? message.ms : info.ms }; // steps at rest take no time
		view.dirty = true;
		showList();
	});

	const sendMove = eachPicture(h => handles.has(h.id) && app.send({ do: "handle_move", id: h.id, to: h.to,
		...(h.rotation ? { rotation: h.rotation } : {}) }));

	function put(hit, p) {
		const id = ++next, fix = p.shift || options.fix;
		const handle = { id, at: hit.point, to: hit.point.slice(), hard: options.hard, kind: fix ? "fix" : "drag",
			waiting: true };
		handles.set(id, handle);
		app.send({ do: "handle", id, triangle: hit.triangle, at: hit.at, hard: options.hard, kind: handle.kind,
			...(options.radius > 0 ? { radius: options.radius } : {}) });
		choose(id);
		return handle;
	}

	function choose(id) {
		chosen = id;
		const h = handles.get(id);
		if (!h || h.kind === "fix") view.hideGizmo();
		else view.showGizmo({ position: h.to, rotation: h.rotation }, options.gizmo, { change: frame => moved(h, frame),
			end: frame => moved(h, frame) });
		showList();
		view.dirty = true;
	}

	function moved(h, { position, rotation }) {
		h.to = position;
		if (options.gizmo === "rotate") h.rotation = rotation;
		sendMove(h);
	}

	function remove(id) {
		handles.delete(id);
		app.send({ do: "handle_remove", id });
		if (chosen === id) choose(0);
		showList();
		view.dirty = true;
	}

	const near = p => app.poseHandles().find(h => {
		const [x, y, front] = view.project(h.to);
		return front && Math.hypot(x - p.x, y - p.y) < (p.touch ? 28 : 14);
	});

	app.tools.pose = {
		wanted: surfaceInfo => surfaceInfo.object >= 0 && app.hello.objects[surfaceInfo.object].name === object,
		down(hit, p) {
			const old = near(p), handle = old || (hit && put(hit, p));
			if (!handle) return false;
			if (old) choose(old.id);
			held = handle.id;
			return true;
		},
		move(p, moving) {
			const h = handles.get(held);
			if (!h || !moving || h.kind === "fix") return;
			h.to = view.across(p.x, p.y, h.to);
			view.hideGizmo();
			sendMove(h);
			view.dirty = true;
		},
		up() {
			const id = held;
			held = null;
			if (handles.has(id)) choose(id);
			app.emit("grabbed");
		},
		double(hit, p) {
			const old = near(p);
			if (old) remove(old.id);
		},
		hover(hit, p) {
			view.canvas.dataset.handle = p && near(p) ? "1" : "";
		},
	};

	app.on("mark", pen => {
		if (app.tool !== "pose") return;
		const { line, dot } = app.pen;
		for (const h of handles.values()) {
			const color = h.kind === "fix" ? FIX : DRAG;
			pen.strokeStyle = color, pen.lineWidth = 2;
			if (h.at && h.kind !== "fix") line(h.at, h.to);
			pen.lineWidth = h.id === chosen ? 3 : 2;
			dot(h.to, h.id === chosen ? 8 : 6, h.hard ? color : "rgba(255,255,255,.85)", h.hard ? "#fff" : color);
		}
	});

	// ---- panel ----
	const list = el("div", { class: "handles", role: "list" }), cost = el("p", { class: "quiet" });
	function showList() {
		list.replaceChildren(...app.poseHandles().map(h =>
			el("div", { class: `row item${h.id === chosen ? " chosen" : ""}`, role: "listitem" },
			el("button", { type: "button", class: "plain grow left", onclick: () => choose(h.id) },
				`${h.kind === "fix" ? "Holds" : "Drags"} ${h.id}${h.hard ? "" : ", soft"}`),
			button("bin", `Remove handle ${h.id}`, () => remove(h.id), { class: "plain icon-only" }))));
		if (handles.size === 0) list.append(el("p", { class: "quiet" },
			"Click the body to put a handle and drag it. Shift and click: one that holds its place. Double click a handle to remove it."));
		setText(cost, info && handles.size ? `${info.ms?.toFixed?.(1) ?? "–"} ms a step` : "");
	}

	const named = (label, ...rest) => el("div", { class: "labelled" }, label, makeSegments(label, ...rest));

	app.panelSections.pose = () => {
		const size = app.object?.size || 1;
		const radius = makeField({ key: "patch", kind: "number", low: 0, high: 0.5 * size, value: options.radius ||
			0.05 * size, default: 0.05 * size, unit: "m", help: "How much of the surface a new handle takes hold of." },
			v => options.radius = v);
		const hard = makeField({ key: "hard", label: "exactly there", kind: "flag", value: options.hard,
			help: "New handles are met exactly; else they pull." }, v => options.hard = v);
		const volume = makeField({ key: "volume", label: "keep the volume", kind: "flag", value: options.volume },
			v => (options.volume = v, app.send({ do: "volume", on: v })));
		showList();
		return [app.section("Pose", true,
			named("New handles", [[false, "Drag"], [true, "Hold"]], options.fix, v => options.fix = v),
			named("The chosen one", [["translate", "Move"], ["rotate", "Turn"]], options.gizmo, v => {
				options.gizmo = v;
				choose(chosen);
			}),
			hard.node, radius.node, volume.node,
			named("Start from", [["now", "As it is now"], ["rest", "At rest"]], options.from, v => {
				options.from = v;
				leave();
				enter();
			})),
		app.section("Handles", true, list, cost, el("div", { class: "row" },
			el("button", { type: "button", class: "grow", onclick: () => app.send({ do: "pose_undo" }) }, "Undo"),
			el("button", { type: "button", class: "grow", onclick: () => (handles.clear(), choose(0),
				app.send({ do: "pose_reset" })) }, "Reset"))),
		keepSection(), ...(app.object?.engine === "design" ? [keysSection()] : [])];
	};

	function moveKey(time, input) {
		const to = readNumber(input);
		if (input.value.trim() !== "" && Number.isFinite(to))
			app.send({ do: "move_key", object: app.object.name, time, to_time: to });
		shownKeys = "", input.blur(); // what comes back is what counts
	}

	// Where the motion goes through; a click goes there.
	const keyList = el("div", { class: "handles", role: "list" });
	let shownKeys = "";
	function showKeys() {
		const fps = app.hello?.scene?.fps || 24, keys = app.state.keys?.[app.object?.name] || [];
		if (JSON.stringify(keys) === shownKeys && keyList.firstChild) return;
		shownKeys = JSON.stringify(keys);
		keyList.replaceChildren(...keys.map(([at, kind]) => {
			const seconds = Number((at / fps).toFixed(3));
			return el("div", { class: "row item", role: "listitem" },
				el("button", { type: "button", class: "plain grow left", onclick: () => app.send({ do: "rewind",
					frame: Math.min(Math.round(at), app.state.frames) }) }, `${kind === "via" ? "Via" : "Key"}, ${seconds} s`),
				el("input", { type: "text", inputmode: "decimal", class: "seconds", value: String(seconds), autocomplete: "off",
					"aria-label": `Time of the key at ${seconds} s`, onchange: event => moveKey(at / fps, event.target) }),
				button("bin", `Remove the key at ${seconds} s`, () => app.send({ do: "remove_key",
					object: app.object.name, time: at / fps }), { class: "plain icon-only" }));
		}));
		if (keys.length === 0) keyList.append(el("p", { class: "quiet" }, "It has no keys yet: it rests where it starts."));
	}
	app.on("state", () => app.tool === "pose" && app.object?.engine === "design" && showKeys());

	function keysSection() {
		shownKeys = "";
		showKeys();
		return app.section("Keys", true, keyList);
	}

	function keepSection() {
		const design = app.object?.engine === "design",
			name = el("input", { type: "text", value: "pose-1", "aria-label": "Name of the pose", maxlength: "60" });
		const keep = as => {
			const chosenName = cleanName(name.value) || "pose";
			app.send({ do: "keep_pose", name: chosenName, as,
				...(as === "example" ? {} : { time: app.state.frame / app.hello.scene.fps }) });
			name.value = chosenName.replace(/(\d*)$/, d => String(Number(d || 0) + 1));
		};
		const buttons = design ? [["key", "Key at the playhead"], ["via", "Via pose at the playhead"]]
			: [["example", "Example pose"]];
		return app.section("Keep the pose as", true, ...(design ? [] : [el("label", { class: "labelled" }, "Name", name)]),
			...buttons.map(([as, label]) => el("button", { type: "button", class: "wide main",
			onclick: () => keep(as) }, label)));
	}

	app.keys.add({ group: "Pose", keys: ["Delete", "Backspace"], help: "remove the chosen handle",
		when: () => app.tool === "pose" && chosen > 0, down: () => remove(chosen) });
}
