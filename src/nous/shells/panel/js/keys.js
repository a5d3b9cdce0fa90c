// @ts-check
// One key per act. Keys never act while somebody types or while a dialog is open, and can be switched off.

import { signal, useLayoutEffect } from "../vendor/preact.js";

const OFF = "nous.keys";
const PAIR_MS = 900;

export const enabled = signal(localStorage.getItem(OFF) !== "off");

/** @param {boolean} on */
export function setEnabled(on) {
    enabled.value = on;
    localStorage.setItem(OFF, on ? "on" : "off");
}

/** @typedef {Record<string, () => void>} Bindings */
/** @type {Bindings[]} */
const layers = [];
let first = "";
let firstAt = 0;

/** Bind keys while a component is shown; `"g m"` is two keys, one after the other. @param {Bindings} bindings */
export function useKeys(bindings) {
    useLayoutEffect(() => { // before it can be seen: a key that follows at once is not lost
        layers.push(bindings);
        return () => void layers.splice(layers.indexOf(bindings), 1);
    });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
    return target instanceof HTMLElement && target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
}

addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key === "Escape" && target instanceof HTMLElement && isTyping(target) && !target.closest("dialog")) {
        event.preventDefault(); // a search field would lose its words
        return target.blur();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (!enabled.value && event.key !== "?") return;
    const pair = Date.now() - firstAt < PAIR_MS ? `${first} ${event.key}` : "";
    const act = find(pair) ?? find(event.key);
    [first, firstAt] = [event.key, Date.now()];
    if (!act) return;
    first = "";
    event.preventDefault();
    act();
});

/** @param {string} key */
const find = (key) => layers.findLast((layer) => layer[key])?.[key];
