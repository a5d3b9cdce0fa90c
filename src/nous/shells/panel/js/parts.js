// @ts-check
// What several pages are made of. All text comes in as text: nothing here turns words into markup.

import { Fragment, html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, get, post } from "./api.js";
import { complain, dismiss, href, link, perform, project, projects, stamp, toasts, undo } from "./state.js";

// -- words ----------------------------------------------------------------------------------------------------------

const UNSEEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff])/;
const CODE = /`([^`\n]+)`/;
const CITED = /(\[Memory #\d+[^\]\n]*\])/;

/** Text with its invisible and direction-changing characters made visible. @param {string} text */
function seen(text) {
    if (!UNSEEN.test(text)) return text;
    return text.split(UNSEEN).map((part, at) => {
        if (at % 2 === 0) return part;
        const name = `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
        return html`<span class="unseen" title="an invisible character">${name}</span>`;
    });
}

/** Words that somebody or something said. `cited`: citations lead to their memories; `marked`: words to find. @param {{text: string, cited?: boolean, marked?: string}} props */
export function Words({ text, cited = false, marked = "" }) {
    const found = wordsOf(marked);
    const marking = (/** @type {string} */ part) => split(part, found, mark, seen);
    const coding = (/** @type {string} */ part) => split(part, CODE, code, marking);
    return html`<span class="words" dir="auto">${cited ? split(text, CITED, cite, coding) : coding(text)}</span>`;
}

/** Text with what fits a pattern made into one thing, and the rest into another. @param {string} text @param {RegExp | null} pattern @param {(part: string) => any} fits @param {(part: string) => any} rest */
const split = (text, pattern, fits, rest) => (pattern ? text.split(pattern).map((part, at) => (at % 2 ? fits(part) : rest(part))) : rest(text));

const code = (/** @type {string} */ part) => html`<code>${seen(part)}</code>`;
const cite = (/** @type {string} */ part) => html`<${Cite} id=${Number(/#(\d+)/.exec(part)?.[1])} />`;
const mark = (/** @type {string} */ part) => html`<mark>${part}</mark>`;

const COMMON = new Set("the and for are was were how what why who when where which does did this that these those with from into our you your can not but has have had".split(" "));

/** Where the words of a question stand. @param {string} question */
function wordsOf(question) {
    const words = (question.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !COMMON.has(word.toLowerCase()));
    return words.length ? new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "iu") : null;
}

/** @param {{id: number, text?: string}} props */
export const Cite = ({ id, text }) => html`<a class="cite" href=${href("memories", id)}>#${id}${text ? ` ${text}` : ""}</a>`;

const FEW = 3;

/** The memories that something rests on: the first few, the others on request. @param {{ids: number[]}} props */
export function Cites({ ids }) {
    const [all, setAll] = useState(false);
    const shown = all || ids.length <= FEW + 1 ? ids : ids.slice(0, FEW);
    return html`<${Fragment}>${shown.map((id) => html`<${Cite} key=${id} id=${id} /> `)}${shown.length < ids.length && html`<button class="link small" onClick=${() => setAll(true)}>and ${ids.length - FEW} more</button>`}<//>`;
}

/** @param {number} count @param {string} one @param {string} [more] */
export const many = (count, one, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;

/** @param {number} value */
export const number = (value) => value.toLocaleString("en-GB");

/** @param {number} bytes */
export function size(bytes) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
    return `${(bytes / 1000 ** at).toLocaleString("en-GB", { maximumFractionDigits: at ? 1 : 0 })} ${units[at]}`;
}

const DAY = 86_400_000;
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const times = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** @param {string | null | undefined} at */
export const date = (at) => (at ? dates.format(new Date(at)) : "");

/** @param {string | null | undefined} at */
export const clock = (at) => (at ? times.format(new Date(at)) : "");

/** A moment as a person says it. @param {{at: string | null | undefined}} props */
export function When({ at }) {
    if (!at) return null;
    const then = new Date(at);
    const days = Math.floor(Date.now() / DAY) - Math.floor(then.getTime() / DAY);
    const said = days === 0 ? `today ${clock(at)}` : days === 1 ? "yesterday" : days > 1 && days < 7 ? `${days} days ago` : date(at);
    return html`<time datetime=${at} title=${`${date(at)}, ${clock(at)}`}>${said}</time>`;
}

// -- data -----------------------------------------------------------------------------------------------------------

