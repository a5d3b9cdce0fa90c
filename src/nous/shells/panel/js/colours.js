// @ts-check
// A colour of the style sheet, for a canvas: light or dark, as the page is now.

/** @param {string} name */
export function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
}
