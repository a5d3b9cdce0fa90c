// @ts-check
// The frame: which page is shown, how one gets from page to page, and what is always there.

import { Fragment, html, render, useEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, enter, get, hasKey } from "./api.js";
import { enabled, setEnabled, useKeys } from "./keys.js";
import { Busy, Dialog, Empty, Toasts } from "./parts.js";
import { go, href, link, listen, model, offers, parsed, projects, route, stamp, undo, version, waiting } from "./state.js";

/** @typedef {{id: string, title: string, key: string, needs?: string, apart?: boolean, load: () => Promise<any>}} Page */
/** @type {Page[]} */
const PAGES = [
    { id: "start", title: "Next session", key: "n", load: () => import("./pages/start.js") },
    { id: "sessions", title: "Sessions", key: "s", load: () => import("./pages/sessions.js") },
    { id: "memories", title: "Memories", key: "m", load: () => import("./pages/memories.js") },
    { id: "review", title: "Review", key: "r", load: () => import("./pages/review.js") },
    { id: "time", title: "Time", key: "t", load: () => import("./pages/time.js") },
    { id: "graph", title: "Graph", key: "g", load: () => import("./pages/graph.js") },
    { id: "ask", title: "Ask", key: "a", apart: true, load: () => import("./pages/ask.js") },
    { id: "teach", title: "Teach", key: "e", load: () => import("./pages/teach.js") },
    { id: "health", title: "Health", key: "h", apart: true, load: () => import("./pages/health.js") },
    { id: "settings", title: "Settings", key: ",", load: () => import("./pages/settings.js") },
];
const shown = () => PAGES.filter((page) => !page.needs || offers.value.includes(page.needs));

const ASKED = 10; // questions that Review asks at once
const KEYS = [
    ["Anywhere", [["?", "these keys"], ["/", "search memories"], ["g then a letter", "go to a page: " + PAGES.map((page) => `${page.key === "," ? "comma" : page.key} ${page.title.toLowerCase()}`).join(", ")], ["z", "take back what was done last"]]],
    ["A list", [["j, k", "down, up"], ["Enter", "open"], ["x", "select"], ["Esc", "close"]]],
    ["A memory", [["c", "keep"], ["e", "edit"], ["p", "pin"], ["f", "delete, or restore"], ["d", "doubt"]]],
    ["The brief", [["↑ ↓", "move a line, on its handle"], ["Home, End", "first, last"]]],
    ["Review", [["1, 2", "the first, the second holds"], ["k e m r p l", "keep, edit, merge, delete, pin, later"], ["u", "undo"]]],
];

/** @param {{close: () => void}} props */
const KeysHelp = ({ close }) =>
    html`<${Dialog} title="Keys" close=${close} wide>
        <div class="keyboard">
            ${KEYS.map(
                ([title, keys]) => html`<div class="stack tight">
                    <h3>${title}</h3>
                    <dl class="keys">
                        ${/** @type {string[][]} */ (keys).map(([key, does]) => html`<${Fragment}><dt><kbd>${key}</kbd></dt><dd>${does}</dd><//>`)}
                    </dl>
                </div>`,
            )}
        </div>
        <div class="ends">
            <label class="grow"><input type="checkbox" checked=${enabled.value} onChange=${(/** @type {any} */ event) => setEnabled(event.target.checked)} /> Single keys act</label>
            <button class="button" onClick=${close}>Close</button>
        </div>
    <//>`;

const Mark = () =>
    html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
        <circle cx="12" cy="12" r="9.3" />
        <path d="M8.2 15.8V8.4l7.6 7.2V8.2" />
    </svg>`;

/** @param {{help: () => void}} props */
function Side({ help }) {
    const [open, setOpen] = useState(false);
    const here = route.value.page;
    useEffect(() => setOpen(false), [route.value]);
    return html`<header class=${open ? "side open" : "side"}>
        <a class="brand" href=${href("start")}><${Mark} />Nous</a>
        <button class="button quiet menu" aria-expanded=${open} aria-controls="nav" onClick=${() => setOpen(!open)}>Menu</button>
        <nav class="nav" id="nav" aria-label="Pages">
            <ul>
                ${shown().map(
                    (page) => html`<li class=${page.apart ? "apart" : ""}>
                        <a href=${href(page.id)} aria-current=${here === page.id ? "page" : undefined}>
                            ${page.title}
                            ${page.id === "review" && waiting.value > 0 && html`<span class="count">${Math.min(waiting.value, ASKED)}<span class="hidden"> waiting</span></span>`}
                        </a>
                    </li>`,
                )}
            </ul>
        </nav>
        <div class="foot">
            <span class=${link.value === "ok" ? "live" : "live off"}>${{ ok: "up to date", away: "not connected", locked: "locked" }[link.value]}</span>
            <button class="link" onClick=${help}>Keys <kbd>?</kbd></button>
            <${Theme} />
            <span>${version.value && `Nous ${version.value}`}</span>
        </div>
    </header>`;
}

const THEME = "nous.theme";

function Theme() {
    const [theme, setTheme] = useState(localStorage.getItem(THEME) ?? "");
    useEffect(() => {
        theme ? (document.documentElement.dataset.theme = theme) : delete document.documentElement.dataset.theme;
        localStorage.setItem(THEME, theme);
    }, [theme]);
    const next = theme === "" ? "light" : theme === "light" ? "dark" : "";
    return html`<button class="link" onClick=${() => setTheme(next)}>Theme: ${theme || "system"}</button>`;
}

const Locked = () =>
    html`<${Empty} whole title="This page is locked">
        <p>The panel is private, so it opens with a link that works once. Run this in a terminal:</p>
        <div class="row"><code>nous panel</code></div>
    <//>`;