/**
 * What a path answers, fetched again when something changed. What is shown stays until the new answer is there.
 * @param {string | null} path @param {Record<string, any>} [params] @param {{still?: boolean}} [how] `still`: only once
 * @returns {{data: any, error: ApiError | null, isOld: boolean}}
 */
export function useData(path, params = {}, { still = false } = {}) {
    const [state, setState] = useState(/** @type {any} */ ({ key: "", data: null, error: null }));
    const key = path ? `${path}?${JSON.stringify(params)}` : "";
    const news = still ? 0 : stamp.value;
    useEffect(() => {
        if (!path) return;
        const asking = new AbortController();
        get(path, params, asking.signal).then(
            (data) => setState({ key, data, error: null }),
            (error) => {
                if (asking.signal.aborted) return;
                if (error instanceof ApiError && error.status === 401) return complain(error);
                setState({ key, data: null, error });
            },
        );
        return () => asking.abort();
    }, [key, news, link.value]);
    return { data: state.data, error: state.error, isOld: state.key !== key };
}

/**
 * A list that grows page by page, for as long as somebody wants more.
 * @param {string} path @param {Record<string, any>} params
 */
export function useList(path, params, limit = 50) {
    const [extra, setExtra] = useState(/** @type {any} */ ({ key: "", items: [], next: null }));
    const { data, error, isOld } = useData(path, { ...params, limit });
    const key = JSON.stringify([path, params, data?.items?.[0]?.id, data?.total]);
    const more = extra.key === key ? extra : { items: [], next: data?.next ?? null };
    const grow = async () => {
        try {
            const page = await get(path, { ...params, limit, cursor: more.next });
            setExtra({ key, items: [...more.items, ...page.items], next: page.next });
        } catch (problem) {
            complain(problem);
        }
    };
    return { data, error, isOld, items: data ? [...data.items, ...more.items] : [], next: data ? more.next : null, grow };
}

/** @param {{next: any, grow: () => void}} props */
export const More = ({ next, grow }) =>
    next && html`<div class="row" style=${{ justifyContent: "center", marginTop: "1.2rem" }}><button class="button" onClick=${grow}>Show more</button></div>`;

// -- frames of a page -----------------------------------------------------------------------------------------------

/** `one`: the page is about one project, never about all. @param {{title: string, lead?: any, children?: any, everywhere?: boolean, one?: boolean}} props */
export function Head({ title, lead, children, everywhere = false, one = false }) {
    const heading = useRef(/** @type {HTMLElement | null} */ (null));
    useEffect(() => {
        document.title = `${title} · Nous`;
    }, [title]);
    return html`<div class="head">
        <div>
            <h1 ref=${heading} tabindex="-1">${title}</h1>
            ${lead && html`<p>${lead}</p>`}
        </div>
        <div class="row where">${children} ${!everywhere && html`<${ProjectChoice} one=${one} />`}</div>
    </div>`;
}

/** What a project is called: the last part of its directory. @param {any} row */
export const projectName = (row) => row?.root?.split("/").filter(Boolean).pop() ?? row?.project_id ?? "";

/** @param {string} id */
export const nameOf = (id) => projectName(projects.value.find((row) => row.project_id === id) ?? { project_id: id });

/** @param {{one: boolean}} props */
function ProjectChoice({ one }) {
    if (projects.value.length < 2) return null;
    return html`<label>
        <span class="hidden">Project</span>
        <select value=${project.value} onChange=${(/** @type {any} */ event) => (location.hash = withProject(event.target.value))}>
            ${!one && html`<option value="">All projects</option>`}
            ${projects.value.map((row) => html`<option value=${row.project_id}>${projectName(row)} (${row.memories})</option>`)}
        </select>
    </label>`;
}

/** @param {string} id */
function withProject(id) {
    const [path, query = ""] = location.hash.split("?");
    const asked = new URLSearchParams(query);
    id ? asked.set("project", id) : asked.delete("project");
    return `${path.split("/").slice(0, 2).join("/") || "#/start"}${asked.size ? `?${asked}` : ""}`;
}

/** What is said where there is nothing to show. @param {{title: string, whole?: boolean, children?: any}} props */
export const Empty = ({ title, whole, children }) => html`<div class="empty">${whole ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}${children}</div>`;

export const Busy = () => html`<p class="busy" role="status">Looking …</p>`;

/** @param {{error: ApiError}} props */
export const Failed = ({ error }) => html`<div class="note bad" role="alert"><strong>${error.message}</strong> ${error.hint}</div>`;

