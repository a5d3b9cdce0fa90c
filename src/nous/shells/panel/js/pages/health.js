// @ts-check
// What is known, what needs attention, and how the machinery is doing. The score can be opened to see its parts.

import { Fragment, html, useEffect, useRef } from "../../vendor/preact.js";
import { Empty, Head, Section, Shown, When, many, number, size, useData } from "../parts.js";
import { href, project } from "../state.js";

/** @type {Record<string, [string, string]>} */
const WAITING = {
    conflict: ["pair disagrees", "pairs disagree"],
    disputed: ["memory is in doubt", "memories are in doubt"],
    tainted: ["memory rests on outside text", "memories rest on outside text"],
    flagged: ["memory had to be told again", "memories had to be told again"],
    reword: ["memory needs other words", "memories need other words"],
    scope: ["memory may hold in one project only", "memories may hold in one project only"],
    everywhere: ["rule may hold in every project", "rules may hold in every project"],
    placement: ["edit of the project's files is proposed", "edits of the project's files are proposed"],
    stale: ["memory may be outdated", "memories may be outdated"],
    weak: ["memory has nearly faded", "memories have nearly faded"],
};

export default function Health() {
    const found = useData("/v1/status", { project: project.value });
    return html`<${Fragment}>
        <${Head} title="Health" lead="What is known, what needs you, and how the machinery is doing." />
        <${Shown} of=${found}>${(/** @type {any} */ status) => (status.events ? html`<${All} status=${status} />` : html`<${First} />`)}<//>
    <//>`;
}

const First = () =>
    html`<${Empty} title="Welcome">
        <p>Nous learns from your Claude Code sessions: rules you gave, decisions and why, errors and what fixed them. Nothing is learned yet.</p>
        <p style=${{ marginTop: "0.6rem" }}><code>nous init</code> connects it to Claude Code, <code>nous backfill</code> reads the sessions you already had.</p>
        <div class="row"><a class="button main" href=${href("teach")}>Teach something now</a></div>
    <//>`;

/** @param {{status: any}} props */
function All({ status }) {
    return html`<div class="stack wide">
        <div class="sheet stack">
            ${status.score && html`<${Score} score=${status.score} />`}
            <${Tiles} status=${status} />
        </div>
        <${Attention} status=${status} />
        <${Learned} />
        <div class="columns">
            <${Hooks} hooks=${status.hooks} />
            <${Machine} status=${status} />
        </div>
    </div>`;
}

const ROUND = 2 * Math.PI * 46;

/** @param {{score: any}} props */
function Score({ score }) {
    const value = Math.round(score.value);
    const word = value >= 85 ? "In good shape" : value >= 65 ? "Fine, with something to look at" : "Needs you";
    return html`<div class="score">
        <svg viewBox="0 0 110 110" role="img" aria-label=${`Score ${value} of 100`}>
            <circle cx="55" cy="55" r="46" />
            <circle cx="55" cy="55" r="46" stroke-dasharray=${`${(value / 100) * ROUND} ${ROUND}`} />
            <text x="55" y="66">${value}</text>
        </svg>
        <div class="grow">
            <h2 style=${{ fontSize: "1.2rem" }}>${word}</h2>
            <details>
                <summary>How this number is made</summary>
                <div class="scroll">
                    <table>
                        <thead><tr><th>part</th><th class="number">share</th><th class="number">points</th><th>meaning</th></tr></thead>
                        <tbody>
                            ${score.parts.map((/** @type {any} */ part) => html`<tr><th>${part.part}</th><td class="number">${Math.round(100 * part.share)} %</td><td class="number">${(part.points * part.share).toFixed(0)} of ${part.points}</td><td class="soft">${part.means}</td></tr>`)}
                        </tbody>
                    </table>
                </div>
                <p class="soft small">Each part is its share times its points; the score is their sum.</p>
            </details>
        </div>
    </div>`;
}

