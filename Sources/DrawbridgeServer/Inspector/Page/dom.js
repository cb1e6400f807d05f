// Makes elements. What pages said gets into the document by said() and as text alone: there is no HTML in any script.
import { isWebAddress, unseen, visible } from './text.js';

/// An element: make('button', { class: 'quiet', onclick: copy }, 'Copy'). What is null or false is left out.
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'value') element.value = value;
        else element.setAttribute(key, value === true ? '' : value);
    }
    if (name === 'button' && !attributes.type) element.type = 'button';
    element.append(...there(children));
    return element;
}

/// Children without those that are null or false.
const there = children => children.flat().filter(child => child !== null && child !== undefined && child !== false);

/// What a page said: kept apart from the direction of what is next to it, with unseen characters shown, in an element
/// that tells them from a page that wrote U+202E itself.
export function said(text, attributes = {}, name = 'bdi') {
    const element = make(name, attributes);
    const all = String(text ?? '');
    let from = 0;
    for (const { 0: character, index } of all.matchAll(unseen)) {
        element.append(all.slice(from, index), make('span', { class: 'mark' }, visible(character)));
        from = index + 1;
    }
    element.append(all.slice(from));
    return element;
}

/// The same for values and paths, which are read from the left whatever is in them.
export const code = (text, name) => said(text, { class: name, dir: 'ltr' });

/// A field for names, which no browser is to correct.
export const plainInput = attributes =>
    make('input', { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', ...attributes });

/// An element of the document.
export const one = id => document.getElementById(id);

/// Puts children in place of those that are there.
export function put(element, ...children) {
    element.replaceChildren(...there(children));
    return element;
}

/// A link that leads out, or a text where it may not.
export const link = (address, otherwise = said(address)) => isWebAddress(address)
    ? said(address, { href: address, target: '_blank', rel: 'noopener noreferrer' }, 'a') : otherwise;

let announced = 0;
let waiting = null;

/// Says something to those who do not see the screen; of much at once only the last.
export function announce(text) {
    waiting = text;
    setTimeout(() => {
        if (waiting === null || Date.now() - announced < 1400) return;
        announced = Date.now();
        one('live').textContent = waiting;
        waiting = null;
    }, Math.max(50, announced + 1500 - Date.now()));
}

/// A line that tells what came of something: tell(text), tell(text, 'bad'), and children behind it.
export function statusLine() {
    const element = make('p', { class: 'status', role: 'status' });
    const tell = (text, kind = '', ...children) => {
        element.className = `status ${kind}`;
        put(element, text ? [said(text, {}, 'span'), ...children] : []);
    };
    return { element, tell };
}

/// Does something for a button, which cannot be pressed again before; what goes wrong is told.
export async function busy(button, tell, work) {
    if (button?.getAttribute('aria-disabled') === 'true') return;
    button?.setAttribute('aria-disabled', 'true');
    try {
        await work();
    } catch (error) {
        tell(error.message, 'bad');
    } finally {
        button?.removeAttribute('aria-disabled');
    }
}

/// A button that does something in this way: action('Undo', tell, () => undo(save), { class: 'inline' }).
export const action = (words, tell, work, attributes = {}) =>
    make('button', { ...attributes, onclick: event => busy(event.currentTarget, tell, work) }, words);
