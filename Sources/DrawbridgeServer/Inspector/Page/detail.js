// The right side: one record with its input and its answer, and what can be done about it.
import { Answer } from './answer.js';
import { ask, askText, path, text } from './api.js';
import { copy } from './copy.js';
import { action, busy, code, make, one, put, said, statusLine } from './dom.js';
import { Editor } from './editor.js';
import { caller, facts, isCut, sincePage, whoAnswered } from './facts.js';
import { lack } from './lack.js';
import { Entry, mostName, pageErrors } from './records.js';
import { outcome, reloading } from './row.js';
import { state } from './state.js';
import { isAt, isPattern, known, read, took } from './text.js';
import { pretty, tree } from './tree.js';
import { members, print, verifying } from './write.js';

const kinds = { push: 'Native calls the page', page: 'Page', request: 'Passed on', notice: 'Note' };

function titleOf(entry) {
    if (entry.kind === 'page') return entry.line ?? (entry.page?.title || 'Page without a title');
    return entry.kind === 'notice' ? entry.line ?? entry.name : entry.name;
}

function kindOf(entry) {
    if (entry.kind === 'page' && entry.isBad) return 'The page reports';
    if (entry.gives !== null) return 'Looked for, but not found';
    return entry.kind === 'call' ? caller(entry) : known(kinds, entry.kind) ?? entry.kind;
}

/// What came of it, in a frame. - Parameter isPast: whether it would be answered now.
function badge(entry, isPast) {
    const words = entry.gives !== null ? (entry.isGiven ? 'given since' : 'not given')
        : entry.isUnanswered ? (isPast ? 'mocked since' : 'nobody answers')
        : entry.state === 'error' ? `error ${entry.code ?? ''}`
            : entry.state === 'answered' ? 'answered'
                : entry.isCall ? outcome(entry) : entry.kind === 'page' ? entry.name : '';
    const kind = entry.isUnanswered ? (isPast ? 'past' : 'nobody') : entry.isBad ? 'error' : entry.state || entry.kind;
    return words ? said(words, { class: `badge ${kind}` }, 'span') : null;
}

/// What a page reported of an error; nothing while its beginning alone is here.
function reported(entry) {
    const error = read(entry.input) ?? {};
    return typeof error === 'object' ? error : { message: error };
}

export class Detail {
    entry = null;
    #answer = null;
    #resend = null;
    #isAnswering = false;
    #line = statusLine();

    /// - Parameters:
    ///   - goTo(number): shows another record, as soon as it is there.
    ///   - back(): shows the list again where there is room for one of both.
    constructor(records, { goTo, back }) {
        Object.assign(this, { records, goTo, back });
        this.box = one('panel-calls');
        this.#draw();
    }

    /// Shows a record, which may be another or the same one changed.
    async show(entry) {
        const isOther = this.entry?.number !== entry?.number;
        if (isOther) {
            this.#answer?.end();
            this.#answer = null;
            this.#resend = null;
            this.#isAnswering = this.#isRed(entry);
            this.#line.tell('');
        } else if (this.#isRed(entry)) {
            this.#isAnswering = true;
        }
        this.entry = entry;
        this.#draw();
        if (isOther) this.box.parentElement.scrollTop = 0;
        if (!entry || entry.isWhole) return;
        try {
            const whole = new Entry(await askText('GET', path(`calls/${entry.number}`, { secrets: 1 })), false);
            if (this.entry !== entry) return;
            this.entry = whole;
            this.#draw();
        } catch (error) {
            if (this.entry === entry) this.#line.tell(`Only the beginning is shown. ${error.message}`, 'bad');
        }
    }

    #isRed(entry) { return Boolean(entry) && this.records.isRed(entry); }

