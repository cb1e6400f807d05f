// The frame: the tabs with their panels, the session picker, the menu, and the line that says what is wrong.
import { ask, path, text } from './api.js';
import { download } from './copy.js';
import { action, make, one, put, said } from './dom.js';
import { showKeys } from './keys.js';
import './menu.js';
import { on, set, state, workingSession } from './state.js';
import { count, cut, nearName, visible } from './text.js';

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

/// What is wrong until it is mended.
let fault = '';

export function complain(words) {
    if (words === fault) return;
    fault = words;
    notice('');
}

/// A line above everything; for good, or for some time.
export function notice(words, milliseconds, isGood = false) {
    clearTimeout(noticeEnds);
    put(one('stopped'), said(words || fault));
    one('stopped').hidden = !words && !fault;
    one('stopped').classList.toggle('good', isGood);
    if (milliseconds) noticeEnds = setTimeout(() => notice(''), milliseconds);
}

const listed = names => names.slice(0, 20).map(name => visible(cut(name, 60))).join(', ') +
    (names.length > 20 ? `, and ${names.length - 20} more` : '');

/// What came of saving the names that nobody has answered.
function saved({ file, names, given, refused }) {
    const lists = given.map(member => Object.values(member)[0]).map(value => value.options?.object ?? value);
    const gives = given.length ? `Pages get ${listed(lists)}; reload them. ` : '';
    const has = `${nearName(file)} has ${count(names.length, 'name')} more: ${listed(names)}. ` +
        'Replace each {} with what your app answers. To undo it: Scenarios, Saved in files.';
    return gives + (names.length ? has : gives ? '' : 'There are no new names.') +
        (refused.length ? ` No mock can have the name ${listed(refused)}.` : '');
}

const run = work => () => work().catch(error => notice(error.message, 8000));

/// Asks before the file gets a mock for each name that nobody answered; the gateway knows all of them.
function addMissing(names) {
    const box = one('confirm');
    notice('');
    const close = () => {
        put(box).hidden = true;
        one('more').focus();
    };
    const add = action('Add', notice, async () => {
        notice(saved(await ask('POST', 'calls/missing')), 20_000, true);
        close();
    }, { class: 'primary' });
    const words = make('p', { id: 'confirm-words' },
        `Add every name that nobody has answered since the start to ${nearName(state.replies.file)}, `,
        'each with {} to fill in, and what pages looked for but did not find?',
        names.length ? [' In the list: ', ...names.slice(0, 20).flatMap((name, place) =>
            [place ? ', ' : '', said(cut(name, 60), { class: 'mono' })])] : '',
        names.length > 20 ? `, and ${names.length - 20} more` : '', names.length ? '.' : '');
    const cancel = make('button', { onclick: close }, 'Cancel');
    put(box, words, make('div', { class: 'actions' }, add, cancel)).hidden = false;
    box.onkeydown = event => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
    };
}

/// The menu at the top.
/// - Parameters:
///   - missing(): the names that nobody answers.
///   - forget(session): the list of a session, or of all, was cleared.
export function menu(missing, forget) {
    on('replies', ({ file }) => { one('add-missing').hidden = !file; });
    one('add-missing').addEventListener('click', () => addMissing(missing()));
    one('show-keys').addEventListener('click', showKeys);
    one('download').addEventListener('click', run(async () => {
        download('drawbridge.json', await text(path('record', { session: workingSession() })));
        notice('drawbridge.json is downloaded.', 8000, true);
    }));
    one('clear').addEventListener('click', run(async () => {
        await ask('DELETE', path('calls', { session: state.session || '*' }));
        forget(state.session);
    }));
}