/** What is shown while data comes, or instead of it. @param {{of: {data: any, error: ApiError | null}, children: any}} props */
export const Shown = ({ of, children }) => (of.error ? html`<${Failed} error=${of.error} />` : of.data ? children(of.data) : html`<${Busy} />`);

/** @param {{title: string, children?: any, extra?: any}} props */
export const Section = ({ title, children, extra }) =>
    html`<section class="section"><div class="row spread"><h2>${title}</h2>${extra}</div>${children}</section>`;

// -- memories -------------------------------------------------------------------------------------------------------

const GROUPS = {
    rules: ["preference", "requirement", "pattern"],
    decisions: ["decision", "architecture"],
    traps: ["gotcha", "error_pattern", "dead_end", "e2e_observation"],
    work: ["progress", "work_state", "work_unit_outcome", "episode"],
};

/** @param {string} type */
export const groupOf = (type) => Object.entries(GROUPS).find(([, types]) => types.includes(type))?.[0] ?? "facts";

/** @param {{type: string}} props */
export const Type = ({ type }) => html`<span class=${`type ${groupOf(type)}`}>${type.replaceAll("_", " ")}</span>`;

/** @type {Record<string, string>} */
const STATUS = { superseded: "replaced", archived: "out of use" };

/** Marks that a reader has to know. @param {{memory: any, stale?: string[]}} props */
export function Marks({ memory, stale = [] }) {
    return html`<${Fragment}>
        ${memory.status !== "active" && html`<span class="tag">${STATUS[memory.status] ?? memory.status}</span>`}
        ${memory.pinned && html`<span class="tag on">pinned</span>`}
        ${memory.confirmed && html`<span class="tag on">confirmed</span>`}
        ${memory.scope === "global" && html`<span class="tag">every project</span>`}
        ${memory.disputed && html`<span class="tag warn">in doubt</span>`}
        ${memory.tainted && html`<span class="tag warn">unreviewed outside text</span>`}
        ${memory.contradicted_with?.length > 0 && html`<span class="tag warn">contradicted</span>`}
        ${stale.filter((mark) => mark !== "disputed" && mark !== "contradicted").map((mark) => html`<span class="tag warn">${mark}</span>`)}
    <//>`;
}

/** @param {{memory: any, stale?: string[], children?: any}} props */
export function Meta({ memory, stale, children }) {
    return html`<div class="meta">
        <${Type} type=${memory.type} />
        <${When} at=${memory.valid_from ?? memory.created_at} />
        <span>#${memory.id}</span>
        ${!project.value && projects.value.length > 1 && html`<span>${nameOf(memory.project_id)}</span>`}
        <${Marks} memory=${memory} stale=${stale} />
        ${children}
    </div>`;
}

/** What a number between 0 and 1 is, as a bar and in figures. @param {{value: number, label: string}} props */
export const Bar = ({ value, label }) =>
    html`<span class="row" style=${{ gap: "0.7rem", flexWrap: "nowrap" }}>
        <span class="bar" style=${{ width: "7rem" }} aria-hidden="true"><i style=${{ width: `${Math.round(value * 100)}%` }}></i></span>
        <span>${label}</span>
    </span>`;

/** What a score is made of: each part with its share. @param {{shares: Record<string, number>, digits?: number}} props */
export function Shares({ shares, digits = 3 }) {
    const parts = Object.entries(shares).filter(([, value]) => Math.abs(value) >= 0.5 * 10 ** -digits);
    const most = Math.max(...parts.map(([, value]) => Math.abs(value)), 1e-9);
    parts.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    return html`<div class="shares">
        ${parts.map(
            ([name, value]) => html`<${Fragment}>
                <span>${name.replaceAll("_", " ")}</span>
                <span class=${value < 0 ? "bar minus" : "bar"} aria-hidden="true"><i style=${{ width: `${(100 * Math.abs(value)) / most}%` }}></i></span>
                <span>${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(digits)}</span>
            <//>`,
        )}
    </div>`;
}

/** The memory's first words, for a message. @param {any} memory */
export const brief = (memory) => (memory.content.length > 60 ? `${memory.content.slice(0, 58)}…` : memory.content);

/** What can be done with one memory; each answers with what is true now, and can be undone. */
export const acts = {
    confirm: (/** @type {any} */ memory) => perform(() => post(`/v1/memories/${memory.id}/confirm`), () => `Kept #${memory.id}: it no longer fades.`),
    pin: (/** @type {any} */ memory) =>
        memory.pinned
            ? perform(() => post(`/v1/memories/${memory.id}/unpin`), () => `#${memory.id} is no longer pinned.`)
            : perform(() => post(`/v1/memories/${memory.id}/pin`), () => `Pinned #${memory.id}: every session will see it.`),
    dispute: (/** @type {any} */ memory) =>
        perform(() => post(`/v1/memories/${memory.id}/dispute`), () => `#${memory.id} is in doubt and waits in Review.`),
    forget: (/** @type {any} */ memory) => perform(() => post(`/v1/memories/${memory.id}/forget`), () => `Deleted #${memory.id}: ${brief(memory)}`),
    restore: (/** @type {any} */ memory) => perform(() => post(`/v1/memories/${memory.id}/restore`), () => `#${memory.id} is back in use.`),
    correct: (/** @type {any} */ memory, /** @type {string} */ text) =>
        perform(() => post(`/v1/memories/${memory.id}/correct`, { text }), () => `Edited #${memory.id}.`),
};

