// view.js: the picture. The only file that knows three.js (r111): scene, lights, shadows, camera, meshes that are updated
// in place, the ray under the pointer, the outline of what is selected, and the gizmo. World coordinates everywhere;
// pixels are those of the page, from the picture's upper left corner.

import * as THREE from "/three/build/three.module.js";
import { TransformControls } from "/three/examples/jsm/controls/TransformControls.js";
import { Orbit } from "./orbit.js";
import { Surface } from "./surface.js";
import { Part } from "./part.js";
import * as shaders from "./shaders.js";

const MOST_PIXELS = 160000; // that the processor draws of a picture in which something moves,
const LEAST_PIXELS = 60000; // and where it is too slow for that
const TOO_LONG = 16, SHORT = 6; // milliseconds of drawing, half of a frame's time: above it fewer pixels, below more
const REST = 500; // milliseconds without a change, after which it draws all of them
const CARRY = 85; // milliseconds in which a following camera comes two thirds of the way
const SHADOWS = 3; // it draws shadows anew with every so manyth picture

const BROWSER_GRAY = [0.7, 0.77, 0.84];

export const screenColor = c => c.map(x => x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

// Null when the browser has no WebGL. Where it is done by the processor, edges are not smoothed.
export function makeView(canvas) {
	const slow = isSoftware(), options = { alpha: false, antialias: !slow, powerPreference: "high-performance",
		preserveDrawingBuffer: slow }; // where only parts of it are drawn anew
	const context = canvas.getContext("webgl2", options) || canvas.getContext("webgl", options);
	return context ? new View(canvas, context, slow) : null;
}

const wantsBest = () => localStorage.getItem("limber-quality") === "high"; // for pictures of the studio

function isSoftware() {
	if (wantsBest()) return false;
	const context = document.createElement("canvas").getContext("webgl"),
		names = context?.getExtension("WEBGL_debug_renderer_info");
	const name = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
	context?.getExtension("WEBGL_lose_context")?.loseContext();
	return /swiftshader|llvmpipe|software/i.test(name);
}

class View {
	constructor(canvas, context, slow) {
		this.canvas = canvas;
		this.context = context;
		this.slow = slow;
		this.steady = wantsBest();
		this.part = slow ? new Part() : null;
		this.stirred = this.marked = false; // something has moved; marks over the picture have changed
		this.sharpness = slow ? 0.6 : 1; // pixels drawn per pixel of the screen; goes down where drawing cannot keep up
		this.still = false; // nothing has moved for a while: drawn once in full sharpness
		this.pace = { last: 0, mean: 16, since: 0, moved: 0, shadows: 0, begun: 0, cost: 0.5 * (TOO_LONG + SHORT) };
		this.renderer = new THREE.WebGLRenderer({ canvas, context });
		this.renderer.shadowMap.enabled = true;
		this.renderer.shadowMap.type = slow ? THREE.BasicShadowMap : THREE.PCFSoftShadowMap;
		this.renderer.autoClear = false;
		this.scene = new THREE.Scene();
		this.camera = new THREE.PerspectiveCamera();
		this.orbit = new Orbit();
		this.home = null;
		this.shown = []; // by surface: { surface, mesh, info, ground, flatly }
		this.wires = new Map();
		this.focus = { center: [0, 0.5, 0], radius: 1 };
		this.insets = [0, 0, 0, 0];
		this.width = this.height = 1;
		this.following = -1;
		this.followed = null;
		this.carried = 0; // when, milliseconds
		this.raycaster = new THREE.Raycaster();
		this.vector = new THREE.Vector3();
		this.common = { background: { value: new THREE.Vector3(...BROWSER_GRAY) },
			upwards: { value: new THREE.Vector3(0, 1, 0) },
			focus: { value: new THREE.Vector3() }, reach: { value: 10 } };
		this.makeSun();
		this.makeOutline();
		this.makeGizmo();
		this.dirty = true;
	}

	makeSun() {
		const sun = new THREE.DirectionalLight(0xffffff, 1);
		sun.castShadow = true;
		sun.shadow.mapSize.set(this.sharpness < 1 ? 512 : 2048, this.sharpness < 1 ? 512 : 2048);
		sun.shadow.bias = this.slow ? -0.006 : -0.002;
		this.scene.add(sun, sun.target);
		this.sun = sun;
	}

	// ---- what there is to see ----

	begin(scene, surfaces) {
		for (const item of this.shown) if (item && item.mesh) this.drop(item);
		for (const key of [...this.wires.keys()]) this.dropLines(key);
		this.shown = surfaces.map(info => ({ info, surface: null, mesh: null, ground: false }));
		this.select(-1);
		this.gizmo.detach();
		this.following = -1;
		this.orbit.floor = -Infinity;
		if (!scene) return;
		this.common.background.value.set(...scene.background);
		this.scene.background = new THREE.Color(...screenColor(scene.background));
		this.dirty = true;
	}

	drop({ mesh }) {
		this.scene.remove(mesh);
		mesh.geometry.dispose();
		mesh.material.dispose();
	}

	lookAs(camera) {
		this.home = camera;
		this.orbit.look(camera);
		this.dirty = true;
	}

	topology(i, triangles) {
		const item = this.shown[i];
		if (!item) return;
		if (item.mesh) this.drop(item);
		item.surface = new Surface(triangles);
		item.mesh = null;
	}

	// New positions: arrays stay where they are, only their contents go to the graphics card again.
	positions(i, points, x, y, z) {
		const item = this.shown[i];
		if (!item || !item.surface) return;
		const first = item.surface.positions === null;
		item.surface.move(points, x, y, z);
		if (first) this.makeMesh(item, i);
		const { mesh } = item, { position, normal } = mesh.geometry.attributes;
		if (!item.held) mesh.matrix.makeTranslation(x, y, z);
		mesh.matrixWorldNeedsUpdate = true;
		position.needsUpdate = true;
		if (normal) normal.needsUpdate = true;
		if (first || item.info.fixed || item.held) this.dirty = true;
		else this.stirred = true;
	}

	// What is shown over the picture has changed: on its own canvas.
	mark() {
		this.marked = true;
	}

	makeMesh(item, i) {
		const { surface, info } = item, geometry = new THREE.BufferGeometry();
		const attribute = (array, width) => {
			const a = new THREE.BufferAttribute(array, width);
			a.setUsage(info.fixed ? THREE.StaticDrawUsage : THREE.DynamicDrawUsage);
			return a;
		};
		geometry.setIndex(new THREE.BufferAttribute(surface.corners, 1));
		geometry.setAttribute("position", attribute(surface.positions, 3));
		if (surface.normals) geometry.setAttribute("normal", attribute(surface.normals, 3));
		item.ground = this.isGround(item);
		if (item.ground && surface.high[1] - surface.low[1] < 1e-6 * surface.size) this.orbit.floor =
			surface.origin[1] + surface.high[1];
		item.mesh = new THREE.Mesh(geometry, this.makeMaterial(item));
		item.mesh.frustumCulled = false;
		item.mesh.matrixAutoUpdate = false;
		item.mesh.castShadow = !item.ground;
		item.mesh.receiveShadow = true;
		item.mesh.renderOrder = item.ground ? -1 : 0;
		item.mesh.userData.surface = i;
		this.scene.add(item.mesh);
	}

	makeMaterial({ info, ground, surface }) {
		const uniforms = THREE.UniformsUtils.clone(THREE.UniformsLib.lights);
		Object.assign(uniforms, this.common, { color: { value: new THREE.Vector3(...info.color) },
			glow: { value: 0 } });
		const material = new THREE.ShaderMaterial({
			uniforms, lights: true, side: THREE.DoubleSide,
			vertexShader: shaders.surfaceVertex,
			fragmentShader: ground ? shaders.groundFragment : shaders.surfaceFragment,
			defines: surface.flat || ground ? { FLAT: 1 } : {},
		});
		material.extensions.derivatives = true;
		material.shadowSide = THREE.DoubleSide;
		return material;
	}

	// As limber's renderer has it (src/render/reel.c): planes, and what stands still and is called ground.
	isGround({ info, surface }) {
		if (!info.fixed) return false;
		return info.name === "ground" || (info.triangles === 2 && surface.size > 100);
	}

	// Colours of vertices (sRGB bytes, three or, with how much of them is seen, four each); null: its own colour again.
	tint(i, colors, width = 3) {
		const item = this.shown[i];
		if (!item || !item.mesh) return;
		const { geometry, material } = item.mesh, { surface } = item, has = "TINT" in material.defines;
		if (!colors !== !has) {
			if (colors) material.defines.TINT = 1;
			else delete material.defines.TINT;
			material.needsUpdate = true;
		}
		if (colors) {
			const drawn = surface.positions.length / 3;
			if (!geometry.attributes.tint) geometry.setAttribute("tint",
				new THREE.BufferAttribute(new Uint8Array(4 * drawn), 4, true));
			const { tint } = geometry.attributes;
			for (let v = 0; v < drawn; ++v) {
				const s = width * (surface.source ? surface.source[v] : v);
				for (let k = 0; k < 4; ++k) tint.array[4 * v + k] = k < width ? colors[s + k] : 255;
			}
			tint.needsUpdate = true;
		}
		this.dirty = true;
	}

	glow(i, amount) {
		const item = this.shown[i];
		if (!item || !item.mesh || item.mesh.material.uniforms.glow.value === amount) return;
		item.mesh.material.uniforms.glow.value = amount;
		this.dirty = true;
	}

	// Lattices and cages: as many lines as before go into the same array.
	lines(key, points) {
		const old = this.wires.get(key), there = old?.geometry.attributes.position;
		this.dirty = true;
		if (there && there.array.length === points.length) {
			there.array.set(points);
			there.needsUpdate = true;
			return;
		}
		if (old) this.dropLines(key);
		if (points.length === 0) return;
		const geometry = new THREE.BufferGeometry();
		geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
		const wire = new THREE.LineSegments(geometry,
			this.lineMaterial ||= new THREE.LineBasicMaterial({ color: 0x1d2a3a, transparent: true, opacity: 0.45,
			depthTest: false }));
		wire.frustumCulled = false;
		this.wires.set(key, wire);
		this.scene.add(wire);
	}

	dropLines(key) {
		const wire = this.wires.get(key);
		this.scene.remove(wire);
		wire.geometry.dispose();
		this.wires.delete(key);
		this.dirty = true;
	}

	// ---- rays and places ----

	ray(x, y) {
		const at = { x: 2 * x / this.width - 1, y: 1 - 2 * y / this.height };
		this.raycaster.setFromCamera(at, this.camera);
		const { origin: o, direction: d } = this.raycaster.ray;
		return { from: [o.x, o.y, o.z], towards: [d.x, d.y, d.z] };
	}

	// The nearest surface under a pixel that `wanted(info)` accepts: { i, info, triangle, at, point } or null.
	pick(x, y, wanted) {
		const { from, towards } = this.ray(x, y);
		let best = null;
		this.shown.forEach((item, i) => {
			if (!item.surface || item.ground || !wanted(item.info)) return;
			const hit = item.surface.meet(from, towards, best ? best.distance : Infinity);
			if (hit) best = { ...hit, i, info: item.info };
		});
		if (best) best.point = from.map((o, k) => o + best.distance * towards[k]);
		return best;
	}

	// Where a ray through the pixel meets the ground: fixed things that are grounds.
	pickGround(x, y) {
		const { from, towards } = this.ray(x, y);
		let distance = Infinity;
		for (const item of this.shown)
			if (item.surface && item.ground) distance = item.surface.meet(from, towards, distance)?.distance ??
				distance;
		return distance < 1e4 ? from.map((o, k) => o + distance * towards[k]) : null;
	}

	// The place under a pixel in the plane through a point that faces the camera.
	across(x, y, point) {
		const { from, towards } = this.ray(x, y), n = this.orbit.forward;
		let above = 0, along = 0;
		for (let k = 0; k < 3; ++k) above += (point[k] - from[k]) * n[k], along += towards[k] * n[k];
		const s = Math.max(above / Math.max(along, 1e-6), 1e-4);
		return from.map((o, k) => o + s * towards[k]);
	}

	// Pixels of a place, into out: [x, y, whether it is in front of the camera].
	project(p, out = [0, 0, 0]) {
		const v = this.vector.set(p[0], p[1], p[2]).applyMatrix4(this.camera.matrixWorldInverse);
		out[2] = v.z < -this.camera.near ? 1 : 0;
		v.applyMatrix4(this.camera.projectionMatrix);
		out[0] = 0.5 * (1 + v.x) * this.width, out[1] = 0.5 * (1 - v.y) * this.height;
		return out;
	}

	surface(i) {
		return this.shown[i]?.surface?.positions ? this.shown[i].surface : null;
	}

	// ---- camera ----

	// Panels cover `insets` (left, top, right, bottom): the middle of the picture is the middle of what is free.
	resize(width, height, insets) {
		this.width = width, this.height = height, this.insets = insets;
		if (this.slow && !this.steady) this.sharpness = Math.min(this.sharpness, Math.sqrt(MOST_PIXELS / (width * height)));
		const sharpness = this.still ? 1 : this.sharpness;
		this.renderer.setPixelRatio(sharpness * Math.min(window.devicePixelRatio || 1, 2));
		this.renderer.setSize(width, height, false);
		this.mask.setSize(Math.ceil(sharpness * width), Math.ceil(sharpness * height));
		this.outline.material.uniforms.pixel.value.set(1 / width, 1 / height);
		this.dirty = true;
	}

	// Called once per picture of the browser: where they come too slowly, or take too long to draw, fewer pixels are drawn.
	keepUp(now) {
		const { pace } = this, took = now - pace.last;
		pace.last = now;
		if (took > 500 || this.steady) return; // the window was hidden
		pace.mean += 0.05 * (took - pace.mean);
		if (now - pace.since < 1200) return;
		const most = this.slow ? Math.min(Math.sqrt(MOST_PIXELS / (this.width * this.height)), 0.6) : 1;
		const least = this.slow ? Math.min(Math.sqrt(LEAST_PIXELS / (this.width * this.height)), most) : 0.36;
		const late = pace.mean > 50 || (this.slow && pace.cost > TOO_LONG), early = this.slow && pace.cost < SHORT;
		const sharpness = Math.min(Math.max(this.sharpness * (late ? 0.8 : early ? 1.25 : 1), least), most);
		pace.since = now;
		if (sharpness === this.sharpness) return;
		this.sharpness = sharpness;
		this.resize(this.width, this.height, this.insets);
	}

	// What stands still is drawn as sharply as the screen can show it, when there is time for it.
	rest(now) {
		if (!this.slow || this.steady || this.still || this.dirty || this.stirred || now - this.pace.moved < REST) return;
		this.still = true;
		this.resize(this.width, this.height, this.insets);
	}

	stir() {
		this.pace.moved = performance.now();
		if (!this.still) return;
		this.still = false;
		this.resize(this.width, this.height, this.insets);
	}

	placeCamera() {
		const { camera, orbit, width, height, insets: [left, top, right, bottom] } = this;
		// What the scene's camera frames, in the shape of the scene's own pictures, fits into what is free.
		const wide = Math.max(width - left - right, 100), high = Math.max(height - top - bottom, 100);
		const fit = Math.max(1, (this.home?.aspect || 1.2) * high / wide);
		const tangent = Math.tan(0.5 * orbit.fov * Math.PI / 180) * fit * height / high;
		camera.fov = 2 * Math.atan(tangent) * 180 / Math.PI;
		camera.aspect = width / height;
		camera.near = Math.max(0.01 * orbit.distance, 1e-3), camera.far = 200 * orbit.distance + 1000;
		camera.setViewOffset(width, height, -0.5 * (left - right), -0.5 * (top - bottom), width, height);
		camera.position.set(...orbit.eye);
		camera.up.set(0, 1, 0);
		camera.lookAt(...orbit.target);
		camera.updateMatrixWorld();
		this.common.upwards.value.set(0, 1, 0).transformDirection(camera.matrixWorldInverse);
	}

	follow(i) {
		this.following = i;
		this.followed = null;
	}

	// The camera goes along with the middle of what it follows, a little behind.
	carryAlong() {
		const surface = this.surface(this.following);
		if (!surface || this.inHand) return; // else the hand, which stays on the screen, would pull ever farther
		const now = surface.center();
		const time = performance.now(), part = 1 - Math.exp(-Math.min(time - this.carried, 250) / CARRY);
		this.carried = time;
		if (this.followed) {
			const delta = now.map((x, k) => part * (x - this.followed[k]));
			if (Math.hypot(...delta) > 1e-4 * this.orbit.distance) this.dirty = true;
			this.orbit.carry(delta);
			this.followed = this.followed.map((x, k) => x + delta[k]);
		} else this.followed = now;
	}

	frame(i) {
		const surface = this.surface(i);
		if (surface) this.orbit.fit(surface.center(), surface.size);
		else this.orbit.fit(this.focus.center, 2 * this.focus.radius);
		this.dirty = true;
	}

	toHome() {
		if (this.home) this.lookAs(this.home);
	}

	// ---- drawing ----

	// The sun's shadow covers what moves and is near it.
	findFocus() {
		const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
		for (const { surface, info, ground, mesh } of this.shown) {
			if (!mesh || ground || (info.fixed && this.moves)) continue;
			for (let k = 0; k < 3; ++k) {
				low[k] = Math.min(low[k], surface.origin[k] + surface.low[k]);
				high[k] = Math.max(high[k], surface.origin[k] + surface.high[k]);
			}
		}
		if (!(low[0] <= high[0])) return;
		const { center } = this.focus;
		let square = 0;
		for (let k = 0; k < 3; ++k) center[k] = 0.5 * (low[k] + high[k]), square += (high[k] - low[k]) ** 2;
		const radius = Math.min(Math.max(0.6 * Math.sqrt(square), 1e-3), 4 * this.orbit.distance);
		this.focus.radius = 1.2 ** Math.ceil(Math.log(radius) / Math.log(1.2)); // in steps, so that shadows stay calm
	}

	get moves() {
		return this.shown.some(item => !item.info.fixed);
	}

	placeSun() {
		const { center, radius } = this.focus, { sun } = this, s = shaders.SUN, length = Math.hypot(...s);
		const reach = 1.6 * radius;
		sun.target.position.set(...center);
		sun.position.set(...center.map((c, k) => c + 4 * radius * s[k] / length));
		const c = sun.shadow.camera;
		if (c.right !== reach) {
			c.left = c.bottom = -reach, c.right = c.top = reach, c.near = 0.5 * radius, c.far = 9 * radius;
			c.updateProjectionMatrix();
		}
	}

	// The ground fades with the distance from there.
	placeFade() {
		const { center, radius } = this.focus;
		this.common.focus.value.set(...center);
		this.common.reach.value = Math.max(14 * radius, 4 * this.orbit.distance);
	}

	get hasDrifted() {
		const { focus, reach } = this.common;
		return focus.value.distanceTo(this.vector.set(...this.focus.center)) > 0.1 * reach.value;
	}

	// False: nothing has changed.
	draw() {
		this.carryAlong();
		this.pace.begun = performance.now();
		const { renderer, pace, orbit } = this, look = [...orbit.eye, ...orbit.target].join();
		if (this.slow && (this.stirred || look !== this.look)) this.stir();
		this.look = look;
		const { dirty, stirred, marked } = this;
		this.dirty = this.stirred = this.marked = false;
		if (!dirty && !stirred) return marked;
		this.findFocus();
		this.placeSun();
		const whole = dirty || this.gizmo.object !== undefined || this.hasDrifted;
		const part = this.part ? this.part.find(this, whole) : null;
		if (!part) {
			this.placeFade();
			this.placeCamera();
		}
		renderer.shadowMap.autoUpdate = !part || pace.shadows++ % SHADOWS === 0;
		this.limit(part);
		renderer.setRenderTarget(null);
		renderer.clear();
		renderer.render(this.scene, this.camera);
		if (this.selected >= 0 && !(this.slow && this.inHand)) this.drawOutline(); // it takes longer than the rest
		this.drew = true;
		if (this.gizmo.object) {
			renderer.clearDepth();
			renderer.render(this.front, this.camera);
		}
		return true;
	}

	// Where the processor draws, pictures would queue up behind each other: waits for this one. (Chromium's finish() does
	// not wait, and its fences are seen late; what is read must have been drawn.)
	settle() {
		const { context, drew, pace } = this;
		this.drew = false;
		if (!this.slow || !drew) return;
		context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, this.onePixel ||= new Uint8Array(4));
		if (!this.still) pace.cost += 0.1 * (performance.now() - pace.begun - pace.cost);
	}

	// Nothing outside of the part is touched, null: anything is.
	limit(part) {
		const { renderer, mask } = this, sharpness = this.still ? 1 : this.sharpness;
		renderer.setScissorTest(part !== null);
		mask.scissorTest = part !== null;
		if (!part) return;
		const { x, y, w, h } = part;
		renderer.setScissor(x, y, w, h);
		mask.scissor.set(Math.floor(sharpness * x), Math.floor(sharpness * y), Math.ceil(sharpness * w) + 1,
			Math.ceil(sharpness * h) + 1);
	}

	makeOutline() {
		this.mask = new THREE.WebGLRenderTarget(4, 4);
		this.maskScene = new THREE.Scene();
		this.maskMesh = new THREE.Mesh(new THREE.BufferGeometry(),
			new THREE.MeshBasicMaterial({ color: 0xffffff, side: THREE.DoubleSide }));
		this.maskMesh.frustumCulled = this.maskMesh.matrixAutoUpdate = false;
		this.maskScene.add(this.maskMesh);
		const uniforms = { mask: { value: this.mask.texture }, pixel: { value: new THREE.Vector2() },
			color: { value: new THREE.Vector3(1, 0.62, 0.1) } };
		const material = new THREE.ShaderMaterial({ uniforms, vertexShader: shaders.outlineVertex,
			fragmentShader: shaders.outlineFragment,
			transparent: true, depthTest: false, depthWrite: false });
		this.outline = new THREE.Mesh(new THREE.PlaneBufferGeometry(2, 2), material);
		this.outline.frustumCulled = false;
		this.outlineScene = new THREE.Scene();
		this.outlineScene.add(this.outline);
		this.selected = -1;
	}

	select(i) {
		this.selected = i;
		this.dirty = true;
	}

	drawOutline() {
		const item = this.shown[this.selected], { renderer } = this;
		if (!item?.mesh || item.ground) return;
		this.maskMesh.geometry = item.mesh.geometry;
		this.maskMesh.matrix.copy(item.mesh.matrix);
		renderer.setRenderTarget(this.mask);
		renderer.setClearColor(0x000000, 1);
		renderer.clear();
		renderer.render(this.maskScene, this.camera);
		renderer.setRenderTarget(null);
		renderer.render(this.outlineScene, this.camera);
	}

	// ---- gizmo: moves, turns or scales a frame; the caller gets it while it changes and at the end ----

	makeGizmo() {
		this.front = new THREE.Scene();
		this.frame3 = new THREE.Object3D();
		this.gizmo = new TransformControls(this.camera, document.createElement("div")); // pointers come from pointer.js
		this.gizmo.setSize(0.75);
		this.front.add(this.frame3, this.gizmo);
		this.gizmo.addEventListener("objectChange", () => {
			this.dirty = true;
			if (this.gizmoTold) this.gizmoTold.change(this.gizmoFrame());
		});
	}

	gizmoFrame() {
		const { position: p, quaternion: q, scale: s } = this.frame3;
		return { position: [p.x, p.y, p.z], rotation: [q.w, q.x, q.y, q.z], scale: [s.x, s.y, s.z] };
	}

	showGizmo({ position, rotation = [1, 0, 0, 0], scale = [1, 1, 1] }, mode, told) {
		this.frame3.position.set(...position);
		this.frame3.quaternion.set(rotation[1], rotation[2], rotation[3], rotation[0]);
		this.frame3.scale.set(...scale);
		this.gizmo.setMode(mode);
		this.gizmo.setSpace(mode === "translate" ? "world" : "local");
		this.gizmo.attach(this.frame3);
		this.gizmoTold = told;
		this.dirty = true;
	}

	get gizmoDragged() {
		return this.gizmo.dragging;
	}

	hideGizmo() {
		this.gizmo.detach();
		this.gizmoTold = null;
		this.dirty = true;
	}

	// Pixels of the arrow of an axis, or null: where a drag moves along it.
	gizmoTip(axis) {
		if (!this.gizmo.object) return null;
		// as TransformControls scales itself
		const { position: p } = this.frame3, reach = 0.8 * 0.75 / 7 * this.camera.position.distanceTo(p);
		const tip = [p.x, p.y, p.z];
		tip[axis] += reach;
		return this.project(tip).slice(0, 2);
	}

	// Kinds: "hover", "down", "move", "up". True when the pointer is on the gizmo or drags it.
	gizmoPointer(kind, x, y) {
		const { gizmo } = this;
		if (!gizmo.object) return false;
		const at = { x: 2 * x / this.width - 1, y: 1 - 2 * y / this.height, button: kind === "hover" ? undefined : 0 };
		const before = gizmo.axis;
		if (kind === "hover" || kind === "down") gizmo.pointerHover(at);
		if (kind === "down") gizmo.pointerDown(at);
		if (kind === "move") gizmo.pointerMove(at);
		const dragged = gizmo.dragging;
		if (kind === "up") {
			gizmo.pointerUp(at);
			if (dragged && this.gizmoTold) this.gizmoTold.end(this.gizmoFrame());
		}
		if (gizmo.axis !== before) this.dirty = true;
		return gizmo.axis !== null || dragged;
	}

	// Shows a surface moved by the change from one frame to another, until it is null: what an edit will give.
	preview(i, from, to) {
		const item = this.shown[i];
		if (!item?.mesh) return;
		item.held = to !== null;
		const [x, y, z] = item.surface.origin, { matrix } = item.mesh;
		matrix.makeTranslation(x, y, z);
		if (to) {
			const pose = f => new THREE.Matrix4().compose(new THREE.Vector3(...f.position),
				new THREE.Quaternion(f.rotation[1], f.rotation[2], f.rotation[3], f.rotation[0]),
					new THREE.Vector3(...f.scale));
			matrix.premultiply(new THREE.Matrix4().getInverse(pose(from))).premultiply(pose(to));
		}
		item.mesh.matrixWorldNeedsUpdate = true;
		this.dirty = true;
	}
}
