// @ts-check
// The graph on a canvas: d3-force lays it out, this draws it, and hears the mouse.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "../vendor/d3-force.js";
import { colour } from "./colours.js";

const FACE = "system-ui, sans-serif";
const LABELLED = 60; // relations that are all named; of more, those of the thing under the mouse
const SETTLE = 140; // steps of the layout before the first picture, so that nothing jumps

/**
 * Draw until the function that is returned is called.
 * @param {HTMLCanvasElement} canvas @param {any[]} nodes @param {any[]} edges
 * @param {{hover: (node: any) => void, pick: (node: any) => void}} hears
 */
export function draw(canvas, nodes, edges, hears) {
    const known = new Set(nodes.map((node) => node.id));
    const links = edges.filter((edge) => known.has(edge.source) && known.has(edge.target)).map((edge) => ({ ...edge }));
    const layout = forceSimulation(nodes)
        .force("link", forceLink(links).id((/** @type {any} */ node) => node.id).distance(165))
        .force("apart", forceManyBody().strength(-700).distanceMax(600))
        .force("x", forceX().strength(0.05))
        .force("y", forceY().strength(0.07))
        .force("room", forceCollide(13))
        .stop();
    layout.tick(SETTLE);
    const view = { scale: 1, x: 0, y: 0 };
    const state = { over: /** @type {any} */ (null), held: /** @type {any} */ (null), moved: false, last: [0, 0] };
    const paint = painter(canvas, nodes, links, view, state);
    fit(canvas, nodes, view);
    layout.on("tick", paint);
    const watch = new ResizeObserver(() => (fit(canvas, nodes, view), paint()));
    watch.observe(canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", paint);
    const deaf = listen(canvas, nodes, view, state, layout, paint, hears);
    paint();
    canvas.dataset.drawn = String(nodes.length);
    return () => {
        layout.stop();
        watch.disconnect();
        scheme.removeEventListener("change", paint);
        deaf();
    };
}

/** Let everything be seen. @param {HTMLCanvasElement} canvas @param {any[]} nodes @param {any} view */
function fit(canvas, nodes, view) {
    const [xs, ys] = [nodes.map((node) => node.x), nodes.map((node) => node.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = 70;
    view.scale = Math.min(1.25, canvas.clientWidth / (right - left + 2 * room), canvas.clientHeight / (bottom - top + 2 * room));
    view.x = canvas.clientWidth / 2 - ((left + right) / 2) * view.scale;
    view.y = canvas.clientHeight / 2 - ((top + bottom) / 2) * view.scale;
}

/** @param {HTMLCanvasElement} canvas @param {any[]} nodes @param {any[]} links @param {any} view @param {any} state */
function painter(canvas, nodes, links, view, state) {
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    return () => {
        const ratio = devicePixelRatio || 1;
        canvas.width = canvas.clientWidth * ratio;
        canvas.height = canvas.clientHeight * ratio;
        pen.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
        const ink = Object.fromEntries(["ink", "soft", "edge", "line", "sheet", "names"].map((name) => [name, colour(name)]));
        for (const link of links) line(pen, link, ink, state.over);
        for (const node of nodes) dot(pen, node, ink, state.over === node);
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        labels(pen, nodes, links, ink, state.over, view);
    };
}

/** @param {CanvasRenderingContext2D} pen @param {any} link @param {Record<string, string>} ink @param {any} over */
function line(pen, { source, target }, ink, over) {
    const isNear = over && (source === over || target === over);
    pen.strokeStyle = isNear ? ink.ink : ink.edge;
    pen.lineWidth = isNear ? 1.6 : 0.8;
    pen.beginPath();
    pen.moveTo(source.x, source.y);
    pen.lineTo(target.x, target.y);
    pen.stroke();
}

/** @param {CanvasRenderingContext2D} pen @param {any} node @param {Record<string, string>} ink @param {boolean} isOver */
function dot(pen, node, ink, isOver) {
    pen.beginPath();
    pen.arc(node.x, node.y, node.isMiddle ? 10 : 6.5, 0, 2 * Math.PI);
    pen.fillStyle = ink[node.group];
    pen.fill();
    pen.lineWidth = isOver || node.isMiddle ? 2.5 : 1.5;
    pen.strokeStyle = isOver ? ink.ink : ink.sheet;
    pen.stroke();
}

/** Names in a size that does not change, as long as they cover neither each other nor a dot. @param {CanvasRenderingContext2D} pen @param {any[]} nodes @param {any[]} links @param {Record<string, string>} ink @param {any} over @param {any} view */
function labels(pen, nodes, links, ink, over, view) {
    const at = (/** @type {any} */ node) => [node.x * view.scale + view.x, node.y * view.scale + view.y];
    const room = 8 * view.scale + 2;
    const taken = nodes.map((node) => [at(node)[0] - room, at(node)[1] - room, at(node)[0] + room, at(node)[1] + room]);
    const covers = (/** @type {number[]} */ box) => taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
    pen.font = `12px ${FACE}`;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 4;
    pen.strokeStyle = ink.sheet;
    for (const node of [...nodes].sort((a, b) => Number(b === over) - Number(a === over) || Number(b.isMiddle ?? 0) - Number(a.isMiddle ?? 0) || b.times - a.times)) {
        const [x, y] = at(node);
        const text = short(node.name.replaceAll("`", ""));
        const half = pen.measureText(text).width / 2;
        const gap = 11 * view.scale + 4;
        const spot = [y + gap + 9, y - gap].find((line) => !covers([x - half, line - 11, x + half, line + 4])) ?? (node === over || node.isMiddle ? y + gap + 9 : 0);
        if (!spot) continue;
        const left = Math.max(half + 4, Math.min(pen.canvas.clientWidth - half - 4, x)); // no name is cut at an edge
        taken.push([left - half, spot - 11, left + half, spot + 4]);
        pen.strokeText(text, left, spot);
        pen.fillStyle = ink.ink;
        pen.fillText(text, left, spot);
    }
    pen.font = `italic 11px ${FACE}`;
    for (const link of [...links].sort((a, b) => Number(isAt(b, over)) - Number(isAt(a, over)))) {
        if (!isAt(link, over) && links.length > LABELLED) continue;
        const [[x1, y1], [x2, y2]] = [at(link.source), at(link.target)];
        const text = short(link.relation.replaceAll("_", " "));
        const half = pen.measureText(text).width / 2;
        const spot = [0.5, 0.38, 0.62, 0.28, 0.72].map((part) => [x1 + part * (x2 - x1), y1 + part * (y2 - y1) + 4]).find(([x, y]) => !covers([x - half, y - 10, x + half, y + 3]));
        if (!spot) continue;
        taken.push([spot[0] - half, spot[1] - 10, spot[0] + half, spot[1] + 3]);
        pen.strokeText(text, spot[0], spot[1]);
        pen.fillStyle = ink.soft;
        pen.fillText(text, spot[0], spot[1]);
    }
}

/** @param {any} link @param {any} node */
const isAt = (link, node) => Boolean(node) && (link.source === node || link.target === node);

/** @param {string} text */
const short = (text) => (text.length > 30 ? `${text.slice(0, 28).trimEnd()}…` : text);

/**
 * @param {HTMLCanvasElement} canvas @param {any[]} nodes @param {any} view @param {any} state @param {any} layout
 * @param {() => void} paint @param {{hover: (node: any) => void, pick: (node: any) => void}} hears
 */
function listen(canvas, nodes, view, state, layout, paint, hears) {
    const at = (/** @type {MouseEvent} */ event) => {
        const box = canvas.getBoundingClientRect();
        return [(event.clientX - box.left - view.x) / view.scale, (event.clientY - box.top - view.y) / view.scale];
    };
    const under = (/** @type {MouseEvent} */ event) => {
        const [x, y] = at(event);
        return nodes.find((node) => Math.hypot(node.x - x, node.y - y) < 14) ?? null;
    };
    const heard = {
        pointerdown: (/** @type {PointerEvent} */ event) => {
            canvas.setPointerCapture(event.pointerId);
            [state.held, state.moved, state.last] = [under(event) ?? canvas, false, [event.clientX, event.clientY]];
        },
        pointermove: (/** @type {PointerEvent} */ event) => (state.held ? drag(event) : hover(under(event))),
        pointerup: () => {
            if (state.held !== canvas && state.held && !state.moved) hears.pick(state.held);
            if (state.held) [state.held.fx, state.held.fy] = [null, null];
            state.held = null;
        },
        wheel: (/** @type {WheelEvent} */ event) => {
            event.preventDefault();
            const box = canvas.getBoundingClientRect();
            const [x, y] = [event.clientX - box.left, event.clientY - box.top];
            const scale = Math.min(4, Math.max(0.2, view.scale * Math.exp(-event.deltaY / 500)));
            [view.x, view.y] = [x - ((x - view.x) * scale) / view.scale, y - ((y - view.y) * scale) / view.scale];
            view.scale = scale;
            paint();
        },
    };
    const drag = (/** @type {PointerEvent} */ event) => {
        const [dx, dy] = [event.clientX - state.last[0], event.clientY - state.last[1]];
        if (Math.abs(dx) + Math.abs(dy) > 3) state.moved = true;
        if (!state.moved) return;
        if (state.held === canvas) [view.x, view.y, state.last] = [view.x + dx, view.y + dy, [event.clientX, event.clientY]];
        else {
            [state.held.fx, state.held.fy] = at(event);
            layout.alpha(0.3).restart();
        }
        paint();
    };
    const hover = (/** @type {any} */ node) => {
        if (node === state.over) return;
        state.over = node;
        canvas.style.cursor = node ? "pointer" : "grab";
        hears.hover(node);
        paint();
    };
    for (const [name, hear] of Object.entries(heard)) canvas.addEventListener(name, /** @type {any} */ (hear), { passive: false });
    return () => {
        for (const [name, hear] of Object.entries(heard)) canvas.removeEventListener(name, /** @type {any} */ (hear));
    };
}
