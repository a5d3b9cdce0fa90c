// @ts-check
// What the next session of a project is shown: its brief, which a person can change, what is open, and what a prompt brings.

import { Fragment, html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { get, post } from "../api.js";
import { Busy, Cites, Dialog, First, Head, Section, Shown, When, Words, many, useData } from "../parts.js";
import { complain, go, href, offers, perform, project, projects, undo } from "../state.js";

const LONGEST = 400; // characters of a line
const RECENT = 6; // changes that are named
const WEEK_MS = 7 * 86_400_000;

export default function Start() {
    const known = projects.value;
    const isKnown = known.some((row) => row.project_id === project.value);
    useEffect(() => {
        if (known.length && !isKnown) go(href("start", "", { project: known[0].project_id }), { replace: true });
    }, [known, isKnown]);
    return html`<${Fragment}>
        <${Head} title="What your next session sees" lead="Every session of this project starts with these lines. No model changes what you keep, edit or pin." one />
        ${isKnown ? html`<${Page} key=${project.value} id=${project.value} />` : offers.value.length && !known.length ? html`<${First} />` : html`<${Busy} />`}
    <//>`;
}

/** @param {{id: string}} props */
function Page({ id }) {
    const found = useData("/v1/brief", { project: id });
    return html`<${Shown} of=${found}>
        ${(/** @type {any} */ data) => html`<div class="stack wide">
            <${Lines} id=${id} lines=${data.lines.filter((/** @type {any} */ line) => !line.work)} removed=${data.removed} />
            <${Open} id=${id} work=${data.lines.filter((/** @type {any} */ line) => line.work)} open=${data.open} />
            <${Try} id=${id} />
            <${Changed} id=${id} />
        </div>`}
    <//>`;
}

/** @param {string} id @param {any} line @param {string} action @param {string} said @param {string} [text] */
const decide = (id, line, action, said, text) => perform(() => post("/v1/brief", { project: id, line: line.key, action, ...(text ? { text } : {}) }), () => said);

// -- the brief ------------------------------------------------------------------------------------------------------

/** @param {{id: string, lines: any[], removed: any[]}} props */
function Lines({ id, lines, removed }) {
    const [held, setHeld] = useState(-1); // the line that is dragged
    const [over, setOver] = useState(-1);
    const list = useRef(/** @type {HTMLElement | null} */ (null));
    const move = async (/** @type {number} */ from, /** @type {number} */ to) => {
        if (from === to || to < 0 || to >= lines.length) return;
        const keys = lines.map((line) => line.key);
        keys.splice(to, 0, ...keys.splice(from, 1));
        if (await perform(() => post("/v1/brief/order", { project: id, lines: keys }), () => `Moved to place ${to + 1}.`))
            setTimeout(() => /** @type {HTMLElement | undefined} */ (list.current?.querySelectorAll(".grip")[to])?.focus(), 250);
    };
    const drop = () => (held >= 0 && over >= 0 && void move(held, over), setHeld(-1), setOver(-1));
    return html`<${Section} title="The brief" extra=${lines.length > 0 && html`<span class="soft small">${many(lines.length, "line")}</span>`}>
        ${lines.length === 0
            ? html`<p class="soft">Sessions of this project start with nothing yet. Rules you give in sessions will appear here; <a href=${href("teach")}>teach one</a> to put it here now.</p>`
            : html`<ol class="brief" ref=${list} onDragEnd=${() => (setHeld(-1), setOver(-1))}>
                  ${lines.map(
                      (line, at) => html`<li
                          key=${line.key}
                          class=${`${held === at ? "held" : ""} ${over === at && held !== at ? (held < at ? "below" : "above") : ""}`}
                          onDragOver=${(/** @type {DragEvent} */ event) => (event.preventDefault(), setOver(at))}
                          onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), drop())}
                      >
                          <${Grip} at=${at} count=${lines.length} move=${(/** @type {number} */ to) => void move(at, to)} start=${() => setHeld(at)} />
                          <${Line} id=${id} line=${line} />
                      </li>`,
                  )}
              </ol>`}
        ${removed.length > 0 && html`<${Removed} lines=${removed} />`}
    <//>`;
}

/** What a line is dragged by, or moved with the arrow keys. @param {{at: number, count: number, move: (to: number) => void, start: () => void}} props */
function Grip({ at, count, move, start }) {
    const keys = (/** @type {KeyboardEvent} */ event) => {
        const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        move(to);
    };
    const drag = (/** @type {DragEvent} */ event) => {
        event.dataTransfer?.setData("text/plain", String(at));
        start();
    };
    return html`<button class="grip" draggable onDragStart=${drag} onKeyDown=${keys} title="Drag, or use the arrow keys" aria-label=${`Move line ${at + 1} of ${count}: arrow keys`}>
        <svg viewBox="0 0 10 16" aria-hidden="true"><circle cx="2.5" cy="3" r="1.3" /><circle cx="7.5" cy="3" r="1.3" /><circle cx="2.5" cy="8" r="1.3" /><circle cx="7.5" cy="8" r="1.3" /><circle cx="2.5" cy="13" r="1.3" /><circle cx="7.5" cy="13" r="1.3" /></svg>
    </button>`;
}

/** @param {{id: string, line: any}} props */
function Line({ id, line }) {
    const [editing, setEditing] = useState(false);
    const isPinned = line.state === "pinned";
    const name = `line ${line.number}`;
    return html`<div class="line">
        <p><${Words} text=${line.text} /></p>
        <div class="foot"><div class="meta">
            <${Cites} ids=${line.ids} />
            <span>${line.why}</span>
            ${isPinned && html`<span class="tag on">pinned</span>`}
            ${line.state === "kept" && !line.edited && html`<span class="tag on">kept</span>`}
            ${line.edited && html`<span class="tag on">your words</span>`}
        </div>
        <div class="row hand">
            ${line.state === "" && html`<button class="button quiet" aria-label=${`Keep ${name}`} onClick=${() => decide(id, line, "keep", "Kept: no model will change or remove it.")}>Keep</button>`}
            <button class="button quiet" aria-label=${`Edit ${name}`} onClick=${() => setEditing(true)}>Edit</button>
            <button class="button quiet danger" aria-label=${`Delete ${name}`} onClick=${() => decide(id, line, "drop", "Deleted. It comes back only if you say it again.")}>Delete</button>
            <button class="button quiet" aria-label=${`${isPinned ? "Unpin" : "Pin"} ${name}`} onClick=${() => (isPinned ? decide(id, line, "unpin", "Unpinned, but kept.") : decide(id, line, "pin", "Pinned: it comes first."))}>${isPinned ? "Unpin" : "Pin"}</button>
        </div></div>
        ${editing && html`<${EditLine} id=${id} line=${line} close=${() => setEditing(false)} />`}
    </div>`;
}

/** @param {{id: string, line: any, close: () => void}} props */
function EditLine({ id, line, close }) {
    const [text, setText] = useState(line.text);
    const words = text.trim();
    const save = (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        void decide(id, line, "edit", "Saved.", words);
    };
    return html`<${Dialog} title=${`Edit line ${line.number}`} close=${close}>
        <form onSubmit=${save}>
            <div class="field">
                <label for="line-words">What sessions should read</label>
                <textarea id="line-words" dir="auto" maxlength=${LONGEST} value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
            </div>
            <p class="soft small">No model will change your words. The memories behind the line stay as they are.</p>
            <div class="ends">
                <button class="button" type="button" onClick=${close}>Cancel</button>
                <button class="button main" disabled=${!words || words === line.text}>Save</button>
            </div>
        </form>
    <//>`;
}

/** @param {{lines: any[]}} props */
const Removed = ({ lines }) =>
    html`<details class="small removed">
        <summary>${many(lines.length, "line")} you deleted</summary>
        <ul class="stack tight">
            ${lines.map((line) => html`<li><${Words} text=${line.text} /> <span class="soft"><${When} at=${line.at} /></span> <button class="link" aria-label=${`Bring back: ${line.text.slice(0, 60)}`} onClick=${() => undo([line.event])}>Bring back</button></li>`)}
        </ul>
    </details>`;

// -- what is open, what a prompt brings, what changed ---------------------------------------------------------------

/** @param {{id: string, work: any[], open: any[]}} props */
const Open = ({ id, work, open }) =>
    work.length + open.length > 0 &&
    html`<${Section} title="Last work and open ends">
        ${work.length > 0 && html`<ol class="brief">${work.map((line) => html`<li key=${line.key}><${Line} id=${id} line=${line} /></li>`)}</ol>`}
        ${open.length > 0 &&
        html`<ul class="stack tight ends-open">
            ${open.map((one) => html`<li><${Words} text=${one.text} /> <a class="soft small" href=${href("sessions", one.session_id)}><${When} at=${one.at} /><span class="hidden">: the session</span></a></li>`)}
        </ul>`}
    <//>`;

/** The same answer as `nous preview PROMPT`. @param {{id: string}} props */
function Try({ id }) {
    const [prompt, setPrompt] = useState("");
    const [found, setFound] = useState(/** @type {any} */ (null));
    const [isBusy, setBusy] = useState(false);
    const ask = async (/** @type {Event} */ event) => {
        event.preventDefault();
        setBusy(true);
        await get("/v1/preview", { project: id, prompt: prompt.trim() }).then((data) => setFound({ prompt, lines: data.prompt }), complain);
        setBusy(false);
    };
    return html`<${Section} title="Try a prompt">
        <form class="row try" onSubmit=${ask}>
            <label class="hidden" for="try-prompt">A first prompt</label>
            <input id="try-prompt" class="input grow" dir="auto" placeholder="What would you ask first? See what Nous adds to it." value=${prompt} onInput=${(/** @type {any} */ event) => setPrompt(event.target.value)} />
            <button class="button main" disabled=${!prompt.trim() || isBusy}>Try</button>
        </form>
        <div role="status">
            ${found &&
            (found.lines.length === 0
                ? html`<p class="soft">This prompt adds nothing to the brief. Nous stays silent unless it is sure.</p>`
                : html`<ul class="brought">${found.lines.map((/** @type {any} */ line) => html`<li><${Words} text=${line.text} cited /><div class="soft small">${line.why}</div></li>`)}</ul>`)}
        </div>
    <//>`;
}

/** @param {{id: string}} props */
function Changed({ id }) {
    const found = useData("/v1/diff", { project: id, from: "7d", by: "true", limit: 200 });
    const items = (found.data?.items ?? []).filter((/** @type {any} */ one) => (one.after ?? one.before).type !== "work_state").reverse();
    const learned = items.filter((/** @type {any} */ one) => one.change === "learned");
    const ended = items.filter((/** @type {any} */ one) => one.change === "ended");
    const more = html`<a class="small" href=${href("time", "", { mode: "compare", from: new Date(Date.now() - WEEK_MS).toISOString().slice(0, 10) })}>All changes</a>`;
    return html`<${Section} title="Since last week" extra=${items.length > 0 && more}>
        ${!found.data
            ? html`<p class="soft">…</p>`
            : learned.length + ended.length === 0
              ? html`<p class="soft">In the last seven days nothing new was said and nothing ended.</p>`
              : html`<div class="columns">
                    <${Came} title=${`Learned (${learned.length})`} items=${learned} />
                    <${Came} title=${`Ended (${ended.length})`} items=${ended} />
                </div>`}
    <//>`;
}

/** @param {{title: string, items: any[]}} props */
const Came = ({ title, items }) =>
    html`<div class="stack tight">
        <h3>${title}</h3>
        ${items.length === 0
            ? html`<p class="soft small">Nothing.</p>`
            : html`<ul class="stack tight">${items.slice(0, RECENT).map((one) => html`<li class="small"><a class="open inline" href=${href("memories", one.id)}><${Words} text=${(one.after ?? one.before).content} /></a></li>`)}</ul>`}
    </div>`;
