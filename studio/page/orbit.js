// orbit.js: the camera as a place looked at, a distance and two angles, and what gestures do to it. y is up.

import { clamp } from "./dom.js";

export class Orbit {
	constructor() {
		this.target = [0, 0, 0];
		this.distance = 5;
		this.yaw = 0;   // about y; 0 looks along -z
		this.pitch = 0.2; // above the horizon
		this.fov = 35;
		this.floor = -Infinity; // the eye stays above it
	}

	// Raises the eye where it has come below the floor.
	above() {
		const least = (this.floor + 0.01 * this.distance - this.target[1]) / this.distance;
		if (Math.sin(this.pitch) < least) this.pitch = Math.asin(clamp(least, -1, 0.9));
	}

	look({ eye, target, fov }) {
		const d = eye.map((x, k) => x - target[k]);
		this.target = target.slice();
		this.distance = Math.max(Math.hypot(...d), 1e-4);
		this.yaw = Math.atan2(d[0], d[2]);
		this.pitch = Math.asin(clamp(d[1] / this.distance, -1, 1));
		this.fov = fov || 35;
	}

	get eye() {
		const c = Math.cos(this.pitch) * this.distance, t = this.target;
		return [t[0] + c * Math.sin(this.yaw), t[1] + this.distance * Math.sin(this.pitch),
			t[2] + c * Math.cos(this.yaw)];
	}

	get right() {
		return [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
	}

	get forward() {
		const c = Math.cos(this.pitch);
		return [-c * Math.sin(this.yaw), -Math.sin(this.pitch), -c * Math.cos(this.yaw)];
	}

	get up() {
		const s = Math.sin(this.pitch);
		return [-s * Math.sin(this.yaw), Math.cos(this.pitch), -s * Math.cos(this.yaw)];
	}

	// Metres per pixel at the place looked at, in a picture of this height.
	scale(height) {
		return 2 * this.distance * Math.tan(0.5 * this.fov * Math.PI / 180) / height;
	}

	turn(dx, dy) {
		this.yaw -= 0.006 * dx;
		this.pitch = clamp(this.pitch + 0.006 * dy, -1.55, 1.55);
		this.above();
	}

	pan(dx, dy, height) {
		const s = this.scale(height), { right, up } = this;
		for (let k = 0; k < 3; ++k) this.target[k] += s * (up[k] * dy - right[k] * dx);
		this.above();
	}

	zoom(factor) {
		this.distance = clamp(this.distance * factor, 1e-3, 1e5);
		this.above();
	}

	// Keeps a place at the same distance from the middle of the picture.
	carry(delta) {
		for (let k = 0; k < 3; ++k) this.target[k] += delta[k];
	}

	fit(center, size) {
		this.target = center.slice();
		this.distance = Math.max(0.75 * size / Math.tan(0.5 * this.fov * Math.PI / 180), 1e-3);
	}
}
