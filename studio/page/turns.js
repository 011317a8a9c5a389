// turns.js: rotations as scenes write them (a quaternion [w, x, y, z], or an axis with degrees), and as people read them
// (degrees about x, y and z, applied in this order).

export function readTurn(rotation) {
	if (Array.isArray(rotation) && rotation.length === 4) {
		const length = Math.hypot(...rotation) || 1;
		return rotation.map(x => x / length);
	}
	if (rotation?.axis) {
		const length = Math.hypot(...rotation.axis) || 1, half = 0.5 * (rotation.degrees || 0) * Math.PI / 180;
		return [Math.cos(half), ...rotation.axis.map(x => x / length * Math.sin(half))];
	}
	return [1, 0, 0, 0];
}

export const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];

// A vector, turned.
export const turn = (q, v) => times(times(q, [0, ...v]), conjugate(q)).slice(1);

const times = (a, b) => [
	a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
	a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
	a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
	a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export function turnFromDegrees(degrees) {
	const about = k => {
		const half = 0.5 * degrees[k] * Math.PI / 180, q = [Math.cos(half), 0, 0, 0];
		q[k + 1] = Math.sin(half);
		return q;
	};
	return times(about(2), times(about(1), about(0)));
}

export function degreesOf([w, x, y, z]) {
	const sine = Math.min(Math.max(2 * (w * y - z * x), -1), 1);
	return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(sine), Math.atan2(2 * (w * z + x * y),
		1 - 2 * (y * y + z * z))].map(a => Number((a * 180 / Math.PI).toFixed(2)));
}
