// @ts-check
// Two clocks: what was believed at a moment, and what was true at one. And what changed between two moments.

import { Fragment, html, useMemo } from "../../vendor/preact.js";
import { Empty, Head, Meta, More, Shown, Words, date, many, useData, useList } from "../parts.js";
import { href, narrow, project, route } from "../state.js";

const DAY = 86_400_000;
const dayOf = (/** @type {number} */ at) => new Date(at).toISOString().slice(0, 10);
/** The end of a day: what was known when it was over. @param {string} day */
const endOf = (day) => `${day}T23:59:59.999Z`;

export default function Time() {
    const found = useData("/v1/timeline", { project: project.value });
    return html`<${Fragment}>
        <${Head} title="Time" lead="Go back to any day: what Nous knew then, what was true then, or what changed between two days." />
        <${Shown} of=${found}>
            ${(/** @type {any} */ data) => (data.items.length === 0 ? html`<${Empty} title="No history yet"><p>It starts with the first memory.</p><//>` : html`<${Moments} days=${data.items} />`)}
        <//>
    <//>`;
}

/** @param {{days: any[]}} props */
function Moments({ days }) {
    const { query } = route.value;
    const today = dayOf(Date.now());
    const first = days[0].day;
    const compare = query.mode === "compare";
    const known = query.known ?? today;
    const from = query.from ?? days[Math.max(0, days.length - 8)].day;
    return html`<div class="stack wide">
        <div class="stack">
            <div class="row" role="group" aria-label="What to look at">
                <button class=${`button ${compare ? "" : "main"}`} aria-pressed=${!compare} onClick=${() => narrow({ mode: undefined })}>One moment</button>
                <button class=${`button ${compare ? "main" : ""}`} aria-pressed=${compare} onClick=${() => narrow({ mode: "compare" })}>Compare two</button>
            </div>
            <div class="sheet stack">
                <${Histogram} days=${days} from=${compare ? from : first} until=${known} />
                ${compare && html`<${Slider} name="from" label="From what was known on" first=${first} last=${today} value=${from} />`}
                <${Slider} name="known" label=${compare ? "to what was known on" : "What was known on"} first=${first} last=${today} value=${known} />
                ${!compare && html`<${Slider} name="true" label="and held to be true on" first=${earlier(first, 365)} last=${today} value=${query.true ?? ""} optional=${known} />`}
            </div>
        </div>
        ${compare ? html`<${Diff} from=${from} to=${known} />` : html`<${Believed} known=${known} truly=${query.true} isNow=${known === today} />`}
    </div>`;
}

/** @param {string} day @param {number} days */
const earlier = (day, days) => dayOf(Date.parse(day) - days * DAY);

/** @param {{name: string, label: string, first: string, last: string, value: string, optional?: string}} props */
function Slider({ name, label, first, last, value, optional }) {
    const span = Math.max(1, Math.round((Date.parse(last) - Date.parse(first)) / DAY));
    const shown = value || optional || last;
    const at = Math.round((Date.parse(shown) - Date.parse(first)) / DAY);
    const set = (/** @type {string} */ day) => day && narrow({ [name]: day }, { replace: true });
    return html`<div class="moment">
        <div class="row spread">
            <label for=${`slide-${name}`}>${label} <strong>${optional && !value ? "any day" : date(shown)}</strong></label>
            <span class="row">
                ${optional && value && html`<button class="button quiet" onClick=${() => narrow({ [name]: undefined }, { replace: true })}>any day</button>`}
                <input class="input" style=${{ width: "auto" }} type="date" aria-label=${`${label}: date`} min=${first} max=${last} value=${shown} onChange=${(/** @type {any} */ event) => set(event.target.value)} />
            </span>
        </div>
        <input id=${`slide-${name}`} type="range" min="0" max=${span} value=${at} aria-valuetext=${date(shown)} onInput=${(/** @type {any} */ event) => set(dayOf(Date.parse(first) + Number(event.target.value) * DAY))} />
    </div>`;
}

const BARS = 120;

/** What was learned when. @param {{days: any[], from: string, until: string}} props */
function Histogram({ days, from, until }) {
    const bars = useMemo(() => grouped(days), [days]);
    const most = Math.max(1, ...bars.map((bar) => bar.learned + bar.ended));
    const width = 100 / bars.length;
    const total = days.reduce((sum, day) => sum + day.learned, 0);
    return html`<svg class="histogram" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label=${`${many(total, "memory", "memories")} learned between ${date(days[0].day)} and ${date(days.at(-1).day)}`}>
        ${bars.map((bar, at) => {
            const height = (38 * (bar.learned + bar.ended)) / most;
            return html`<rect class=${bar.day >= from && bar.day <= until ? "in" : ""} x=${at * width + width * 0.08} width=${width * 0.84} y=${40 - Math.max(height, 0.6)} height=${Math.max(height, 0.6)} />`;
        })}
    </svg>`;
}

/** Every day from the first to the last, joined where there are too many to draw. @param {any[]} days */
function grouped(days) {
    const start = Date.parse(days[0].day);
    const span = Math.round((Date.now() - start) / DAY) + 1;
    const step = Math.ceil(span / BARS);
    const bars = Array.from({ length: Math.ceil(span / step) }, (_, at) => ({ day: dayOf(start + at * step * DAY), learned: 0, ended: 0 }));
    for (const day of days) {
        const bar = bars[Math.floor(Math.round((Date.parse(day.day) - start) / DAY) / step)];
        if (bar) [bar.learned, bar.ended] = [bar.learned + day.learned, bar.ended + day.ended];
    }
    return bars;
}

/** @param {{known: string, truly?: string, isNow: boolean}} props */
function Believed({ known, truly, isNow }) {
    const list = useList("/v1/memories", { project: project.value, as_of: isNow ? undefined : endOf(known), as_at: truly && endOf(truly) });
    return html`<${Shown} of=${list}>
        ${(/** @type {any} */ data) =>
            list.items.length === 0
                ? html`<${Empty} title="Nothing was known then"><p>Move the slider to a later day.</p><//>`
                : html`<${Fragment}>
                      <p class="soft" role="status">${list.isOld ? "Looking …" : `${many(data.total ?? list.items.length, "memory", "memories")} known on ${date(known)}${truly ? `, true on ${date(truly)}` : ""}`}</p>
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
const SAID = { learned: "learned", ended: "no longer", returned: "again", changed: "changed", erased: "erased" };

/** @param {{from: string, to: string}} props */
function Diff({ from, to }) {
    const [early, late] = from <= to ? [from, to] : [to, from];
    const list = useList("/v1/diff", { project: project.value, from: endOf(early), to: endOf(late) }, 100);
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
    if (!memory) return html`<li class="change"><span class="soft">${SAID[belief.change]}</span><span>#${belief.id}</span></li>`;
    const ended = belief.change === "ended";
    return html`<li class="change">
        <span class=${ended ? "bad" : belief.change === "learned" ? "good" : "soft"}>${SAID[belief.change] ?? belief.change}</span>
        <div>
            <a class="open" href=${href("memories", memory.id)}>${ended ? html`<del><${Words} text=${memory.content} /></del>` : html`<${Words} text=${memory.content} />`}</a>
            <${Meta} memory=${memory}>${belief.fields?.length > 0 && html`<span>${belief.fields.join(", ").replaceAll("_", " ")}</span>`}<//>
        </div>
    </li>`;
}
