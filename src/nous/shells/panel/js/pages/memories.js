// @ts-check
// Everything that is remembered: search with its reasons, filters, one memory down to the words said, acts one by one or in bulk.

import { Fragment, html, useEffect, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { useKeys } from "../keys.js";
import { Confirm, Empty, Head, Meta, More, Shares, Shown, Words, acts, many, number, useData, useList } from "../parts.js";
import { Detail } from "../memory.js";
import { complain, go, href, narrow, perform, route } from "../state.js";

const MARKS = { pinned: "pinned", confirmed: "confirmed", disputed: "in doubt", tainted: "outside text" };
const SORTS = { newest: "newest first", oldest: "oldest first", changed: "last changed", surest: "surest first", weakest: "weakest first" };
const NARROWED = { file: "file", entity: "about", tag: "tag", module: "module", session: "session", branch: "branch" };

/** The filters of a route as the API takes them. @param {Record<string, string>} query */
function filtersOf({ type, status, scope, mark, sort, file, entity, tag, module, session, branch, after, before, project: where }) {
    const filters = { project: where, type, status: status || "active", scope, file, entity, tag, module, session, branch, after, before };
    return { ...filters, ...(mark ? { [mark]: true } : {}), ...(sort ? { sort } : {}) };
}

/** The filters that a search takes. @param {Record<string, string>} query */
const searchOf = ({ q, project: where, type, scope, file, entity, tag, module, branch, after, before }) => ({ q, project: where, type, scope, file, entity, tag, module, branch, after, before, records: "memories" });

export default function Memories() {
    const { id } = route.value;
    return html`<${Fragment}>
        <${Head} title="Memories" lead="Everything Nous knows, with where it comes from." />
        <div class=${id ? "split open" : "split"}>
            <${Browser} />
            ${id && html`<div class="detail sheet"><${Detail} id=${id} key=${id} close=${() => go(href("memories", "", route.value.query))} /></div>`}
        </div>
    <//>`;
}

function Browser() {
    const { query, id } = route.value;
    const filters = filtersOf(query);
    const list = useList(query.q ? "/v1/search" : "/v1/memories", query.q ? searchOf(query) : filters, query.q ? 20 : 50);
    const [picked, setPicked] = useState(/** @type {Set<number>} */ (new Set()));
    const [at, setAt] = useState(-1);
    const { items } = list;
    const toggle = (/** @type {number} */ memory) => setPicked((before) => new Set(before.has(memory) ? [...before].filter((one) => one !== memory) : [...before, memory]));
    const move = (/** @type {number} */ by) => setAt(focusItem(Math.max(0, Math.min(items.length - 1, at + by))));
    const open = (/** @type {any} */ memory) => memory && go(href("memories", memory.id, query));
    const current = items[at];
    useEffect(() => setAt(-1), [JSON.stringify(query)]);
    useKeys({
        j: () => move(1),
        k: () => move(-1),
        Escape: () => (id ? go(href("memories", "", query)) : setPicked(new Set())),
        ...(current ? { x: () => toggle(current.id) } : {}),
        ...(current && !id ? keysFor(current, () => open(current)) : {}),
    });
    return html`<div class="stack">
        <${Search} />
        <${Filters} query=${query} />
        <${Shown} of=${list}>
            ${(/** @type {any} */ data) => html`<${Fragment}>
                <p class="soft small" role="status" data-for=${list.isOld ? undefined : (query.q ?? "")}>${told(query, data, items)}</p>
                ${items.length === 0
                    ? html`<${Nothing} query=${query} />`
                    : html`<ul class="list">
                          ${items.map((memory, place) => html`<${Row} key=${memory.id} memory=${memory} at=${place === at || String(memory.id) === id} query=${query} picked=${picked.has(memory.id)} toggle=${toggle} />`)}
                      </ul>`}
                <${More} ...${list} />
                ${picked.size > 0 && html`<${Bulk} picked=${picked} total=${query.q ? null : data.total} filters=${filters} clear=${() => setPicked(new Set())} />`}
            <//>`}
        <//>
    </div>`;
}

/** @param {any} memory @param {() => void} open */
const keysFor = (memory, open) => ({
    c: () => void acts.confirm(memory),
    p: () => void acts.pin(memory),
    d: () => void acts.dispute(memory),
    f: () => void (memory.status === "active" ? acts.forget(memory) : acts.restore(memory)),
    e: open,
});

/** @param {number} place */
function focusItem(place) {
    const link = /** @type {HTMLElement | undefined} */ (document.querySelectorAll(".list .open")[place]);
    link?.focus();
    return place;
}

/** @param {Record<string, string>} query @param {any} data @param {any[]} items */
function told(query, data, items) {
    if (query.q) return items.length ? `The ${items.length === 1 ? "memory that answers" : `${items.length} memories that answer`} best${data.took_ms === undefined ? "" : `, in ${Math.round(data.took_ms)} ms`}` : "";
    return items.length ? many(data.total, "memory", "memories") : "";
}

function Search() {
    const { query } = route.value;
    const [text, setText] = useState(query.q ?? "");
    useEffect(() => {
        if ((query.q ?? "") !== text.trim()) setText(query.q ?? "");
    }, [query.q]);
    const typed = (/** @type {any} */ event) => {
        const words = event.target.value;
        setText(words);
        narrow({ q: words.trim() || undefined }, { replace: true, id: "" });
    };
    return html`<div class="search">
        <input class="input" type="search" aria-label="Search memories" placeholder="Search memories" value=${text} onInput=${typed} autocomplete="off" spellcheck=${false} dir="auto" />
        <kbd aria-hidden="true">/</kbd>
    </div>`;
}

/** @param {{query: Record<string, string>}} props */
function Filters({ query }) {
    const types = useData("/v1/types", {}, { still: true }).data?.items ?? [];
    const set = (/** @type {string} */ name) => (/** @type {any} */ event) => narrow({ [name]: event.target.value || undefined }, { id: "" });
    const narrowed = Object.entries(NARROWED).filter(([name]) => query[name]);
    return html`<${Fragment}>
        <div class="filters">
            <${Choice} label="Type" value=${query.type} onChange=${set("type")} all="Every type" options=${types.map((/** @type {any} */ row) => [row.type, row.type.replaceAll("_", " ")])} />
            <${Choice} label="Scope" value=${query.scope} onChange=${set("scope")} all="Any scope" options=${[["project", "one project"], ["team", "a team"], ["organisation", "the organisation"], ["global", "every project, yours alone"], ["module", "one module"]]} />
            ${!query.q &&
            html`<${Choice} label="Status" value=${query.status} onChange=${set("status")} all="In use" options=${[["superseded", "replaced"], ["archived", "forgotten or faded"], ["all", "all of them"]]} />
            <${Choice} label="Mark" value=${query.mark} onChange=${set("mark")} all="Any mark" options=${Object.entries(MARKS)} />
            <${Choice} label="Order" value=${query.sort} onChange=${set("sort")} all="newest first" options=${Object.entries(SORTS).slice(1)} />`}
        </div>
        ${narrowed.length > 0 &&
        html`<div class="row">
            ${narrowed.map(([name, said]) => html`<button class="button quiet" onClick=${() => narrow({ [name]: undefined }, { id: "" })}>${said} <strong>${query[name]}</strong> <span aria-hidden="true">×</span><span class="hidden">, remove this filter</span></button>`)}
        </div>`}
    <//>`;
}

/** @param {{label: string, value?: string, onChange: any, all: string, options: string[][]}} props */
const Choice = ({ label, value = "", onChange, all, options }) =>
    html`<label>
        <span class="hidden">${label}</span>
        <select value=${value} onChange=${onChange}>
            <option value="">${all}</option>
            ${options.map(([name, said]) => html`<option value=${name} selected=${name === value}>${said}</option>`)}
        </select>
    </label>`;

/** @param {{memory: any, at: boolean, picked: boolean, toggle: (id: number) => void, query: Record<string, string>}} props */
function Row({ memory, at, picked, toggle, query }) {
    return html`<li class=${`item ${at ? "at" : ""} ${memory.status === "active" ? "" : "gone"}`}>
        <input type="checkbox" checked=${picked} onChange=${() => toggle(memory.id)} aria-label=${`Select memory ${memory.id}`} />
        <div>
            <a class="open" href=${href("memories", memory.id, query)}><span class="clamp"><${Words} text=${memory.content} marked=${query.q} /></span></a>
            <${Meta} memory=${memory} stale=${memory.stale}>
                ${memory.shares &&
                html`<details>
                    <summary>why this</summary>
                    <div class="stack tight">
                        <${Shares} shares=${memory.shares} />
                        <p>Found by ${memory.found_by?.join(", ") || "nothing in particular"}; ${memory.score.toFixed(3)} in all.</p>
                    </div>
                </details>`}
            <//>
        </div>
    </li>`;
}

/** @param {{query: Record<string, string>}} props */
function Nothing({ query }) {
    const isNarrowed = Object.keys(query).some((name) => name !== "project");
    if (isNarrowed)
        return html`<${Empty} title="No match">
            <p>${query.q ? "No memory matches these words." : "No memory matches all of these filters."} Fewer words or filters find more.</p>
            <div class="row"><button class="button" onClick=${() => go(href("memories"))}>Clear search and filters</button></div>
        <//>`;
    return html`<${Empty} title="No memories yet">
        <p>Nous learns from sessions while the daemon runs. To read earlier ones: <code>nous backfill</code>, and you can teach something yourself.</p>
        <div class="row"><a class="button main" href=${href("teach")}>Teach something</a></div>
    <//>`;
}

const BULK = [
    { action: "confirm", says: "Keep", done: "Kept", means: "They no longer fade." },
    { action: "pin", says: "Pin", done: "Pinned", means: "Every session will see them." },
    { action: "forget", says: "Delete", done: "Deleted", danger: true, means: "Sessions will not see them any more. Their history stays, and you can undo this." },
    { action: "restore", says: "Restore", done: "Restored", means: "They are used again." },
];

/** @param {{picked: Set<number>, total: number | null, filters: Record<string, any>, clear: () => void}} props */
function Bulk({ picked, total, filters, clear }) {
    const [everything, setEverything] = useState(false);
    const [asked, setAsked] = useState(/** @type {any} */ (null));
    const { sort: _, ...filter } = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const whom = everything ? { filter } : { ids: [...picked] };
    const count = async (/** @type {any} */ chosen) => {
        try {
            const found = await post("/v1/memories/bulk", { action: chosen.action, ...whom, dry_run: true });
            setAsked({ ...chosen, count: found.count, rest: found.matched - found.count });
        } catch (problem) {
            complain(problem);
        }
    };
    const run = async () => {
        const said = many(asked.count, "memory", "memories");
        const done = await perform(() => post("/v1/memories/bulk", { action: asked.action, ...whom, expected: asked.count }), () => `${asked.done} ${said}.`);
        if (done) clear();
    };
    return html`<div class="bulk" role="region" aria-label="Selected memories">
        <strong class="grow">${many(everything && total ? total : picked.size, "memory", "memories")} selected</strong>
        ${total && total > picked.size && html`<label><input type="checkbox" checked=${everything} onChange=${() => setEverything(!everything)} /> all ${number(total)} that pass the filters</label>`}
        ${BULK.map((each) => html`<button class=${`button ${each.danger ? "danger" : ""}`} onClick=${() => count(each)}>${each.says}</button>`)}
        <button class="button quiet" onClick=${clear}>Clear</button>
        ${asked &&
        html`<${Confirm}
            title=${asked.count ? `${asked.says} ${many(asked.count, "memory", "memories")}?` : `Nothing to ${asked.says.toLowerCase()}`}
            says=${asked.count ? `${asked.means}${asked.rest ? ` ${many(asked.rest, "other")} of those selected need${asked.rest === 1 ? "s" : ""} nothing.` : ""}` : "Nothing to change: they are like that already."}
            act=${asked.count ? asked.says : "Fine"}
            danger=${asked.danger}
            close=${() => setAsked(null)}
            onYes=${() => asked.count && run()}
        />`}
    </div>`;
}
