// The menu at the top, which the browser opens and closes: arrows and letters move, Enter chooses.
import { one } from './dom.js';

const list = one('menu');

// Before what was chosen is done, so that it finds the focus where it was.
list.addEventListener('click', () => list.hidePopover(), true);

list.addEventListener('focusout', ({ relatedTarget: next }) => {
    if (next && next !== one('more') && !list.contains(next)) list.hidePopover();
});

list.addEventListener('keydown', event => {
    const all = [...list.children].filter(item => !item.hidden);
    const at = all.indexOf(document.activeElement);
    const to = {
        ArrowDown: (at + 1) % all.length, ArrowUp: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1,
    }[event.key];
    if (event.key === 'Escape') list.hidePopover();
    else if (to !== undefined) all[to].focus();
    else if (event.key.length === 1 && /\w/.test(event.key)) {
        all.find(item => item.textContent.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
});
