// The frame: the tabs with their panels, the session picker, the menu, and the line that says what is wrong.
import { ask, path, text } from './api.js';
import { download } from './copy.js';
import { make, one, put } from './dom.js';
import { showKeys } from './keys.js';
import { Menu } from './menu.js';
import { on, set, state, workingSession } from './state.js';
import { count, cut, fileName, visible } from './text.js';

const names = ['calls', 'pages', 'scenarios', 'catalogue'];

/// Whether there is room for list or detail, and not for both.
export const isNarrow = () => matchMedia('(max-width: 50em)').matches;

/// Shows the right side where there is room for one side only.
export const openSide = isOpen => document.body.classList.toggle('open', isOpen);

export class Tabs {
    /// - Parameter opens(name): a panel is shown.
    constructor(opens) {
        this.opens = opens;
        for (const [place, name] of names.entries()) {
            const tab = one(`tab-${name}`);
            tab.addEventListener('click', () => this.show(name));
            tab.addEventListener('keydown', event => {
                const to = { ArrowRight: place + 1, ArrowLeft: place + 3, Home: 0, End: 3 }[event.key];
                if (to === undefined) return;
                event.preventDefault();
                this.show(names[to % 4]);
                one(`tab-${this.name}`).focus();
            });
        }
        on('pages', pages => this.#count('pages', 'Pages', pages.filter(page => page.state !== 'gone').length));
        for (const name of ['scenarios', 'session']) {
            on(name, () => this.#count('scenarios', 'Scenarios', state.scenarios.on?.[workingSession()]?.length));
        }
        this.show('calls');
    }

    show(name) {
        this.name = name;
        for (const other of names) {
            const isChosen = other === name;
            one(`tab-${other}`).setAttribute('aria-selected', String(isChosen));
            one(`tab-${other}`).tabIndex = isChosen ? 0 : -1;
            one(`panel-${other}`).hidden = !isChosen;
        }
        one('side').scrollTop = 0;
        openSide(name !== 'calls');
        this.opens(name);
    }

    #count(name, words, number) {
        one(`tab-${name}`).textContent = number ? `${words} ${number}` : words;
    }
}

/// Lets a person choose a session, where there are several. - Parameter chosen(): another one was.
export function sessionPicker(chosen) {
    const select = one('session');
    select.addEventListener('change', () => {
        set('session', select.value);
        chosen();
    });
    on('sessions', sessions => {
        const all = [...new Set([...sessions, ...(state.session ? [state.session] : [])])];
        one('picker').hidden = all.length < 2;
        const option = (value, text) => make('option', { value }, text);
        put(select, option('', 'all'), all.map(name => option(name, visible(name))));
        select.value = state.session;
    });
}

let noticeEnds;

/// A line above everything; for good, or for some time.
export function notice(words, milliseconds, isGood = false) {
    clearTimeout(noticeEnds);
    one('stopped').textContent = words;
    one('stopped').hidden = !words;
    one('stopped').classList.toggle('good', isGood);
    if (milliseconds) noticeEnds = setTimeout(() => notice(''), milliseconds);
}

/// What came of saving the names that nobody has answered.
function saved({ file, names, refused }) {
    const list = names => names.slice(0, 20).map(name => visible(cut(name, 60))).join(', ') +
        (names.length > 20 ? ', …' : '');
    const has = `${fileName(file)} has ${count(names.length, 'name')} more: ${list(names)}. ` +
        'Write in place of each {} what your app answers.';
    return (names.length ? has : 'There are no new names.') +
        (refused.length ? ` No mock can have the name ${list(refused)}.` : '');
}

/// The menu at the top. - Parameter forget(session): the list of a session, or of all, was cleared.
export function menu(forget) {
    const run = work => () => work().catch(error => notice(error.message, 8000));
    const all = () => state.session || '*';
    const saves = (name, address) => run(async () => download(name, await text(address())));
    one('more').replaceWith(new Menu('More', () => [
        ['Clear the list', run(async () => {
            await ask('DELETE', path('calls', { session: all() }));
            forget(state.session);
        })],
        ['Download as HAR', saves('calls.har', () => path('calls.har', { session: all() }))],
        ['Download as mocks', saves('drawbridge.json', () => path('record', { session: workingSession() }))],
        ...state.replies.file ? [['Save what nobody answered', run(async () => {
            notice(saved(await ask('POST', 'calls/missing')), 20_000, true);
        })]] : [],
        ['Keys', showKeys],
    ]).element);
}
