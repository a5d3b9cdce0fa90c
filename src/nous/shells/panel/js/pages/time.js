// @ts-check
// What was true on a day, with the brief of then, and what changed between two days: by when it was said, not read.

import { Fragment, html, useMemo } from "../../vendor/preact.js";
import { Cites, Empty, Head, Meta, More, Section, Shown, Words, date, many, useData, useList } from "../parts.js";
import { href, narrow, project, route } from "../state.js";

const DAY = 86_400_000;
const dayOf = (/** @type {number} */ at) => new Date(at).toISOString().slice(0, 10);
/** The end of a day: what was known when it was over. @param {string} day */
const endOf = (day) => `${day}T23:59:59.999Z`;

export default function Time() {
    const found = useData("/v1/timeline", { project: project.value });
    return html`<${Fragment}>
        <${Head} title="Time" lead="What was true on a day, or what changed between two. A day is when something was said, not when Nous read it." />
        <${Shown} of=${found}>
            ${(/** @type {any} */ data) => (data.items.length === 0 ? html`<${Empty} title="No history yet"><p>It starts with the first memory.</p><//>` : html`<${Moments} days=${data.items.filter((/** @type {any} */ day) => day.began + day.ceased > 0)} />`)}
        <//>
    <//>`;
}

/** @param {{days: any[]}} props */
function Moments({ days }) {
    const { query } = route.value;
    const today = dayOf(Date.now());
    const past = days.filter((day) => day.day <= today);
    const [first, last] = [past[0]?.day ?? today, past.at(-1)?.day ?? today];
    const compare = query.mode === "compare";
    const on = query.on ?? last;
    const from = query.from ?? past[Math.max(0, past.length - 8)]?.day ?? first;
    return html`<div class="stack wide">
        <div class="stack">
            <div class="row" role="group" aria-label="What to look at">
                <button class=${`button ${compare ? "" : "main"}`} aria-pressed=${!compare} onClick=${() => narrow({ mode: undefined })}>One day</button>
                <button class=${`button ${compare ? "main" : ""}`} aria-pressed=${compare} onClick=${() => narrow({ mode: "compare" })}>Compare two days</button>
            </div>
            <div class="sheet stack">
                <${Histogram} days=${past} from=${compare ? from : first} until=${on} />
                ${compare && html`<${Slider} name="from" label="From" first=${first} last=${last} value=${from} />`}
                <${Slider} name="on" label=${compare ? "to" : "True on"} first=${first} last=${last} value=${on} />
                ${!compare && html`<label><input type="checkbox" checked=${query.then === "1"} onChange=${() => narrow({ then: query.then === "1" ? undefined : "1" })} /> Only what Nous had learned by then</label>`}
            </div>
        </div>
        ${compare ? html`<${Diff} from=${from} to=${on} />` : html`<${Brief} on=${on} isNow=${on === last} /><${Believed} on=${on} isThen=${query.then === "1"} isNow=${on === last} />`}
    </div>`;
}

/** @param {{name: string, label: string, first: string, last: string, value: string}} props */
function Slider({ name, label, first, last, value }) {
    const span = Math.max(1, Math.round((Date.parse(last) - Date.parse(first)) / DAY));
    const at = Math.round((Date.parse(value) - Date.parse(first)) / DAY);
    const set = (/** @type {string} */ day) => day && narrow({ [name]: day }, { replace: true });
    return html`<div class="moment">
        <div class="row spread">
            <label for=${`slide-${name}`}>${label} <strong>${date(value)}</strong></label>
            <input class="input" style=${{ width: "auto" }} type="date" aria-label=${`${label}: date`} min=${first} max=${last} value=${value} onChange=${(/** @type {any} */ event) => set(event.target.value)} />
        </div>
        <input id=${`slide-${name}`} type="range" min="0" max=${span} value=${at} aria-valuetext=${date(value)} onInput=${(/** @type {any} */ event) => set(dayOf(Date.parse(first) + Number(event.target.value) * DAY))} />
    </div>`;
}

const BARS = 120;

