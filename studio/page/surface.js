// surface.js: a shown surface as typed arrays, and what is computed of it: normals, creases, the triangle under a ray,
// distances along the surface for brushes. Nothing here allocates per frame.
//
// Where two triangles meet at more than 40 degrees their corners get vertices of their own, so that boxes have edges and
// balls have none: "drawn" vertices, `source` says which vertex of the world each is.

const CREASE = Math.cos(40 * Math.PI / 180);
export const FLAT_FROM = 60000; // vertices: above it shading is flat, by the shader, and costs nothing here

export class Surface {
	constructor(triangles) {
		this.triangles = new Uint32Array(triangles);
		this.corners = this.triangles; // drawn vertices of the triangles
		this.source = null;            // vertex of each drawn vertex; null: the same
		this.count = 0;                // vertices
		this.positions = null;         // of drawn vertices, relative to the origin
		this.normals = null;           // area weighted, not of unit length: the shader sees to that
		this.origin = [0, 0, 0];
		this.low = [0, 0, 0];          // box around it, relative to the origin
		this.high = [0, 0, 0];
		this.neighbours = null;
	}

	get flat() {
		return this.normals === null;
	}

	// The first positions decide where creases are.
	begin(points) {
		this.count = points.length / 3;
		const flat = this.count > FLAT_FROM;
		if (!flat) this.split(points);
		const drawn = this.source ? this.source.length : this.count;
		this.positions = new Float32Array(3 * drawn);
		this.normals = flat ? null : new Float32Array(3 * drawn);
	}

	move(points, x, y, z) {
		if (this.positions === null) this.begin(points);
		const { positions, source, origin } = this;
		origin[0] = x, origin[1] = y, origin[2] = z;
		if (source === null) positions.set(points);
		else for (let i = 0, k = 0; i < source.length; ++i) {
			const j = 3 * source[i];
			positions[k++] = points[j], positions[k++] = points[j + 1], positions[k++] = points[j + 2];
		}
		this.measure();
		if (this.normals !== null) sumNormals(positions, this.corners, this.normals);
	}

	measure() {
		const p = this.positions;
		let a = Infinity, b = Infinity, c = Infinity, d = -Infinity, e = -Infinity, f = -Infinity;
		for (let i = 0; i < p.length; i += 3) {
			const x = p[i], y = p[i + 1], z = p[i + 2];
			if (x < a) a = x;
			if (x > d) d = x;
			if (y < b) b = y;
			if (y > e) e = y;
			if (z < c) c = z;
			if (z > f) f = z;
		}
		const { low, high } = this;
		low[0] = a, low[1] = b, low[2] = c, high[0] = d, high[1] = e, high[2] = f;
	}

	// Corners of a vertex stay together where the triangles between them meet smoothly (union of corners over edges).
	split(points) {
		const t = this.triangles, corners = t.length, faces = faceNormals(points, t);
		const parent = new Uint32Array(corners);
		for (let c = 0; c < corners; ++c) parent[c] = c;
		const root = c => {
			while (parent[c] !== c) c = parent[c] = parent[parent[c]];
			return c;
		};
		const join = (a, b) => {
			const x = root(a), y = root(b);
			if (x !== y) parent[Math.max(x, y)] = Math.min(x, y);
		};
		const edges = new Map();
		for (let c = 0; c < corners; ++c) {
			const next = c % 3 === 2 ? c - 2 : c + 1, a = t[c], b = t[next];
			const key = a < b ? a * this.count + b : b * this.count + a, other = edges.get(key);
			if (other === undefined) {
				edges.set(key, c);
				continue;
			}
			const otherNext = other % 3 === 2 ? other - 2 : other + 1;
			const f = 3 * Math.floor(c / 3), g = 3 * Math.floor(other / 3);
			const cosine = faces[f] * faces[g] + faces[f + 1] * faces[g + 1] + faces[f + 2] * faces[g + 2];
			if (cosine < (t[other] === a ? -CREASE : CREASE)) continue; // equal directions: one is turned over
			join(c, t[other] === a ? other : otherNext);
			join(next, t[other] === a ? otherNext : other);
		}
		this.number(root);
	}