// -- dialogs and messages -------------------------------------------------------------------------------------------

/** A window above the page. One that is only read (`wide`) begins at its title. @param {{title: string, close: () => void, wide?: boolean, children?: any}} props */
export function Dialog({ title, close, wide = false, children }) {
    const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
    useLayoutEffect(() => { // before it can be seen: a key that follows at once is for the dialog, not for the page
        const back = document.activeElement;
        box.current?.showModal();
        if (wide) box.current?.querySelector("h2")?.focus();
        return () => back instanceof HTMLElement && back.focus();
    }, []);
    return html`<dialog ref=${box} class=${wide ? "wide" : ""} aria-labelledby="dialog-title" onClose=${close} onClick=${(/** @type {any} */ event) => event.target === box.current && close()}>
        <h2 id="dialog-title" tabindex="-1">${title}</h2>
        ${children}
    </dialog>`;
}

/** @param {{title: string, says: any, act: string, danger?: boolean, close: () => void, onYes: () => void}} props */
export const Confirm = ({ title, says, act, danger, close, onYes }) =>
    html`<${Dialog} title=${title} close=${close}>
        <p>${says}</p>
        <div class="ends">
            <button class="button" onClick=${close}>Cancel</button>
            <button class=${`button ${danger ? "danger" : "main"}`} onClick=${() => (close(), onYes())}>${act}</button>
        </div>
    <//>`;

/** Better words for a memory. @param {{memory: any, close: () => void, act?: (text: string) => any, title?: string}} props */
export function Reword({ memory, close, act, title }) {
    const [text, setText] = useState(memory.content);
    const save = async (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        await (act ?? ((words) => acts.correct(memory, words)))(text.trim());
    };
    return html`<${Dialog} title=${title ?? `Edit #${memory.id}`} close=${close}>
        <form onSubmit=${save}>
            <div class="field">
                <label for="better-words">One fact or rule, in one sentence</label>
                <textarea id="better-words" dir="auto" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
            </div>
            <p class="soft small">The old words keep their place in the history.</p>
            <div class="ends">
                <button class="button" type="button" onClick=${close}>Cancel</button>
                <button class="button main" disabled=${!text.trim() || text.trim() === memory.content}>Save</button>
            </div>
        </form>
    <//>`;
}

export const Toasts = () =>
    html`<div class="toasts" role="status" aria-live="polite">
        ${toasts.value.map(
            (toast) => html`<div class=${`toast ${toast.bad ? "bad" : ""}`} key=${toast.key}>
                <span dir="auto">${toast.text}</span>
                ${toast.undo?.length && html`<button onClick=${() => undo(toast.undo)}>Undo <kbd>z</kbd></button>`}
                <button aria-label="Dismiss" onClick=${() => dismiss(toast.key)}>×</button>
            </div>`,
        )}
    </div>`;

/** What a page shows before anything is learned. */
export const First = () =>
    html`<${Empty} title="Welcome">
        <p>Nous learns from your Claude Code sessions: rules you gave, decisions and why, errors and what fixed them. It has not learned anything yet.</p>
        <p style=${{ marginTop: "0.6rem" }}><code>nous init</code> connects it to Claude Code, <code>nous backfill</code> reads the sessions you already had.</p>
        <div class="row"><a class="button main" href=${href("teach")}>Teach something now</a></div>
    <//>`;