/** What began and ceased to be true, and when. @param {{days: any[], from: string, until: string}} props */
function Histogram({ days, from, until }) {
    const bars = useMemo(() => grouped(days), [days]);
    const most = Math.max(1, ...bars.map((bar) => bar.began + bar.ceased));
    const width = 100 / bars.length;
    if (!bars.length) return null;
    const total = days.reduce((sum, day) => sum + day.began, 0);
    return html`<svg class="histogram" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label=${`${many(total, "memory", "memories")} said between ${date(days[0].day)} and ${date(days.at(-1).day)}`}>
        ${bars.map((bar, at) => {
            const height = (38 * (bar.began + bar.ceased)) / most;
            return html`<rect class=${bar.day >= from && bar.day <= until ? "in" : ""} x=${at * width + width * 0.08} width=${width * 0.84} y=${40 - Math.max(height, 0.6)} height=${Math.max(height, 0.6)} />`;
        })}
    </svg>`;
}

/** Every day from the first to the last, joined where there are too many to draw. @param {any[]} days */
function grouped(days) {
    if (!days.length) return [];
    const start = Date.parse(days[0].day);
    const span = Math.round((Date.parse(days.at(-1).day) - start) / DAY) + 1;
    const step = Math.ceil(span / BARS);
    const bars = Array.from({ length: Math.ceil(span / step) }, (_, at) => ({ day: dayOf(start + at * step * DAY), began: 0, ceased: 0 }));
    for (const day of days) {
        const bar = bars[Math.floor(Math.round((Date.parse(day.day) - start) / DAY) / step)];
        if (bar) [bar.began, bar.ceased] = [bar.began + day.began, bar.ceased + day.ceased];
    }
    return bars;
}

/** The brief that the last session until a day left. @param {{on: string, isNow: boolean}} props */
function Brief({ on, isNow }) {
    const found = useData(project.value ? "/v1/brief" : "", { project: project.value, as_at: endOf(on) });
    const lines = found.data?.lines ?? [];
    if (!lines.length) return null;
    return html`<${Section} title=${isNow ? "The brief of the last reading" : "The brief that day"}>
        <ul class="stack tight">${lines.map((/** @type {any} */ line) => html`<li><${Words} text=${line.text} /> <${Cites} ids=${line.ids} /></li>`)}</ul>
    <//>`;
}

/** @param {{on: string, isThen: boolean, isNow: boolean}} props */
function Believed({ on, isThen, isNow }) {
    const list = useList("/v1/memories", { project: project.value, as_of: isThen && !isNow ? endOf(on) : undefined, as_at: endOf(on) });
    return html`<${Shown} of=${list}>
        ${(/** @type {any} */ data) =>
            list.items.length === 0
                ? html`<${Empty} title="Nothing is known of that day"><p>Move the slider to a later day.</p><//>`
                : html`<${Fragment}>
                      <p class="soft" role="status">${list.isOld ? "Looking …" : `${many(data.total ?? list.items.length, "memory", "memories")} true on ${date(on)}${isThen ? ", as Nous knew it then" : ""}`}</p>
                      <ul class="list">
                          ${list.items.map(
                              (memory) => html`<li class="item plain"><div>
                                  <a class="open" href=${href("memories", memory.id)}><${Words} text=${memory.content} /></a>
                                  <${Meta} memory=${memory} />
                              </div></li>`,
                          )}
                      </ul>
                      <${More} ...${list} />
                  <//>`}
    <//>`;
}

/** @type {Record<string, string>} */
const SAID = { learned: "new", ended: "no longer" };

/** @param {{from: string, to: string}} props */
function Diff({ from, to }) {
    const [early, late] = from <= to ? [from, to] : [to, from];
    const list = useList("/v1/diff", { project: project.value, from: endOf(early), to: endOf(late), by: "true" }, 100);
    return html`<${Shown} of=${list}>
        ${() =>
            list.items.length === 0
                ? html`<${Empty} title="Nothing changed"><p>Between ${date(early)} and ${date(late)} nothing changed.</p><//>`
                : html`<${Fragment}>
                      <p class="soft" role="status">${list.next ? "The first " : ""}${many(list.items.length, "change")} between ${date(early)} and ${date(late)}</p>
                      <ul>${list.items.map((belief) => html`<${Change} belief=${belief} />`)}</ul>
                      <${More} ...${list} />
                  <//>`}
    <//>`;
}

/** @param {{belief: any}} props */
function Change({ belief }) {
    const memory = belief.after ?? belief.before;
    const ended = belief.change === "ended";
    return html`<li class="change">
        <span class=${ended ? "bad" : "good"}>${SAID[belief.change]}</span>
        <div>
            <a class="open" href=${href("memories", memory.id)}>${ended ? html`<del><${Words} text=${memory.content} /></del>` : html`<${Words} text=${memory.content} />`}</a>
            <${Meta} memory=${memory} />
        </div>
    </li>`;
}