	number(root) {
		const t = this.triangles, drawn = new Int32Array(t.length).fill(-1),
			first = new Int32Array(this.count).fill(-1);
		const corners = new Uint32Array(t.length), extra = [];
		for (let c = 0; c < t.length; ++c) {
			const r = root(c);
			if (drawn[r] < 0) {
				if (first[t[c]] < 0) first[t[c]] = drawn[r] = t[c]; // the first of a vertex keeps its number
				else drawn[r] = this.count + extra.push(t[c]) - 1;
			}
			corners[c] = drawn[r];
		}
		if (extra.length === 0) return;
		this.corners = corners;
		this.source = new Uint32Array(this.count + extra.length);
		for (let v = 0; v < this.count; ++v) this.source[v] = v;
		this.source.set(extra, this.count);
	}

	// Nearest triangle that a ray meets: { triangle, at, distance } or null. Origin and direction are world coordinates.
	meet(from, towards, limit = Infinity) {
		const { origin, positions: p, corners: t } = this;
		if (p === null) return null;
		const ox = from[0] - origin[0], oy = from[1] - origin[1], oz = from[2] - origin[2];
		const [dx, dy, dz] = towards;
		if (!meetsBox(this.low, this.high, ox, oy, oz, dx, dy, dz)) return null;
		let best = limit, triangle = -1, bu = 0, bv = 0;
		for (let k = 0; k < t.length; k += 3) {
			const i = 3 * t[k], j = 3 * t[k + 1], l = 3 * t[k + 2];
			const ax = p[i], ay = p[i + 1], az = p[i + 2];
			const ex = p[j] - ax, ey = p[j + 1] - ay, ez = p[j + 2] - az;
			const fx = p[l] - ax, fy = p[l + 1] - ay, fz = p[l + 2] - az;
			const px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx; // Moeller and Trumbore 1997
			const det = ex * px + ey * py + ez * pz;
			if (det === 0) continue;
			const inverse = 1 / det, sx = ox - ax, sy = oy - ay, sz = oz - az;
			const u = (sx * px + sy * py + sz * pz) * inverse;
			if (u < 0 || u > 1) continue;
			const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
			const v = (dx * qx + dy * qy + dz * qz) * inverse;
			if (v < 0 || u + v > 1) continue;
			const distance = (fx * qx + fy * qy + fz * qz) * inverse;
			if (distance <= 0 || distance >= best) continue;
			best = distance, triangle = k / 3, bu = u, bv = v;
		}
		return triangle < 0 ? null : { triangle, at: [1 - bu - bv, bu, bv], distance: best };
	}

	// The place of barycentric coordinates in a triangle, now.
	point(triangle, at, out = [0, 0, 0]) {
		const { origin, positions: p, corners: t } = this;
		for (let k = 0; k < 3; ++k) {
			out[k] = origin[k];
			for (let c = 0; c < 3; ++c) out[k] += at[c] * p[3 * t[3 * triangle + c] + k];
		}
		return out;
	}

	center(out = [0, 0, 0]) {
		for (let k = 0; k < 3; ++k) out[k] = this.origin[k] + 0.5 * (this.low[k] + this.high[k]);
		return out;
	}

	get size() {
		return Math.hypot(this.high[0] - this.low[0], this.high[1] - this.low[1], this.high[2] - this.low[2]);
	}

	// Vertices within `radius` of a point in a triangle, with their distance along edges: calls visit(vertex, distance).
	around(triangle, at, radius, visit) {
		this.neighbours ||= edgesOf(this.triangles, this.count);
		const { starts, ends } = this.neighbours, here = this.point(triangle, at), p = this.positions, o = this.origin;
		const best = new Map(), heap = new Heap();
		for (let c = 0; c < 3; ++c) {
			const v = this.triangles[3 * triangle + c];
			const d = Math.hypot(p[3 * v] + o[0] - here[0], p[3 * v + 1] + o[1] - here[1], p[3 * v + 2] +
				o[2] - here[2]);
			best.set(v, d);
			heap.push(d, v);
		}
		while (heap.size > 0) {
			const [d, v] = heap.pop();
			if (d > radius) break;
			if (d > best.get(v)) continue;
			visit(v, d);
			for (let k = starts[v]; k < starts[v + 1]; ++k) {
				const w = ends[k], x = 3 * v, y = 3 * w;
				const way = d + Math.hypot(p[x] - p[y], p[x + 1] - p[y + 1], p[x + 2] - p[y + 2]);
				if (way <= radius && way < (best.get(w) ?? Infinity)) {
					best.set(w, way);
					heap.push(way, w);
				}
			}
		}
	}
}

