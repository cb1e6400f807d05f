// The keys, and the sheet that shows them. None of them works while somebody types.
import { one } from './dom.js';
import { keys } from './filter.js';

const typing = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

one('words').textContent = keys;

export const showKeys = () => one('keys').showModal();

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
