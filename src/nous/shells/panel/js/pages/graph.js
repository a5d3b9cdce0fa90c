// @ts-check
// Named things and what is said of them: a picture with the relations on its lines, and the same as a table.

import { Fragment, html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { Cite, Empty, Head, Section, Shown, When, Words, many, useData } from "../parts.js";
import { go, href, project, route } from "../state.js";

const MOST = 40; // things in one picture, those with most relations

export default function Graph() {
    const found = useData("/v1/relations", { project: project.value });
    return html`<${Fragment}>
        <${Head} title="Graph" lead="Names in this project, and how sessions relate them." />
        <${Shown} of=${found}>
            ${(/** @type {any} */ { items }) =>
                items.length === 0
                    ? html`<${Empty} title="No relation is known yet"><p>Names and relations come from a model that reads your sessions. <a href=${href("settings")}>Settings</a> show whether one is chosen.</p><//>`
                    : html`<${Things} items=${items} id=${route.value.id} />`}
        <//>
    <//>`;
}

/** @param {string} one @param {string} other */
const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();

/** @param {{items: any[], id: string}} props */
function Things({ items, id }) {
    const [words, setWords] = useState("");
    const wanted = words.trim().toLowerCase();
    const around = id ? items.filter((row) => isSame(row.subject, id) || isSame(row.object, id)) : items;
    const rows = around.filter((row) => !wanted || `${row.subject} ${row.predicate} ${row.object}`.toLowerCase().includes(wanted));
    const { nodes, edges, left } = pictured(rows, id);
    return html`<div class="stack">
        <div class="row">
            <input class="input grow" type="search" aria-label="Find a name" placeholder="Find a name" value=${words} onInput=${(/** @type {any} */ event) => setWords(event.target.value)} dir="auto" />
            ${id && html`<a class="button" href=${href("graph")}>All names</a>`}
        </div>
        ${id && html`<p class="sheet"><strong><${Words} text=${id} /></strong> <a class="small" href=${href("memories", "", { entity: id })}>memories about it</a></p>`}
        ${rows.length === 0
            ? html`<${Empty} title="No match"><p>No relation matches these words.</p><//>`
            : html`<${Picture} id=${id} nodes=${nodes} edges=${edges} />
                  <p class="soft small">${many(nodes.length, "name")}, ${many(edges.length, "relation")}${left > 0 ? `; ${many(left, "name")} with fewer relations ${left === 1 ? "is" : "are"} only in the table` : ""}. Drag to move, scroll to zoom, click a name to see it alone.</p>
                  <${Table} rows=${rows} />`}
    </div>`;
}

/** The things with most relations, and the relations between them. @param {any[]} rows @param {string} id */
function pictured(rows, id) {
    /** @type {Map<string, {id: string, name: string, times: number}>} */
    const things = new Map();
    for (const name of rows.flatMap((row) => [row.subject, row.object])) {
        const key = name.toLowerCase();
        const thing = things.get(key) ?? { id: key, name, times: 0 };
        things.set(key, { ...thing, times: thing.times + 1 });
    }
    const chosen = [...things.values()].sort((a, b) => Number(isSame(b.name, id)) - Number(isSame(a.name, id)) || b.times - a.times).slice(0, MOST);
    const known = new Set(chosen.map((thing) => thing.id));
    const edges = rows.map((row) => ({ source: row.subject.toLowerCase(), target: row.object.toLowerCase(), relation: row.predicate })).filter((edge) => known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target);
    return { nodes: chosen, edges, left: things.size - chosen.length };
}

/** @param {{id: string, nodes: any[], edges: any[]}} props */
function Picture({ id, nodes, edges }) {
    const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
    const key = JSON.stringify([nodes.map((node) => node.id), edges.length]);
    useEffect(() => {
        let stop = () => {};
        let gone = false;
        import("../drawing.js").then(({ draw }) => {
            if (gone || !canvas.current) return;
            const seen = nodes.map((node) => ({ ...node, group: "names", isMiddle: isSame(node.name, id) }));
            stop = draw(canvas.current, seen, edges, { hover: () => {}, pick: (/** @type {any} */ node) => go(href("graph", node.name)) });
        });
        return () => {
            gone = true;
            stop();
        };
    }, [key, id]);
    return html`<div class="sheet canvas"><canvas ref=${canvas} role="img" aria-label=${`${nodes.length} names and ${edges.length} relations; the table below says the same`}></canvas></div>`;
}

/** @param {{rows: any[]}} props */
const Table = ({ rows }) =>
    html`<${Section} title="All relations">
        <div class="scroll">
            <table>
                <thead><tr><th>name</th><th>relation</th><th>to</th><th>source</th></tr></thead>
                <tbody>
                    ${rows.map((row) => html`<tr><td><a href=${href("graph", row.subject)}><${Words} text=${row.subject} /></a></td><td>${row.predicate.replaceAll("_", " ")}</td><td><a href=${href("graph", row.object)}><${Words} text=${row.object} /></a></td><td class="soft"><${Cite} id=${row.memory_id} /> <${When} at=${row.said_at} /></td></tr>`)}
                </tbody>
            </table>
        </div>
    <//>`;
