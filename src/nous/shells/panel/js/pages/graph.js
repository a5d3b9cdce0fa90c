// @ts-check
// The neighbourhood of one memory or entity: at most 300 nodes on a canvas, and the same as a table.

import { Fragment, html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { Empty, Head, Shown, Type, Words, groupOf, many, nameOf, useData } from "../parts.js";
import { go, href, narrow, offers, project, projects, route } from "../state.js";

const MOST = 300;

export default function Graph() {
    const { id, query } = route.value;
    return html`<${Fragment}>
        <${Head} title="Graph" lead="One memory, and what hangs together with it." />
        ${id ? html`<${Around} id=${id} depth=${Number(query.depth ?? 2)} relation=${query.relation ?? ""} />` : html`<${Choose} />`}
    <//>`;
}

/** Where to begin. */
function Choose() {
    const [words, setWords] = useState("");
    const params = { project: project.value, limit: 12 };
    const found = useData(words ? "/v1/search" : "/v1/memories", words ? { ...params, q: words, records: "memories" } : params);
    const entities = useData(offers.value.includes("/v1/entities") ? "/v1/entities" : null, { ...params, words: words || undefined }).data?.items ?? [];
    return html`<div class="stack">
        <div class="search"><input class="input" type="search" aria-label="Find a memory to begin with" placeholder="Begin with a memory: a few of its words" value=${words} onInput=${(/** @type {any} */ event) => setWords(event.target.value)} dir="auto" /></div>
        ${entities.length > 0 && html`<div class="row">${entities.map((/** @type {any} */ entity) => html`<a class="tag" href=${href("graph", `entity:${entity.name}`, { in: entity.project_id })}>${entity.name}${!project.value && projects.value.length > 1 && html`<span class="soft"> in ${nameOf(entity.project_id)}</span>`}</a>`)}</div>`}
        <${Shown} of=${found}>
            ${(/** @type {any} */ { items }) =>
                items.length === 0
                    ? html`<${Empty} title="Nothing to begin with"><p>The graph grows with the memories.</p><//>`
                    : html`<ul class="list">${items.map((/** @type {any} */ memory) => html`<li class="item plain"><div><a class="open" href=${href("graph", memory.id)}><${Words} text=${memory.content} /></a><div class="meta"><${Type} type=${memory.type} /><span>#${memory.id}</span></div></div></li>`)}</ul>`}
        <//>
    </div>`;
}

/** @param {{id: string, depth: number, relation: string}} props */
function Around({ id, depth, relation }) {
    const path = id.startsWith("entity:") ? `/v1/entities/${encodeURIComponent(id.slice(7))}/neighbours` : `/v1/memories/${id}/neighbours`;
    const found = useData(path, id.startsWith("entity:") ? { project: route.value.query.in ?? project.value, limit: MOST } : { depth, limit: MOST });
    return html`<${Shown} of=${found}>
        ${(/** @type {any} */ data) => html`<${Drawn} id=${id} data=${data} depth=${depth} relation=${relation} />`}
    <//>`;
}

/** @param {{id: string, data: any, depth: number, relation: string}} props */
function Drawn({ id, data, depth, relation }) {
    const relations = [...new Set(data.edges.map((/** @type {any} */ edge) => edge.relation))].sort();
    const edges = data.edges.filter((/** @type {any} */ edge) => !relation || edge.relation === relation);
    const linked = new Set(edges.flatMap((/** @type {any} */ edge) => [edge.source, edge.target]));
    const nodes = data.nodes.filter((/** @type {any} */ node) => String(node.id) === id || !relation || linked.has(node.id));
    const middle = data.nodes.find((/** @type {any} */ node) => String(node.id) === id) ?? data.nodes[0];
    return html`<div class="stack">
        <div class="row spread">
            <div class="row">
                ${!id.startsWith("entity:") && html`<label>Steps <select value=${depth} onChange=${(/** @type {any} */ event) => narrow({ depth: event.target.value })}>${[1, 2, 3].map((each) => html`<option value=${each} selected=${each === depth}>${each}</option>`)}</select></label>`}
                ${relations.length > 1 && html`<label><span class="hidden">Relation</span><select value=${relation} onChange=${(/** @type {any} */ event) => narrow({ relation: event.target.value || undefined })}><option value="">every relation</option>${relations.map((/** @type {any} */ each) => html`<option value=${each} selected=${each === relation}>${each.replaceAll("_", " ")}</option>`)}</select></label>`}
            </div>
            <a class="button" href=${href("graph")}>Begin elsewhere</a>
        </div>
        ${middle && html`<p class="sheet"><${Words} text=${middle.content ?? middle.name} /> ${middle.name ? html`<a class="small" href=${href("memories", "", { entity: middle.name })}>its memories</a>` : html`<a class="small" href=${href("memories", middle.id)}>#${middle.id}</a>`}</p>`}
        ${nodes.length < 2
            ? html`<${Empty} title="It stands alone"><p>No relation of it is known yet. They are found as more is learned.</p><//>`
            : html`<${Picture} id=${id} nodes=${nodes} edges=${edges} />
                  <div class="row spread">
                      <ul class="legend">${["rules", "decisions", "facts", "traps", "work", "names"].map((group) => html`<li class=${`type ${group}`}>${group}</li>`)}</ul>
                      <p class="soft small">${many(nodes.length, "node")}, ${many(edges.length, "relation")}${nodes.length >= MOST ? "; more are not drawn" : ""}. Drag to move, scroll to zoom, click to go there.</p>
                  </div>
                  <${Twin} edges=${edges} nodes=${nodes} />`}
    </div>`;
}

/** @param {{id: string, nodes: any[], edges: any[]}} props */
function Picture({ id, nodes, edges }) {
    const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
    const [over, setOver] = useState(/** @type {any} */ (null));
    const key = JSON.stringify([nodes.map((node) => node.id), edges.length]);
    useEffect(() => {
        let stop = () => {};
        let gone = false;
        import("../drawing.js").then(({ draw }) => {
            if (gone || !canvas.current) return;
            const seen = nodes.map((node) => ({ ...node, group: node.name ? "names" : groupOf(node.type), isMiddle: String(node.id) === id }));
            stop = draw(canvas.current, seen, edges, { hover: setOver, pick: (/** @type {any} */ node) => go(href("graph", node.id, { in: route.value.query.in })) });
        });
        return () => {
            gone = true;
            stop();
        };
    }, [key, id]);
    return html`<div class="sheet canvas">
        <canvas ref=${canvas} role="img" aria-label=${`${nodes.length} nodes and ${edges.length} relations; the table below says the same`}></canvas>
        ${over && html`<div class="tip"><${Words} text=${over.content ?? over.name} /></div>`}
    </div>`;
}

/** @param {{edges: any[], nodes: any[]}} props */
function Twin({ edges, nodes }) {
    const known = new Map(nodes.map((node) => [node.id, node]));
    const end = (/** @type {any} */ which) => {
        const node = known.get(which);
        return html`<a class="open" href=${node?.name ? href("graph", which, { in: route.value.query.in }) : href("memories", which)}><span class="clamp"><${Words} text=${node?.content ?? node?.name ?? `#${which}`} /></span></a>`;
    };
    return html`<details>
        <summary>The same as a table</summary>
        <div class="scroll">
            <table>
                <thead><tr><th>from</th><th>relation</th><th>to</th><th class="number">weight</th></tr></thead>
                <tbody>${edges.map((edge) => html`<tr><td>${end(edge.source)}</td><td>${edge.relation.replaceAll("_", " ")}${edge.status === "suggested" ? " (suggested)" : ""}</td><td>${end(edge.target)}</td><td class="number">${edge.weight?.toFixed(2)}</td></tr>`)}</tbody>
            </table>
        </div>
    </details>`;
}
