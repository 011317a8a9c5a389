// link.js: the socket. Text is JSON both ways; binary messages are pictures of the world (docs/live.md). A lost
// connection is taken up again by itself, slower with every try.

const HEADER = 32;

// The token comes with the address once; it is kept for reloads of this tab and not left in the address.
export function findToken() {
	const given = /(?:^#|&)token=([0-9a-fA-F]+)/.exec(location.hash);
	if (given) {
		sessionStorage.setItem("limber-token", given[1]);
		history.replaceState(null, "", location.pathname);
	}
	return sessionStorage.getItem("limber-token") || "";
}

// Calls sink.topology, .positions, .colors, .lines, .numbers, and .frame(frame) at the end of each frame. Numbers and
// positions are views of the message: they must be copied before the next one.
export function decode(buffer, sink) {
	const data = new DataView(buffer);
	if (buffer.byteLength < HEADER ||
		data.getUint32(0, true) !== 0x31464d4c) throw new Error("not a picture of limber");
	const kind = data.getUint8(4), frame = Number(data.getBigInt64(8, true));
	const sections = data.getUint32(20, true), numbers = data.getUint32(24, true);
	let at = HEADER;
	if (numbers > 0) sink.numbers(new Float32Array(buffer, at, numbers), frame);
	at += 4 * numbers;
	for (let i = 0; i < sections; ++i) {
		const surface = data.getUint32(at, true), count = data.getUint32(at + 4, true);
		at += 8;
		if (kind === 0) {
			sink.topology(surface, new Uint32Array(buffer, at, 3 * count));
			at += 12 * count;
		} else if (kind === 1) {
			const x = data.getFloat64(at, true), y = data.getFloat64(at + 8, true), z = data.getFloat64(at + 16, true);
			at += 24;
			sink.positions(surface, new Float32Array(buffer, at, 3 * count), x, y, z);
			at += 12 * count;
		} else if (kind === 2) {
			sink.colors(surface, new Uint8Array(buffer, at, 3 * count));
			at += 4 * Math.ceil(3 * count / 4);
		} else if (kind === 3) {
			sink.lines(surface, new Float32Array(buffer, at, 6 * count));
			at += 24 * count;
		}
	}
	if (kind === 1) sink.frame(frame, data.getUint32(16, true));
}

export class Link {
	constructor({ open, lost, text, binary }) {
		this.to = { open, lost, text, binary };
		this.token = findToken();
		this.tries = 0;
		this.seq = 0;
		this.sent = 0;
		this.connect();
	}

	connect() {
		const socket = new WebSocket(`ws://${location.host}/?token=${this.token}`, "limber");
		socket.binaryType = "arraybuffer";
		socket.onopen = () => {
			this.tries = 0;
			this.to.open();
		};
		socket.onmessage = event => {
			if (typeof event.data === "string") this.to.text(JSON.parse(event.data));
			else this.to.binary(event.data);
		};
		socket.onclose = event => {
			if (this.socket !== socket) return;
			this.to.lost(event, this.tries);
			const wait = Math.min(250 * 2 ** this.tries++, 5000);
			setTimeout(() => this.connect(), wait);
		};
		this.socket = socket;
	}

	get open() {
		return this.socket.readyState === WebSocket.OPEN;
	}

	// False when there is nobody to tell: nothing is kept for later, since the world has moved on by then.
	send(message) {
		if (!this.open) return false;
		this.socket.send(JSON.stringify(message));
		++this.sent;
		return true;
	}

	// With a number that an answer repeats.
	ask(message) {
		this.send({ ...message, seq: ++this.seq });
		return this.seq;
	}

	// Returns the name under which it was stored: what is there already is not written over.
	async upload(file, name) {
		const answer = await fetch(`/upload?token=${this.token}&name=${encodeURIComponent(name)}`,
			{ method: "POST", body: file });
		const told = await answer.json().catch(() => ({ error: `${name} could not be sent` }));
		if (!answer.ok || told.error) throw new Error(told.error || `${name} could not be sent`);
		return told.stored;
	}
}
