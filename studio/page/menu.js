// menu.js: a small card that opens at a button and closes by Escape, by a click elsewhere, or by what was chosen.

import { clamp, el } from "./dom.js";

export function makeMenu(opener, label, build) {
	const card = el("div", { class: "menu", role: "dialog", "aria-label": label, hidden: true });
	document.body.append(card);
	opener.setAttribute("aria-haspopup", "true");
	opener.setAttribute("aria-expanded", "false");

	const close = giveBack => {
		if (card.hidden) return;
		card.hidden = true;
		opener.setAttribute("aria-expanded", "false");
		if (giveBack) opener.focus();
	};
	const place = () => {
		const box = opener.getBoundingClientRect(), { offsetWidth: w, offsetHeight: h } = card;
		const above = box.top > window.innerHeight / 2;
		card.style.left = `${clamp(box.left + box.width / 2 - w / 2, 8, window.innerWidth - w - 8)}px`;
		card.style.top = `${Math.max(8, above ? box.top - h - 10 : box.bottom + 10)}px`;
	};
	const open = () => {
		card.replaceChildren(...[build(close)].flat());
		card.hidden = false;
		opener.setAttribute("aria-expanded", "true");
		place();
		card.querySelector("button, input, select")?.focus();
	};
	opener.addEventListener("click", event => {
		event.stopPropagation();
		if (card.hidden) open();
		else close(true);
	});
	document.addEventListener("pointerdown", event => {
		if (!card.hidden && !card.contains(event.target) && !opener.contains(event.target)) close(false);
	});
	card.addEventListener("keydown", event => {
		if (event.key === "Escape") close(true);
		const items = [...card.querySelectorAll("button, input, select")], at = items.indexOf(document.activeElement);
		if (document.activeElement?.tagName === "BUTTON" && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
			items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length].focus();
			event.preventDefault();
		}
	});
	window.addEventListener("resize", () => close(false));
	return { close, open, get shown() { return !card.hidden; },
		refresh: () => { if (!card.hidden) card.replaceChildren(...[build(close)].flat()), place(); } };
}
