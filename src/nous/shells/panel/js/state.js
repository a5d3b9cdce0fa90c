// @ts-check
// What the whole panel shares: where we are, which project, what was just done, whether the daemon answers.

import { computed, signal } from "../vendor/preact.js";
import { ApiError, get, post, queryOf } from "./api.js";

const WAIT_SECONDS = 20;
const RETRY_MS = 3000;
const TOAST_MS = 10000;

/** @typedef {{page: string, id: string, query: Record<string, string>}} Route */
/** @typedef {{key: number, text: string, bad?: boolean, undo?: number[]}} Toast */

export const route = signal(parsed(location.hash));
/** @type {import("../vendor/preact.js").Signal<any[]>} */
export const projects = signal([]);
/** @type {import("../vendor/preact.js").Signal<string[]>} */
export const offers = signal([]); // the paths that this daemon answers: a page appears when its data can be had
export const stamp = signal(0); // rises with everything that is done here, and with what others write
/** @type {import("../vendor/preact.js").Signal<"ok"|"away"|"locked">} */
export const link = signal("ok");
/** @type {import("../vendor/preact.js").Signal<Toast[]>} */
export const toasts = signal([]);
export const waiting = signal(0);
export const version = signal("");
export const model = signal(""); // what reads sessions and answers questions; empty where nothing does
export const project = computed(() => route.value.query.project ?? "");

/** @param {string} hash @returns {Route} */
export function parsed(hash) {
    const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
    const [page, id = ""] = path.split("/");
    return { page: page || "start", id: decodeURIComponent(id), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a page; the chosen project goes with it. @param {string} page @param {string|number} [id] @param {Record<string, any>} [query] */
export function href(page, id = "", query = {}) {
    const asked = queryOf({ project: project.value, ...query });
    return `#/${page}${id === "" ? "" : `/${encodeURIComponent(id)}`}${asked ? `?${asked}` : ""}`;
}

/** @param {string} address @param {{replace?: boolean}} [how] */
export function go(address, { replace = false } = {}) {
    if (address === location.hash) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    route.value = parsed(address);
}

/** Change some of the query, and stay. @param {Record<string, any>} changes @param {{replace?: boolean, id?: string|number}} [how] */
export function narrow(changes, { replace = false, id = route.value.id } = {}) {
    go(href(route.value.page, id, { ...route.value.query, ...changes }), { replace });
}

addEventListener("popstate", () => (route.value = parsed(location.hash)));
addEventListener("hashchange", () => (route.value = parsed(location.hash)));

// -- what was done, and taking it back ------------------------------------------------------------------------------

let toastKey = 0;
/** @type {number[][]} */
const undoable = [];

/** @param {string} text @param {{bad?: boolean, undo?: number[]}} [how] */
export function tell(text, { bad = false, undo } = {}) {
    const toast = { key: ++toastKey, text, bad, undo };
    if (undo?.length) undoable.push(undo);
    toasts.value = [...toasts.value.slice(-2), toast];
    setTimeout(() => dismiss(toast.key), TOAST_MS);
}

/** @param {number} key */
export const dismiss = (key) => (toasts.value = toasts.value.filter((toast) => toast.key !== key));

/** Do something that changes the memory: say what was done, offer to take it back. @param {() => Promise<any>} act @param {(answer: any) => string} said */
export async function perform(act, said) {
    try {
        const answer = await act();
        tell(said(answer), { undo: answer?.events });
        stamp.value += 1;
        return answer;
    } catch (problem) {
        complain(problem);
        return null;
    }
}

/** @param {unknown} problem */
export function complain(problem) {
    if (!(problem instanceof ApiError)) throw problem;
    if (problem.status === 401) link.value = "locked";
    else tell([problem.message, problem.hint].filter(Boolean).join(" "), { bad: true });
}

/** Take back what was done last, or what is named. @param {number[]} [events] */
export async function undo(events) {
    const chosen = events ?? undoable.at(-1);
    if (!chosen) return tell("There is nothing to undo.");
    const at = undoable.indexOf(chosen);
    if (at >= 0) undoable.splice(at, 1);
    toasts.value = toasts.value.filter((toast) => toast.undo !== chosen);
    await perform(() => post("/v1/undo", { events: chosen }).then(() => ({})), () => "Taken back.");
}

// -- keeping up -----------------------------------------------------------------------------------------------------

/** @type {AbortController | null} */
let listening = null;
/** @type {number | undefined} */
let lastEvent;

/** Wait for changes for as long as the page is looked at; pages that show what changed fetch again. */
export async function listen() {
    if (listening) return;
    const mine = (listening = new AbortController());
    while (!mine.signal.aborted && link.value !== "locked") {
        try {
            const wait = lastEvent !== undefined && link.value === "ok" ? WAIT_SECONDS : 0;
            const news = await get("/v1/changes", { after: lastEvent, wait }, mine.signal);
            link.value = "ok";
            if (lastEvent !== undefined && news.last_event !== lastEvent) stamp.value += 1;
            lastEvent = news.last_event;
        } catch (problem) {
            if (mine.signal.aborted) break;
            link.value = problem instanceof ApiError && problem.status === 401 ? "locked" : "away";
            await new Promise((done) => setTimeout(done, RETRY_MS));
        }
    }
    if (listening === mine) listening = null;
}

/** Stop waiting, until `listen` is called again. */
export function rest() {
    listening?.abort();
    listening = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
