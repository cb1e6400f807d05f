// The keys, and the sheet that shows them. None of them works while somebody types.
import { make, one } from './dom.js';
import { keys } from './filter.js';

const typing = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

const words = [
    ['j or ↓', 'the next one'], ['k or ↑', 'the one before'], ['Home, End', 'the first, the last'],
    ['n', 'the next that nobody answers'],
    ['Enter', 'open it; where nobody answered, type the answer'], ['e', 'answer otherwise'],
    ['r', 'edit its input and send it again'], ['c', 'copy it as curl'], ['t', 'copy it as a line that verifies it'], ['/', 'filter'],
    ['p, l', 'show or hide other requests, page events'], ['1 2 3 4', 'calls, pages, scenarios, catalogue'], ['Esc', 'back'],
    ['?', 'these keys'],
];

let sheet = null;

export function showKeys() {
    sheet?.remove();
    sheet = make('dialog', { class: 'sheet', 'aria-label': 'Keys' }, make('h2', {}, 'Keys'),
        make('dl', { class: 'keys' }, words.map(([key, text]) => [make('dt', {}, key), make('dd', {}, text)]).flat()),
        make('h2', {}, 'Filter'),
        make('p', {}, 'Words are looked for in name and input. A ', make('code', {}, '-'),
            ' before one leaves out what has it. Also: ',
            make('code', {}, keys)),
        make('p', {}, make('code', {}, 'name:pay state:error page:/cart -request by:nobody')),
        make('form', { method: 'dialog' }, make('button', { type: 'submit' }, 'Close')));
    document.body.append(sheet);
    sheet.showModal();
}

/// - Parameter deeds: what each key does, and `back` for Escape.
export function listenToKeys(deeds) {
    document.addEventListener('keydown', event => {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || one('app').hidden) return;
        if (document.querySelector('dialog[open]')) return;
        const isTyping = event.target.closest?.(typing);
        if (event.key === 'Escape') return void deeds.back(event.target);
        if (isTyping) return;
        const isList = event.target === one('list') || event.target === document.body;
        // Elsewhere arrows scroll, and Enter presses what has the focus.
        if (!isList && /^(Arrow|Page|Home|End|Enter)/.test(event.key)) return;
        const deed = deeds[event.key];
        if (!deed) return;
        event.preventDefault();
        deed();
    });
}
