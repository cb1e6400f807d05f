// The filter box and what is next to it. They are kept in the address, so that a reload shows the same.
import { announce, one } from './dom.js';
import { filter } from './filter.js';
import { state } from './state.js';
import { count } from './text.js';

/// What is shown only where somebody wants it: what passed, and what pages live through.
const switches = ['passed', 'life'];

/// How long somebody may go on typing before the list is filtered.
const settling = 80;

export class Search {
    #typed;

    constructor(list, records) {
        Object.assign(this, { list, records });
        const address = new URLSearchParams(location.search);
        one('filter').value = address.get('filter') ?? '';
        for (const name of switches) {
            one(name).checked = address.has(name);
            one(name).addEventListener('change', () => this.apply());
        }
        one('filter').addEventListener('input', () => {
            clearTimeout(this.#typed);
            this.#typed = setTimeout(() => this.apply(), settling);
        });
        one('filter').addEventListener('keydown', event => {
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
            event.preventDefault();
            one('list').focus();
        });
    }

    /// Filters by what the box and the picker say now.
    async apply() {
        const text = one('filter').value;
        const items = new URLSearchParams();
        if (text) items.set('filter', text);
        if (state.session) items.set('session', state.session);
        for (const name of switches) if (one(name).checked) items.set(name, 'shown');
        const query = String(items);
        history.replaceState(null, '', location.pathname + (query ? `?${query}` : ''));
        await this.list.apply(filter(text, state.session, ...switches.map(name => one(name).checked)));
        if (text) announce(this.#words(this.list.shown.length));
    }

    #words(shown) {
        if (!shown) return this.list.filter.unknown ?? 'Nothing matches the filter.';
        return `${count(shown, 'record')} of ${this.records.all.length.toLocaleString('en')}`;
    }

    /// Says how many are shown, where not all are; after each drawing.
    tell() {
        const { filter, shown } = this.list;
        const words = filter.isOpen ? '' : this.#words(shown.length);
        if (one('found').textContent !== words) one('found').textContent = words;
        one('found').hidden = !words;
        one('empty').hidden = this.records.all.length > 0;
    }

    focus() {
        one('filter').focus();
        one('filter').select();
    }
}