    /// Draws it again: what it says of other calls may have changed.
    refresh() { this.#draw(); }

    // MARK: What can be done

    /// The name may be cut until the whole record is here.
    get canAnswer() {
        const { entry } = this;
        return entry?.kind === 'call' && Boolean(entry.name) && (entry.isWhole || entry.name.length < mostName);
    }

    /// Opens the editor that answers.
    answer() {
        if (!this.canAnswer) return this.box.querySelector('[data-key=give]')?.focus();
        this.#isAnswering = true;
        this.#draw();
        this.#answer.focus();
    }

    /// Opens the editor that sends it again.
    resend() {
        if (this.entry?.kind !== 'call') return;
        const isInputCut = Boolean(this.entry.detail('inputIsCut'));
        this.#resend ??= new Editor({
            label: 'Input to send again', text: isInputCut ? '' : pretty(this.entry.input) || 'null',
            hint: isInputCut ? 'Only the beginning of this input was kept, so the field is empty.'
                : 'Enter sends it. Shift+Enter begins a new line.',
            enters: () => this.#send.click(),
        });
        this.#draw();
        this.#resend.focus();
    }

    #send = action('Send again', this.#line.tell, async () => {
        const node = this.#resend.value();
        if (node) await this.#again(print(node));
    }, { class: 'primary' });

    async #again(input) {
        const body = input === null ? '{}' : `{"input": ${input}}`;
        const { number } = await ask('POST', `calls/${this.entry.number}/resend`, body);
        this.goTo(number);
    }

    copyCurl() {
        this.#copyCall('a curl line', number => text(path(`calls/${number}/curl`, { secrets: 1 })));
    }

    /// A line for a test in JavaScript.
    copyVerify() {
        this.#copyCall('a line that verifies it', async number => {
            const record = members(await askText('GET', path(`calls/${number}`, { secrets: 1 })));
            const check = `{"name": ${record.get('name')}, "equals": ${record.get('input') ?? 'null'}, "atLeast": 0}`;
            const equal = await ask('POST', path('calls/verify', { session: this.entry.session }), check);
            return verifying(record, equal.calls.some(call => call.number === number));
        });
    }

    async #copyCall(words, made) {
        const { entry } = this;
        if (entry?.kind !== 'call') return;
        await busy(null, this.#line.tell, async () => {
            await copy(made(entry.number));
            this.#line.tell(`Copied as ${words}.`, 'good');
        });
    }

    #reload() {
        const { tell } = this.#line;
        return this.#openPage() && action('Reload the page', tell, async () => {
            const page = this.#openPage();
            if (!page) return tell('The page is closed. Open it again.', 'bad');
            const body = JSON.stringify({ script: reloading });
            await ask('POST', `pages/${encodeURIComponent(page.id)}/evaluate`, body);
            tell('The page is reloading.', 'good');
        });
    }

    /// The page that called, or what was loaded at its address since.
    #openPage() {
        const { page, session } = this.entry;
        const open = state.pages.filter(other => other.state !== 'gone' && other.state !== 'leaving');
        return open.find(other => other.id === page?.id) ??
            open.find(other => (other.session ?? 'default') === session && isAt(other, page?.path)) ??
            // What a script of the folder uses is of no page.
            (this.entry.gives !== null && !page && open[0] || null);
    }

    /// What helps after an answer was given.
    #follows(isOnce) {
        const title = 'Shows the new answer here; the page does not get it';
        const again = action('Send again', this.#line.tell, () => this.#again(null), { title });
        const since = sincePage(this.entry, this.records);
        // A page that is loaded calls again what it calls at its start; later it would lose what somebody did there.
        // Sending it again would use up the answer that is for one call.
        const isAtStart = since === null || since < 3000;
        const [first, second] = isAtStart ? [this.#reload(), again] : [again, this.#reload()];
        return [first, second].filter(button => button && !(isOnce && button === again));
    }

    // MARK: Drawing

    #draw() {
        const { entry } = this;
        if (!entry) return put(this.box, one('help').content.cloneNode(true));
        const focused = this.box.contains(document.activeElement) ? document.activeElement : null;
        const key = focused?.dataset.key;
        put(this.box, this.#head(), entry.isCall ? this.#call() : this.#other(), facts(entry, this.records, this.goTo));
        if (!focused) return;
        // What had the focus is there again, or its like is.
        if (focused.isConnected) focused.focus({ preventScroll: true });
        else if (key) this.box.querySelector(`[data-key=${key}]`)?.focus({ preventScroll: true });
    }

    #head() {
        const { entry } = this;
        const time = entry.isCall && entry.state !== 'waiting' ? took(entry.milliseconds) : '';
        return make('div', { class: 'head' },
            make('div', { class: 'title' },
                make('button', { class: 'back', onclick: this.back, 'aria-label': 'Back to the list' }, 'Back'),
                make('h2', { tabindex: '-1' }, said(titleOf(entry))), badge(entry, !this.#isRed(entry)),
                time ? make('span', { class: 'dim' }, time) : null),
            make('p', { class: 'dim' }, said(kindOf(entry)),
                entry.isCall ? ['. ', ...whoAnswered(entry)] : ''),
            entry.kind === 'call' ? this.#actions() : null, this.#line.element);
    }

    #actions() {
        const button = (text, key, onclick) =>
            make('button', { title: `Key ${key}`, 'data-key': `key-${key}`, onclick }, text);
        return make('div', { class: 'actions' },
            this.#isRed(this.entry) ? null : button('Answer otherwise', 'e', () => this.answer()),
            button('Edit and send again', 'r', () => this.resend()),
            button('Copy as verify', 't', () => this.copyVerify()), button('Copy as curl', 'c', () => this.copyCurl()));
    }

    #call() {
        const { entry } = this;
        const isPush = entry.kind === 'push';
        const isRed = this.#isRed(entry) && !this.#answer?.isGiven;
        return make('div', { class: 'pair' },
            make('section', { class: 'card', 'aria-label': 'Input' },
                ...(this.#resend ? this.#sendAgain() : this.#input(isPush))),
            make('section', { class: `card ${isRed ? 'nobody' : ''}`, 'aria-label': 'Answer' },
                ...(this.#isAnswering && this.canAnswer ? this.#answering() : this.#output(isPush))));
    }

    #input(isPush) {
        const { entry } = this;
        const heading = make('h3', {}, isPush ? 'Data' : 'Input', this.#copyValue(entry.input));
        return [heading, tree(entry.input), isCut(entry, 'inputIsCut')].filter(Boolean);
    }

    #sendAgain() {
        const close = make('button', { onclick: () => { this.#resend = null; this.#draw(); } }, 'Close');
        const actions = make('div', { class: 'actions' }, this.#send, close);
        return [make('h3', {}, 'Send again'), this.#resend.element, actions];
    }

    #output(isPush) {
        const { entry } = this;
        const heading = make('h3', {}, isPush ? 'Result' : 'Answer', this.#copyValue(entry.output));
        if (entry.state === 'waiting' || (entry.output === null && entry.state !== 'answered')) {
            return [heading, make('p', { class: 'none' }, outcome(entry))];
        }
        return [heading, tree(entry.output), isCut(entry, 'outputIsCut')].filter(Boolean);
    }

    #answering() {
        const { entry } = this;
        if (isPattern(entry.name)) {
            return [make('h3', {}, 'Answer it'), make('p', { class: 'dim' },
                'This name cannot be mocked here: a mock named ', said(entry.name, {}, 'strong'),
                ' would apply to other names too, since a part of it begins with : or *.')];
        }
        this.#answer ??= new Answer({
            name: entry.name, session: entry.session, output: entry.isUnanswered ? '' : entry.output ?? '',
            isCut: Boolean(entry.detail('outputIsCut')), hasFailed: entry.state === 'error', page: entry.page?.path,
            input: () => this.entry.isWhole && !this.entry.detail('inputIsCut') ? this.entry.input ?? 'null' : null,
            gives: isGiven => this.box.querySelector('[aria-label=Answer]')
                ?.classList.toggle('nobody', !isGiven && this.#isRed(this.entry)),
            follows: isOnce => this.#follows(isOnce),
        });
        if (this.#isRed(entry)) {
            const name = said(entry.name, {}, 'strong');
            const words = make('p', { class: 'dim' }, 'Type what the app answers to ', name, ':');
            return [make('h3', {}, 'Answer it'), words, this.#answer.element];
        }
        const close = make('button', {
            class: 'inline', onclick: () => { this.#isAnswering = false; this.#draw(); },
        }, 'Close');
        return [make('h3', {}, 'Answer otherwise', close), this.#answer.element];
    }

    #copyValue(value) {
        return value !== null && action('Copy', this.#line.tell, async () => {
            await copy(pretty(value));
            this.#line.tell('Copied.', 'good');
        }, { class: 'inline' });
    }

    #other() {
        const { entry } = this;
        if (entry.kind === 'page' && pageErrors.has(entry.name)) return this.#pageError();
        if (entry.kind === 'request') {
            return make('p', {}, code(entry.method ?? '', 'method'), ' ', code(entry.name, 'path'));
        }
        if (entry.gives !== null) return lack(entry, this.#isRed(entry), this.#line.tell, () => this.#reload());
        if (entry.kind === 'notice') return make('p', {}, 'About ', said(entry.name, { class: 'mono' }), '.');
        return entry.input && entry.input !== 'null' ? make('section', { class: 'card' }, tree(entry.input)) : null;
    }

    #pageError() {
        const error = reported(this.entry);
        const message = String(error.message ?? '');
        // Its first line is the title above.
        const isLong = message.trim() !== (this.entry.line ?? '').trim();
        const source = error.source ? `${error.source}${error.line ? `, line ${error.line}` : ''}` : null;
        return make('section', { class: 'card problem', 'aria-label': 'Error' },
            isLong ? said(message, { class: 'stack' }, 'pre') : null,
            source ? make('p', {}, 'In ', said(source, { class: 'path' })) : null,
            error.stack ? said(error.stack, { class: 'stack dim' }, 'pre') : null);
    }
}
