// @ts-check
// The logbook: which sessions there were; of one, what it was shown, what it used, what was learned from which words.

import { Fragment, html, useEffect, useState } from "../../vendor/preact.js";
import { post } from "../api.js";
import { useKeys } from "../keys.js";
import { Cite, Confirm, Empty, Head, Meta, More, Reword, Section, Shown, When, Words, acts, clock, date, many, nameOf, size, useData, useList } from "../parts.js";
import { go, href, perform, project, route } from "../state.js";

export default function Sessions() {
    const { id } = route.value;
    return id ? html`<${One} id=${id} />` : html`<${All} />`;
}

function All() {
    const list = useList("/v1/sessions", { project: project.value }, 20);
    const [at, setAt] = useState(-1);
    const move = (/** @type {number} */ by) => {
        const next = Math.max(0, Math.min(list.items.length - 1, at + by));
        /** @type {HTMLElement | undefined} */ (document.querySelectorAll(".cards .open")[next])?.focus();
        setAt(next);
    };
    useKeys({ j: () => move(1), k: () => move(-1) });
    return html`<${Fragment}>
        <${Head} title="Sessions" lead="What each session was about, what Nous learned from it, and what it left open." />
        <${Shown} of=${list}>
            ${() =>
                list.items.length === 0
                    ? html`<${Empty} title="No session yet"><p>Sessions appear here as they happen while the daemon runs. <code>nous backfill</code> reads those that are on disk.</p><//>`
                    : html`<ul class="cards">
                              ${list.items.map((row) => html`<${Card} key=${row.session_id} row=${row} />`)}
                          </ul>
                          <${More} ...${list} />`}
        <//>
    <//>`;
}

/** @type {Record<string, string>} */
const ENDED = { partly: "partly done", dropped: "given up", talk: "discussion" };
/** @type {Record<string, string>} */
const OUTCOMES = { done: "on", partly: "", open: "", failed: "warn" };

const OUTSIDE = / \(unreviewed text from outside, not an instruction\)$/; // what the title of such a session ends with

/** One session: what it was about, how it ended, what came of it. @param {{row: any}} props */
function Card({ row }) {
    const title = row.title.replace(OUTSIDE, "") || `${date(row.last_at)}, ${clock(row.first_at)} to ${clock(row.last_at)}`;
    return html`<li class="sheet stack tight card">
        <h2><a class="open" href=${href("sessions", row.session_id)}><span class="clamp"><${Words} text=${title} /></span></a></h2>
        <div class="meta">
            <${When} at=${row.last_at} />
            ${!project.value && html`<span>${nameOf(row.project_id)}</span>`}
            ${row.branch && html`<span>${row.branch}</span>`}
            <span>${many(row.prompts, "prompt")}</span>
            ${row.outcome && html`<span class=${`tag ${OUTCOMES[row.outcome] ?? ""}`}>${ENDED[row.outcome] ?? row.outcome}</span>`}
            ${row.shown > 0 && html`<span class="tag">${row.shown} shown</span>`}
            ${OUTSIDE.test(row.title) && html`<span class="tag warn">read text from outside</span>`}
        </div>
        ${row.summary && html`<p><${Words} text=${row.summary} /></p>`}
        ${(row.taught.length > 0 || row.ended.length > 0 || row.open.length > 0) &&
        html`<ul class="came small">
            ${row.taught.map((/** @type {any} */ one) => html`<li><span class="hidden">learned: </span><a class="open inline" href=${href("memories", one.id)}><${Words} text=${one.content} /></a></li>`)}
            ${row.ended.map((/** @type {any} */ one) => html`<li class="ended"><span class="hidden">ended: </span><a class="open inline" href=${href("memories", one.id)}><${Words} text=${one.content} /></a></li>`)}
            ${row.open.map((/** @type {string} */ one) => html`<li class="left"><span class="soft">open: </span><${Words} text=${one} /></li>`)}
        </ul>`}
        ${row.taught_in_all > row.taught.length && html`<a class="small" href=${href("sessions", row.session_id)}>${many(row.taught_in_all - row.taught.length, "more memory", "more memories")}</a>`}
    </li>`;
}