function faceNormals(p, t) {
	const faces = new Float32Array(t.length);
	for (let k = 0; k < t.length; k += 3) {
		const i = 3 * t[k], j = 3 * t[k + 1], l = 3 * t[k + 2];
		const ex = p[j] - p[i], ey = p[j + 1] - p[i + 1], ez = p[j + 2] - p[i + 2];
		const fx = p[l] - p[i], fy = p[l + 1] - p[i + 1], fz = p[l + 2] - p[i + 2];
		const x = ey * fz - ez * fy, y = ez * fx - ex * fz, z = ex * fy - ey * fx, length = Math.hypot(x, y, z) || 1;
		faces[k] = x / length, faces[k + 1] = y / length, faces[k + 2] = z / length;
	}
	return faces;
}

export function sumNormals(p, t, n) {
	n.fill(0);
	for (let k = 0; k < t.length; k += 3) {
		const i = 3 * t[k], j = 3 * t[k + 1], l = 3 * t[k + 2];
		const ax = p[i], ay = p[i + 1], az = p[i + 2];
		const ex = p[j] - ax, ey = p[j + 1] - ay, ez = p[j + 2] - az;
		const fx = p[l] - ax, fy = p[l + 1] - ay, fz = p[l + 2] - az;
		const x = ey * fz - ez * fy, y = ez * fx - ex * fz, z = ex * fy - ey * fx;
		n[i] += x, n[i + 1] += y, n[i + 2] += z;
		n[j] += x, n[j + 1] += y, n[j + 2] += z;
		n[l] += x, n[l + 1] += y, n[l + 2] += z;
	}
}

function meetsBox(low, high, ox, oy, oz, dx, dy, dz) {
	let near = 0, far = Infinity;
	const o = [ox, oy, oz], d = [dx, dy, dz];
	for (let k = 0; k < 3; ++k) {
		const a = (low[k] - 1e-6 - o[k]) / d[k], b = (high[k] + 1e-6 - o[k]) / d[k];
		if (d[k] === 0 && (o[k] < low[k] || o[k] > high[k])) return false;
		if (d[k] === 0) continue;
		near = Math.max(near, Math.min(a, b)), far = Math.min(far, Math.max(a, b));
	}
	return near <= far;
}

// Vertices at the other ends of each vertex's edges, one list after the other; an edge of two triangles is in it twice.
function edgesOf(t, count) {
	const starts = new Uint32Array(count + 1);
	for (let c = 0; c < t.length; ++c) starts[t[c] + 1] += 2;
	for (let v = 0; v < count; ++v) starts[v + 1] += starts[v];
	const ends = new Uint32Array(2 * t.length), fill = starts.slice();
	for (let k = 0; k < t.length; k += 3)
		for (let c = 0; c < 3; ++c) {
			const v = t[k + c];
			ends[fill[v]++] = t[k + (c + 1) % 3];
			ends[fill[v]++] = t[k + (c + 2) % 3];
		}
	return { starts, ends };
}

class Heap {
	constructor() {
		this.items = [];
	}

	get size() {
		return this.items.length;
	}

	push(key, value) {
		const items = this.items;
		let i = items.push([key, value]) - 1;
		for (let up = (i - 1) >> 1; i > 0 && items[up][0] > items[i][0]; i = up, up = (i - 1) >> 1)
			[items[up], items[i]] = [items[i], items[up]];
	}

	pop() {
		const items = this.items, top = items[0], last = items.pop();
		if (items.length === 0) return top;
		items[0] = last;
		for (let i = 0; ;) {
			let least = i;
			for (const c of [2 * i + 1, 2 * i + 2]) if (c < items.length && items[c][0] < items[least][0]) least = c;
			if (least === i) return top;
			[items[least], items[i]] = [items[i], items[least]];
			i = least;
		}
	}
}
