// What a page looked for in vain, and the button that gives it.
import { ask, path, undo } from './api.js';
import { action, code, make, said } from './dom.js';
import { nearName } from './text.js';

/// - Parameters:
///   - isRed: whether pages do not have it yet.
///   - tell: says what came of it.
///   - reload(): the button that loads the page again; null where it is closed.
export function lack(entry, isRed, tell, reload) {
    const give = async () => {
        const { file, save } = await ask('POST', path('calls/missing', { number: entry.number }));
        tell(`Added to ${nearName(file)}. `, 'good', reload() ?? 'Reload the page.', ' ',
            action('Undo', tell, async () => tell(await undo(save), 'good')));
    };
    const needs = entry.detail('why')?.[0];
    return make('section', { class: `card ${isRed ? 'nobody' : ''}`, 'aria-label': 'What the page lacks' },
        make('h3', {}, entry.isGiven ? 'Already given to pages' : 'Give it to pages'), code(entry.gives.slice(1, -1), 'mono'),
        needs ? make('p', { class: 'bad' }, said(needs), '. Load it in the page.') : null,
        make('p', { class: 'dim' }, entry.isGiven ? 'Pages that are loaded from now on have it.'
            : 'Adds it to the file, for pages that are loaded afterwards.'),
        make('div', { class: 'actions' }, !entry.isGiven
            ? action('Give it to pages', tell, give, { class: 'primary', 'data-key': 'give' }) : reload()));
}
