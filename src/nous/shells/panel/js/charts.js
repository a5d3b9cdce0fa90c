// @ts-check
// The one kind of chart the panel has: something that grows, day by day.

import Plot from "../vendor/uplot.js";
import { colour } from "./colours.js";

const DAY = 86400;

/** How many memories were in use, day by day. @param {HTMLElement} box @param {{day: string, learned: number, ended: number}[]} days */
export function growth(box, days) {
    linkStyle();
    let sum = 0;
    const times = days.map(({ day }) => Date.parse(day) / 1000);
    const counts = days.map(({ learned, ended }) => (sum += learned - ended));
    const font = `12px ${getComputedStyle(document.documentElement).fontFamily}`;
    const axis = { stroke: colour("soft"), font, grid: { stroke: colour("line"), width: 1 }, ticks: { show: false } };
    const options = {
        width: box.clientWidth,
        height: 190,
        cursor: { show: false },
        legend: { show: false },
        scales: { x: { time: true }, y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ most) => [0, Math.max(4, most * 1.1)] } },
        axes: [{ ...axis, grid: { show: false }, incrs: [1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY), values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map(named), space: 60 }, { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000] }],
        series: [{}, { stroke: colour("accent"), width: 2, fill: colour("accent-wash"), points: { show: false } }],
    };
    const plot = new Plot(options, [times, counts], box);
    const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: 190 }));
    watch.observe(box);
    return { destroy: () => (watch.disconnect(), plot.destroy()) };
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const named = (/** @type {number} */ at) => days.format(new Date(at * 1000));

function linkStyle() {
    if (document.querySelector("link[href='vendor/uplot.css']")) return;
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = "vendor/uplot.css";
    document.head.append(link);
}