/** @param {{id: string}} props */
function One({ id }) {
    const found = useData(`/v1/sessions/${encodeURIComponent(id)}`);
    useKeys({ Escape: () => go(href("sessions")) });
    return html`<${Shown} of=${found}>
        ${(/** @type {any} */ { session, shown, learned, episodes }) => html`<${Fragment}>
            <${Head} title=${session.is_read && session.title ? session.title : `Session of ${date(session.last_at)}`} everywhere lead=${lead(session)}><a class="button" href=${href("sessions")}>All sessions</a><//>
            <div class="stack wide">
                ${session.summary && html`<p class="sheet"><${Words} text=${session.summary} /></p>`}
                <${Episodes} episodes=${episodes} summary=${session.summary} />
                <${Summary} shown=${shown} learned=${learned} />
                <${Transcript} id=${id} />
            </div>
        <//>`}
    <//>`;
}

/** @param {any} row */
const lead = (row) =>
    [nameOf(row.project_id), row.branch, `${date(row.last_at)}, ${clock(row.first_at)} to ${clock(row.last_at)}`, many(row.prompts, "prompt"), `${row.client ?? ""} ${row.client_version ?? ""}`.trim(), row.bytes ? size(row.bytes) : ""].filter(Boolean).join(" · ");

/** What was done, as far as the summary does not say it, and what was left open. @param {{episodes: any[], summary: string}} props */
function Episodes({ episodes, summary }) {
    const others = episodes.filter((one) => !summary || !one.summary.includes(summary));
    const open = episodes.filter((one) => !others.includes(one)).flatMap((one) => one.open_ends);
    return html`<${Fragment}>
        ${others.length > 0 && html`<${Section} title="What was done"><ul class="stack tight">${others.map((one) => html`<${Episode} key=${one.uuid} one=${one} />`)}</ul><//>`}
        ${open.length > 0 && html`<${Section} title="Left open"><ul class="stack tight ends-open">${open.map((/** @type {string} */ end) => html`<li><${Words} text=${end} /></li>`)}</ul><//>`}
    <//>`;
}

/** @param {{one: any}} props */
const Episode = ({ one }) =>
    html`<li>
        <${Words} text=${one.summary} />
        <div class="meta">
            <span>${clock(one.began)} to ${clock(one.ended)}, ${many(one.exchanges, "exchange")}</span>
            ${one.open_ends.map((/** @type {string} */ end) => html`<span class="tag">open: <${Words} text=${end} /></span>`)}
        </div>
    </li>`;

/** @param {{shown: any[], learned: any[]}} props */
function Summary({ shown, learned }) {
    const used = shown.filter((one) => one.referenced_at);
    const seen = shown.filter((one) => one.acknowledged_at);
    const open = learned.filter((memory) => memory.status === "active" && !memory.confirmed);
    const [asking, setAsking] = useState(false);
    const confirmAll = () => perform(() => post("/v1/memories/bulk", { action: "confirm", ids: open.map((memory) => memory.id) }), () => `Kept ${many(open.length, "memory", "memories")}.`);
    return html`<div class="columns">
        ${asking && html`<${Confirm} title=${`Keep ${many(open.length, "memory", "memories")}?`} says="They no longer fade. You can undo this." act="Keep" close=${() => setAsking(false)} onYes=${confirmAll} />`}
        <${Section} title=${`Learned (${learned.length})`} extra=${open.length > 1 && html`<button class="button quiet" onClick=${() => setAsking(true)}>Keep all</button>`}>
            ${learned.length === 0 ? html`<p class="soft">Nothing new.</p>` : html`<ul class="list">${learned.map((memory) => html`<${Learned} key=${memory.id} memory=${memory} />`)}</ul>`}
        <//>
        <${Section} title=${`Shown (${shown.length})`}>
            ${shown.length === 0
                ? html`<p class="soft">This session was shown no memory.</p>`
                : html`<p class="soft small" style=${{ marginBottom: "0.6rem" }}>${many(seen.length, "memory", "memories")} reached the model, ${used.length} ${used.length === 1 ? "was" : "were"} cited.</p>
                      <ul class="stack tight">
                          ${shown.map((one) => html`<li><a class="open inline" href=${href("memories", one.memory.id)}><${Words} text=${one.memory.content} /></a> <span class=${one.referenced_at ? "tag on" : "tag"}>${one.referenced_at ? "cited" : one.acknowledged_at ? "seen" : "sent"}</span></li>`)}
                      </ul>`}
        <//>
    </div>`;
}

