// Shows a JSON value: members that open and close, long texts and lists cut with a button for the rest.
import { code, make, said } from './dom.js';
import { parse } from './json.js';
import { count, cut, short } from './text.js';
import { print } from './write.js';

/// What is shown of a text, of a list and of the plain text of a value before somebody asks for more.
const mostText = 400;
const mostItems = 50;
const moreText = 20_000;
/// How many members of members are open at first.
const mostOpen = 200;

/// A text with a button behind it for what is cut.
function long(text, name, quote = '') {
    if (text.length <= mostText) return said(quote + text + quote, { class: name });
    const shown = said(quote + text.slice(0, mostText), { class: name });
    const box = make('span', {}, shown);
    let to = mostText;
    const more = make('button', { class: 'inline', onclick: () => {
        const next = Math.min(text.length, to + moreText);
        more.before(said(text.slice(to, next), { class: name }));
        to = next;
        if (to >= text.length) more.remove();
        else label();
    } });
    const label = () => {
        const rest = text.length - to;
        more.textContent = rest > moreText ? `${count(moreText, 'character')} more of ${rest.toLocaleString('en')}`
            : `all ${count(text.length, 'character')}`;
    };
    label();
    box.append('… ', more);
    return box;
}

function leaf(node) {
    if (node.type === 'string') return long(JSON.stringify(node.text).slice(1, -1), 'string', '"');
    return said(node.text, { class: node.type });
}

function branch(node, depth, room) {
    const isObject = node.type === 'object';
    const items = isObject ? node.members : node.items.map((item, place) => [place, item]);
    const [open, close] = isObject ? '{}' : '[]';
    if (!items.length) return make('span', {}, open + close);
    const list = make('ul');
    let to = 0;
    const fill = () => {
        const next = Math.min(items.length, to + mostItems);
        for (; to < next; to += 1) list.append(member(items[to], isObject, depth + 1, room));
        if (to >= items.length) return;
        const more = make('button', { class: 'inline', onclick: () => { more.parentElement.remove(); fill(); } },
            `${Math.min(mostItems, items.length - to)} more of ${(items.length - to).toLocaleString('en')}`);
        list.append(make('li', {}, more));
    };
    const summary = make('summary', {}, open,
        make('span', { class: 'size' }, ` ${count(items.length, isObject ? 'member' : 'item')} ${close}`));
    const details = make('details', {}, summary, list);
    // What is closed is not made before somebody opens it.
    details.addEventListener('toggle', () => { if (details.open && to === 0) fill(); });
    if (depth === 0 || (depth < 4 && items.length <= room.left)) {
        room.left -= items.length;
        fill();
        details.open = true;
    }
    return details;
}

function member([name, value], isNamed, depth, room) {
    const key = isNamed ? said(cut(name, mostText), { class: 'key' }) : make('span', { class: 'index' }, String(name));
    const element = leafOrBranch(value, depth, room);
    const summary = element.querySelector('summary');
    if (!summary) return make('li', {}, key, ': ', element);
    summary.prepend(key, ': ');
    return make('li', { class: 'branch' }, element);
}

const leafOrBranch = (node, depth, room) =>
    node.type === 'object' || node.type === 'array' ? branch(node, depth, room) : leaf(node);

/// The element for a value's text. What is not JSON, or was cut, is shown as text.
export function tree(text) {
    if (text === null || text === undefined) return make('p', { class: 'none' }, 'nothing');
    const { node, problem } = parse(text);
    if (!node || problem) return make('div', { class: 'tree plain' }, long(text, 'plain'));
    return make('div', { class: 'tree' }, leafOrBranch(node, 0, { left: mostOpen }));
}

/// The same as text that can be edited.
export function pretty(text) {
    if (text === null || text === undefined) return '';
    const { node, problem } = parse(text);
    return node && !problem ? print(node) : text;
}

/// Its beginning in one line.
export const preview = (text, most = 80) => code(cut(short(text, most * 2), most), 'preview');
