// @ts-check
// Whether everything runs, and what needs attention.

import { Fragment, html } from "../../vendor/preact.js";
import { First, Head, Section, Shown, When, many, number, size, useData } from "../parts.js";
import { href, project } from "../state.js";

/** @type {Record<string, [string, string]>} */
const WAITING = {
    conflict: ["pair disagrees", "pairs disagree"],
    disputed: ["memory is in doubt", "memories are in doubt"],
    tainted: ["memory comes from outside text", "memories come from outside text"],
    scope: ["memory may apply to one project only", "memories may apply to one project only"],
};

export default function Health() {
    const found = useData("/v1/status", { project: project.value });
    return html`<${Fragment}>
        <${Head} title="Health" lead="Whether everything runs, and what needs your attention." />
        <${Shown} of=${found}>${(/** @type {any} */ status) => (status.events ? html`<${All} status=${status} />` : html`<${First} />`)}<//>
    <//>`;
}

/** @param {{status: any}} props */
function All({ status }) {
    return html`<div class="stack wide">
        <div class="sheet stack">
            <${Tiles} status=${status} />
        </div>
        <${Attention} status=${status} />
        <div class="columns">
            <${Hooks} hooks=${status.hooks} />
            <${Machine} status=${status} />
        </div>
    </div>`;
}

/** @param {{status: any}} props */
function Tiles({ status }) {
    const waits = Object.values(status.waiting ?? {}).reduce((sum, count) => sum + Number(count), 0);
    const tiles = [
        [number(status.memories), "memories in use", href("memories")],
        [number(waits), waits === 1 ? "question for you" : "questions for you", href("review")],
        [number(status.transcripts?.sessions ?? 0), "sessions kept", href("sessions")],
        [number(status.all_projects?.projects ?? 0), "projects", href("memories"), Boolean(project.value)],
    ].filter((tile) => !tile[3]);
    return html`<ul class="tiles">
        ${tiles.map(([value, says, to]) => html`<li class="tile"><a href=${to}><b>${value}</b><span>${says}</span></a></li>`)}
    </ul>`;
}

/** @param {{status: any}} props */
function Attention({ status }) {
    const rows = [
        ...(status.faults ?? []).map((/** @type {any} */ fault) => ({ bad: true, says: `${fault.part} failed ${many(fault.times, "time")}`, more: fault.said, at: fault.last_at })),
        ...(status.checks ?? []).filter((/** @type {any} */ check) => !check.ok).map((/** @type {any} */ check) => ({ bad: true, says: `${check.check}: ${check.found}`, more: check.advice })),
        ...(status.daemon?.running === false ? [{ bad: true, says: "The daemon is not running, so nothing new is learned", more: "`nous up` starts it" }] : []),
        ...(status.queue?.dead_letter ? [{ bad: true, says: `${many(status.queue.dead_letter, "piece of a session", "pieces of sessions")} could not be read`, more: "`nous admin queue list` names them, `nous admin queue retry` tries again" }] : []),
        ...(status.quarantined ? [{ says: `${many(status.quarantined, "line")} of transcripts could not be read`, more: "`nous admin queue --quarantine` shows them" }] : []),
        ...Object.entries(status.waiting ?? {}).map(([kind, count]) => ({ says: `${number(Number(count))} ${(WAITING[kind] ?? [kind, kind])[count === 1 ? 0 : 1]}`, to: href("review", "", { kind }), act: "Review" })),
    ];
    return html`<${Section} title="Needs attention">
        ${rows.length === 0
            ? html`<p class="soft">Nothing. Everything works, and there is no question for you.</p>`
            : html`<ul class="attention">
                  ${rows.map(
                      (row) => html`<li>
                          <span class=${`what ${row.bad ? "bad" : "warn"}`} aria-hidden="true"></span>
                          <div>${row.says}${row.more && html`<div class="soft small">${row.more}${row.at && html`, last <${When} at=${row.at} />`}</div>`}</div>
                          ${row.to ? html`<a href=${row.to}>${row.act}</a>` : html`<span></span>`}
                      </li>`,
                  )}
              </ul>`}
    <//>`;
}

/** @param {{hooks: any[]}} props */
function Hooks({ hooks }) {
    return html`<${Section} title="Hook answers">
        ${hooks.length === 0
            ? html`<p class="soft">No hook has run yet. Times appear here once Claude Code runs with the plugin, which <code>nous init</code> installs.</p>`
            : html`<table>
                  <thead><tr><th>hook</th><th class="number">median</th><th class="number">p95</th><th class="number">answers</th></tr></thead>
                  <tbody>${hooks.map((row) => html`<tr><th>${row.hook}</th><td class="number">${ms(row.p50)}</td><td class="number">${ms(row.p95)}</td><td class="number">${number(row.answers)}</td></tr>`)}</tbody>
              </table>
              <p class="soft small">Time in the daemon. The process that Claude Code starts for each hook adds more; <code>nous init</code> measures both.</p>`}
    <//>`;
}

/** @param {number} value */
const ms = (value) => `${value.toFixed(1)} ms`;

/** @param {{status: any}} props */
function Machine({ status }) {
    const { daemon = {}, database = {}, transcripts = {} } = status;
    return html`<${Section} title="Machine">
        <dl class="known">
            <dt>daemon</dt><dd>${daemon.running === false ? "not running" : `running${daemon.pid ? `, process ${daemon.pid}` : ""}${daemon.rss_bytes ? `, ${size(daemon.rss_bytes)} in memory` : ""}`}</dd>
            <dt>database</dt><dd>${size(database.bytes ?? 0)}, ${many(status.events, "event")}</dd>
            <dt>transcripts</dt><dd>${size(transcripts.bytes ?? 0)} kept of ${size(transcripts.raw_bytes ?? 0)}</dd>
            ${status.disk?.free !== undefined && html`<dt>disk</dt><dd>${size(status.disk.free)} free</dd>`}
        </dl>
    <//>`;
}