/** @param {{memory: any}} props */
function Learned({ memory }) {
    const [rewording, setRewording] = useState(false);
    const isUsed = memory.status === "active";
    return html`<li class=${`item plain ${isUsed ? "" : "gone"}`}>
        <div>
            <a class="open" href=${href("memories", memory.id)}><${Words} text=${memory.content} /></a>
            <${Meta} memory=${memory} />
            <div class="row" style=${{ gap: "0.2rem", marginLeft: "-0.55rem" }}>
                ${isUsed
                    ? html`<button class="button quiet" aria-label=${`Keep memory ${memory.id}`} disabled=${memory.confirmed} onClick=${() => acts.confirm(memory)}>${memory.confirmed ? "Kept" : "Keep"}</button>
                          <button class="button quiet" aria-label=${`Edit memory ${memory.id}`} onClick=${() => setRewording(true)}>Edit</button>
                          <button class="button quiet danger" aria-label=${`Delete memory ${memory.id}`} onClick=${() => acts.forget(memory)}>Delete</button>`
                    : memory.status === "archived" && html`<button class="button quiet" aria-label=${`Restore memory ${memory.id}`} onClick=${() => acts.restore(memory)}>Restore</button>`}
            </div>
            ${rewording && html`<${Reword} memory=${memory} close=${() => setRewording(false)} />`}
        </div>
    </li>`;
}

/** @param {{id: string}} props */
function Transcript({ id }) {
    const { query } = route.value;
    const [everything, setEverything] = useState(false);
    const list = useList(`/v1/sessions/${encodeURIComponent(id)}/transcript`, { talk: everything ? undefined : true }, 100);
    const wanted = query.turn;
    const isThere = list.items.some((turn) => turn.uuid === wanted);
    useEffect(() => {
        if (wanted && !isThere && list.next) void list.grow();
        if (wanted && isThere) document.getElementById(`turn-${wanted}`)?.scrollIntoView({ block: "center" });
    }, [wanted, isThere, list.items.length]);
    const toggle = html`<label class="small"><input type="checkbox" checked=${everything} onChange=${() => setEverything(!everything)} /> tools and thinking too</label>`;
    return html`<${Section} title="What was said" extra=${toggle}>
        <${Shown} of=${list}>
            ${() =>
                list.items.length === 0
                    ? html`<p class="soft">The transcript is no longer stored.</p>`
                    : html`<div class="turns">${list.items.map((turn) => html`<${Turn} key=${turn.uuid + turn.kind} turn=${turn} wanted=${turn.uuid === wanted} />`)}</div>
                          <${More} ...${list} />`}
        <//>
    <//>`;
}

const LONG = 1200;

/** What a tool was given: the command or the file, or all of it. @param {any} input */
function given(input) {
    if (!input) return "";
    return typeof input === "string" ? input : String(input.command ?? input.file_path ?? input.pattern ?? JSON.stringify(input));
}

/** @param {{turn: any, wanted: boolean}} props */
function Turn({ turn, wanted }) {
    const [whole, setWhole] = useState(false);
    const text = turn.text || given(turn.input);
    const isTalk = ["user", "assistant"].includes(turn.who);
    return html`<div class=${`turn ${turn.who === "user" ? "user" : ""} ${isTalk ? "" : "tool"} ${turn.learned?.length ? "learned" : ""}`} id=${`turn-${turn.uuid}`}>
        <div class="who"><span>${turn.agent_id ? "agent" : turn.who}</span> <span>${turn.tool ? turn.tool : clock(turn.at)}</span>
            ${turn.standing && html`<span class="tag warn">${turn.standing === "held" ? "unreviewed outside text" : `${turn.standing} since`}</span>`}
            ${turn.tainted && html`<span class="tag warn">after text from outside</span>`}</div>
        <div class="said">
            ${wanted && html`<span class="hidden">The words you came for: </span>`}
            <${Words} text=${whole ? text : text.slice(0, LONG)} cited />
            ${text.length > LONG && !whole && html`… <button class="link" onClick=${() => setWhole(true)}>all of it</button>`}
            ${turn.learned?.length > 0 && html`<div class="gain"><span class="soft">learned</span>${turn.learned.map((/** @type {number} */ id) => html`<${Cite} id=${id} />`)}</div>`}
        </div>
    </div>`;
}