/** @param {{status: any}} props */
function Tiles({ status }) {
    const waits = Object.values(status.waiting ?? {}).reduce((sum, count) => sum + Number(count), 0);
    const tiles = [
        [number(status.memories), "memories in use", href("memories")],
        [number(waits), waits === 1 ? "decision waits" : "decisions wait", href("review")],
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
        ...(status.queue?.dead_letter ? [{ bad: true, says: `${many(status.queue.dead_letter, "piece of a session", "pieces of sessions")} could not be read`, more: "`nous queue list` names them, `nous queue retry` tries again" }] : []),
        ...(status.quarantined ? [{ says: `${many(status.quarantined, "line")} of transcripts put aside`, more: "`nous queue --quarantine` shows them" }] : []),
        ...Object.entries(status.waiting ?? {}).map(([kind, count]) => ({ says: `${number(Number(count))} ${(WAITING[kind] ?? [kind, kind])[count === 1 ? 0 : 1]}`, to: href("review", "", { kind }), act: "Review" })),
    ];
    return html`<${Section} title="Needs attention">
        ${rows.length === 0
            ? html`<p class="soft">Nothing. Everything works and nothing waits for a decision.</p>`
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

/** What was learned over time. */
function Learned() {
    const found = useData("/v1/timeline", { project: project.value });
    const box = useRef(/** @type {HTMLElement | null} */ (null));
    const days = found.data?.items ?? [];
    useEffect(() => {
        if (days.length < 2 || !box.current) return;
        let plot = /** @type {any} */ (null);
        let gone = false;
        import("../charts.js").then(({ growth }) => {
            if (!gone && box.current) plot = growth(box.current, days);
        });
        return () => {
            gone = true;
            plot?.destroy();
        };
    }, [JSON.stringify(days)]);
    if (days.length < 2) return null;
    const [from, until] = [days[0], days.at(-1)];
    return html`<${Section} title="In use, day by day">
        <figure class="chart" ref=${box} role="img" aria-label=${`Memories in use from ${from.day} to ${until.day}`}></figure>
        <details class="small">
            <summary>the same as a table</summary>
            <div class="scroll">
                <table>
                    <thead><tr><th>day</th><th class="number">learned</th><th class="number">ended</th></tr></thead>
                    <tbody>${days.filter((/** @type {any} */ day) => day.learned || day.ended).slice(-60).reverse().map((/** @type {any} */ day) => html`<tr><td>${day.day}</td><td class="number">${day.learned}</td><td class="number">${day.ended}</td></tr>`)}</tbody>
                </table>
            </div>
        </details>
    <//>`;
}

/** @param {{hooks: any[]}} props */
function Hooks({ hooks }) {
    return html`<${Section} title="How long sessions wait for it">
        ${hooks.length === 0
            ? html`<p class="soft">No session was shown anything yet. Once Claude Code runs with the plugin, the times are here: <code>nous init</code>.</p>`
            : html`<table>
                  <thead><tr><th>hook</th><th class="number">median</th><th class="number">p95</th><th class="number">answers</th></tr></thead>
                  <tbody>${hooks.map((row) => html`<tr><th>${row.hook}</th><td class="number">${ms(row.p50)}</td><td class="number">${ms(row.p95)}</td><td class="number">${number(row.answers)}</td></tr>`)}</tbody>
              </table>`}
    <//>`;
}

/** @param {number} value */
const ms = (value) => `${value.toFixed(1)} ms`;

/** @param {{status: any}} props */
function Machine({ status }) {
    const { daemon = {}, database = {}, transcripts = {}, spend } = status;
    return html`<${Section} title="Machine">
        <dl class="known">
            <dt>daemon</dt><dd>${daemon.running === false ? "not running" : `running${daemon.pid ? `, process ${daemon.pid}` : ""}${daemon.rss_bytes ? `, ${size(daemon.rss_bytes)} in memory` : ""}`}</dd>
            <dt>database</dt><dd>${size(database.bytes ?? 0)}, ${many(status.events, "event")}</dd>
            <dt>transcripts</dt><dd>${size(transcripts.bytes ?? 0)} kept of ${size(transcripts.raw_bytes ?? 0)}</dd>
            ${status.disk?.free !== undefined && html`<dt>disk</dt><dd>${size(status.disk.free)} free</dd>`}
            <dt>models</dt><dd>${spend?.model && spend.model !== "none" ? `${spend.model}${spend.spent ? `, $${spend.spent.toFixed(2)} today` : ""}` : "none chosen, so nothing is spent"}</dd>
        </dl>
    <//>`;
}
