// Starts the inspector: lets the reader in, follows what happens, and ties list, detail and panels together.
import { enter } from './access.js';
import { Catalogue } from './catalogue.js';
import { Detail } from './detail.js';
import { announce, link, make, one, put, said } from './dom.js';
import { complain, isNarrow, menu, notice, openSide, sessionPicker, Tabs } from './frame.js';
import { listenToKeys, showKeys } from './keys.js';
import { List } from './list.js';
import { Pages } from './pages.js';
import { Questions } from './questions.js';
import { Records } from './records.js';
import { Scenarios } from './scenarios.js';
import { Search } from './search.js';
import { on, state, take } from './state.js';
import { follow } from './stream.js';
import { cut } from './text.js';

/// How many names that nobody answers are shown above the list.
const mostNames = 12;

const stream = 'calls/events?session=*&kind=call,push,page,request,notice&secrets=1';

const isStopped = 'The gateway does not answer. If it was stopped, start it again, and open its new link.';

class Inspector {
    #began = Date.now();
    #records = new Records();
    /// The number of a record that is to be shown when it comes.
    #wanted = null;
    #telling = null;
    #told = '';

    constructor() {
        state.session = new URLSearchParams(location.search).get('session') ?? '';
        const goTo = number => this.#goTo(number);
        this.detail = new Detail(this.#records, { goTo, back: () => this.#back() });
        this.list = new List(this.#records, {
            selects: (entry, how) => this.#selects(entry, how), draws: () => this.search.tell(),
        });
        this.search = new Search(this.list, this.#records);
        this.scenarios = new Scenarios();
        this.catalogue = new Catalogue(goTo);
        new Questions(this.#records, goTo);
        new Pages();
        this.tabs = new Tabs(name => {
            if (name === 'scenarios') this.scenarios.open();
            this.catalogue.show(name === 'catalogue');
        });
        sessionPicker(() => this.search.apply());
        menu(() => this.#missing(), session => this.#forget(session));
        this.#listen();
        on('replies', ({ problem, answered }) => {
            complain(problem ? `${problem}. The previous version is still used; correct the file and save it.` : '');
            this.#records.answered = new Set(answered);
            this.list.draw();
            this.detail.refresh();
            this.#tellRed();
        });
        for (const name of ['questions', 'session']) on(name, () => this.#tellRed());
        on('gateway', ({ page }) => put(one('address'), link(page, 'the address that the gateway prints')));
        this.#records.listen({ changed: (entry, before) => this.#changed(entry, before) });
        this.search.apply();
    }

    /// Follows the gateway for ever.
    follow() {
        return follow(stream, {
            take: (event, data) => {
                if (event === 'record') this.#records.take(data);
                else if (event === 'lost') this.#records.drop(JSON.parse(data));
                else take(event, data);
            },
            tell: life => {
                one('connection').className = life;
                one('connection').textContent = life === 'live' ? 'live' : 'stopped';
                notice(life === 'live' ? '' : isStopped);
            },
            forget: () => this.#forget(''),
        });
    }

    // MARK: What a person looks at

    /// Shows a record by its number, now or when it comes.
    #goTo(number) {
        if (this.tabs.name !== 'calls') this.tabs.show('calls');
        this.#wanted = this.list.select(number, 'open') ? null : number;
    }

    #back() {
        if (this.tabs.name !== 'calls') this.tabs.show('calls');
        openSide(false);
        this.list.isRead = false;
        one('list').focus({ preventScroll: true });
    }

    #selects(entry, how) {
        this.detail.show(entry);
        if (how !== 'open') return;
        if (this.tabs.name !== 'calls') this.tabs.show('calls');
        openSide(true);
        // On a phone the keyboard would cover what is to be read.
        if (this.#red([entry]).length && !matchMedia('(pointer: coarse)').matches) this.detail.answer();
        else if (isNarrow()) one('panel-calls').querySelector('h2')?.focus({ preventScroll: true });
    }

    #listen() {
        const { list, detail, tabs } = this;
        const next = () => list.move(1);
        const before = () => list.move(-1);
        listenToKeys({
            j: next, ArrowDown: next, k: before, ArrowUp: before,
            PageDown: () => list.move(list.page), PageUp: () => list.move(-list.page),
            Home: () => list.move(-Infinity), End: () => list.move(Infinity),
            Enter: () => { if (list.selected !== null) list.select(list.selected, 'open'); },
            '/': () => { tabs.show('calls'); this.search.focus(); },
            n: () => this.#nextRed(), e: () => detail.answer(), r: () => detail.resend(),
            c: () => detail.copyCurl(), t: () => detail.copyVerify(),
            p: () => one('passed').click(), l: () => one('life').click(), '?': showKeys,
            1: () => tabs.show('calls'), 2: () => tabs.show('pages'), 3: () => tabs.show('scenarios'),
            4: () => tabs.show('catalogue'), back: () => this.#back(),
        });
    }

    /// The names that nobody answers, each once.
    #missing() { return [...new Set(this.#red(this.#records.all).map(entry => entry.name))]; }

    #red(entries) { return entries.filter(entry => this.#records.isRed(entry)); }

    /// Says at a glance what is to be answered, in the tab's title and above the list; soon, since much may come.
    #tellRed() {
        this.#telling ??= setTimeout(() => {
            this.#telling = null;
            const { questions, session } = state;
            const red = this.#red(this.#records.all).filter(entry => !session || entry.session === session);
            const names = new Map(red.map(entry => [`${entry.session} ${entry.name}`, entry]));
            const many = names.size + questions.length;
            document.title = many ? `${many} to answer · Drawbridge` : 'Drawbridge';
            document.querySelector('[rel=icon]').href = many ? 'red.svg' : 'icon.svg';
            const all = [...names.values()];
            // Who is about to press a button keeps it.
            const told = [...names.keys()].join();
            if (told === this.#told) return;
            this.#told = told;
            const button = ({ number }, text, kind) =>
                make('button', { class: kind, onclick: () => this.#goTo(number) }, text);
            put(one('red'), all.length ? button(all[0], `${all.length} to answer`) : null,
                all.slice(0, mostNames).map(entry => button(entry, said(cut(entry.name, 40)), 'inline')),
                all.length > mostNames ? '…' : '').hidden = !all.length;
        }, 50);
    }

    /// Goes to the next call that nobody answers, from the one that is chosen on, and then from the first.
    #nextRed() {
        const red = this.#red(this.list.shown);
        const next = red.find(entry => entry.number > (this.list.selected ?? -1)) ?? red[0];
        if (!next) return notice('Nothing in the list needs an answer.', 5000, true);
        this.tabs.show('calls');
        one('list').focus({ preventScroll: true });
        this.list.select(next.number);
    }

    // MARK: What happens

    #changed(entry, before) {
        const shown = this.detail.entry;
        if (shown?.number === entry.number) this.detail.show(entry);
        if (entry.isUnanswered) this.#tellRed();
        if (entry.number === this.#wanted) this.#goTo(entry.number);
        if (entry.kind === 'call') this.catalogue.changed();
        if (entry.isBad && !before?.isBad && entry.at >= this.#began) this.#tellError(entry);
    }

    #tellError(entry) {
        const name = cut(entry.name, 80);
        announce(entry.isUnanswered && entry.isCall ? `Nobody answers ${name}` : `Error: ${entry.line ?? name}`);
    }

    /// Forgets the records of a session, or all.
    #forget(session) {
        this.#records.clear(session);
        this.#tellRed();
        if (this.detail.entry && !this.#records.get(this.detail.entry.number)) this.detail.show(null);
        this.list.clear();
        this.search.apply();
    }
}

if (await enter()) {
    one('app').hidden = false;
    new Inspector().follow();
}