/** The page of the route, loaded when it is first asked for. */
function Content() {
    const [loaded, setLoaded] = useState(/** @type {Record<string, any>} */ ({}));
    const { page } = route.value;
    const chosen = PAGES.find((each) => each.id === page);
    useEffect(() => {
        if (chosen && !loaded[page]) chosen.load().then((module) => setLoaded((before) => ({ ...before, [page]: module.default })));
    }, [page]);
    if (link.value === "locked") return html`<${Locked} />`;
    if (!chosen) return html`<${Empty} whole title="There is no such page"><p><a href=${href("start")}>What your next session sees</a> is a good place to begin.</p><//>`;
    const Chosen = loaded[page];
    return Chosen ? html`<${Chosen} key=${page} />` : html`<${Busy} />`;
}

function App() {
    const [help, setHelp] = useState(false);
    const { page } = route.value;
    const before = useRef(page);
    useEffect(() => {
        if (before.current === page) return;
        before.current = page;
        scrollTo(0, 0);
        requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector("h1"))?.focus());
    }, [page]);
    useEffect(() => void catchUp(), [stamp.value, link.value]);
    useKeys({
        "?": () => setHelp(true),
        "/": toSearch,
        z: () => void undo(),
        ...Object.fromEntries(shown().map((each) => [`g ${each.key}`, () => go(href(each.id))])),
    });
    return html`<${Fragment}>
        <a class="skip" href="#main" onClick=${skip}>Skip to the page</a>
        <div class="frame">
            <${Side} help=${() => setHelp(true)} />
            <main class="page" id="main"><${Content} /></main>
        </div>
        <${Toasts} />
        ${help && html`<${KeysHelp} close=${() => setHelp(false)} />`}
    <//>`;
}

/** @param {Event} event */
function skip(event) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector("h1"))?.focus();
}

function toSearch() {
    const field = () => /** @type {HTMLInputElement | null} */ (document.querySelector("input[type=search]"));
    if (!field()) go(href("memories"));
    const wait = (/** @type {number} */ left) => (field() ? field()?.focus() : left && setTimeout(wait, 30, left - 1));
    wait(30);
}

const LATER_MS = 1200; // the status looks at every memory: the page's own data go first
let later = 0;

/** What the frame itself shows: projects, and a little later how much waits for a decision. */
async function catchUp() {
    if (link.value !== "ok") return;
    clearTimeout(later);
    later = setTimeout(count, LATER_MS);
    projects.value = (await get("/v1/projects").catch(quietly))?.items ?? projects.value;
}

async function count() {
    const status = await get("/v1/status").catch(quietly);
    if (!status) return;
    version.value = status.version;
    model.value = /^(none|recorded)/.test(status.spend.model) ? "" : status.spend.model;
    waiting.value = Object.values(status.waiting).reduce((sum, count) => sum + Number(count), 0);
}

/** What the frame cannot fetch is missing, and the page says why. @param {unknown} problem */
function quietly(problem) {
    if (!(problem instanceof ApiError)) throw problem;
}

async function start() {
    const asked = new URLSearchParams(location.hash.replace(/^#/, ""));
    const code = asked.get("code");
    if (code) {
        const where = asked.get("project") ? `#/start?${new URLSearchParams({ project: asked.get("project") ?? "" })}` : "#/start";
        history.replaceState(null, "", where);
        route.value = parsed(where);
        await enter(code).catch((problem) => {
            if (!(problem instanceof ApiError)) throw problem;
        });
    }
    if (!hasKey()) link.value = "locked";
    const root = /** @type {HTMLElement} */ (document.getElementById("panel"));
    root.replaceChildren();
    render(html`<${App} />`, root);
    if (link.value === "locked") return;
    listen();
    offers.value = await get("/openapi.json").then((said) => Object.keys(said.paths), () => []);
}

start();
