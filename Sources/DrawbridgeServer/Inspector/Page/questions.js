// Questions that wait, at the top. Who asks is told in the gateway's words, and apart from that what it says.
import { ask, path } from './api.js';
import { action, announce, busy, code, make, one, plainInput, put, said, statusLine } from './dom.js';
import { clock, cut, short } from './text.js';
import { on, state } from './state.js';
import { goesOn } from './write.js';

/// A button takes a click only after this time in its place, so that nobody clicks one that has just come there.
const settling = 500;

const mostText = 1000;

export class Questions {
    #cards = new Map();
    /// Where the call of a question is shown, by its number.
    #called = new Map();

    /// - Parameter goTo(number): shows a record.
    constructor(records, goTo) {
        Object.assign(this, { records, goTo });
        records.listen({ changed: entry => this.#called.has(entry.number) && this.#fill(entry) });
        this.box = one('questions');
        this.said = statusLine();
        this.box.append(this.said.element);
        on('questions', questions => this.#take(questions));
    }

    #take(questions) {
        const key = question => `${question.session ?? 'default'} ${question.number}`;
        const there = new Map(questions.map(question => [key(question), question]));
        let isMoved = false;
        for (const [name, card] of this.#cards) {
            if (there.has(name)) continue;
            if (card.contains(document.activeElement)) one('list').focus();
            card.remove();
            this.#cards.delete(name);
            this.#called.delete(card.call);
            isMoved = true;
        }
        for (const [name, question] of there) {
            if (this.#cards.has(name)) continue;
            const card = this.#card(question);
            this.#cards.set(name, card);
            this.box.append(card);
            isMoved = true;
            announce(`Question: ${cut(question.title || question.message || question.name, 120)}`);
        }
        this.box.hidden = this.#cards.size === 0 && !this.said.element.childElementCount;
        if (isMoved) this.#settle();
    }

    /// A card that has moved waits, since its buttons may be where another's were. Those above it do not, so nobody
    /// who asks again and again keeps a person from an older question.
    #settle() {
        for (const card of this.#cards.values()) {
            const top = card.offsetTop;
            if (card.settledAt === top) continue;
            card.settledAt = top;
            for (const button of card.querySelectorAll('button')) button.disabled = true;
            clearTimeout(card.timer);
            card.timer = setTimeout(() => {
                for (const button of card.querySelectorAll('button')) button.disabled = false;
            }, settling);
        }
    }

    #card(question) {
        const { number, session = 'default', choices = [], fields, labels } = question;
        const { element, tell } = statusLine();
        const answer = async body => {
            try {
                await ask('POST', path(`questions/${number}`, { session }), JSON.stringify(body));
            } catch (error) {
                if (error.status !== 404 && error.status !== 409) throw error;
                this.#tell('Somebody else decided first.');
            }
        };
        const where = question.path ?? state.pages.find(page => page.id === question.page)?.title ?? question.page;
        const asks = make('p', { class: 'asks' },
            where ? ['The page ', code(cut(where, 80), 'path')] : 'A program', ' asks you, by ',
            said(cut(question.name, 80), { class: 'name' }),
            session === 'default' ? '' : [' in session ', said(session, { class: 'session' })], ':');
        const text = make('blockquote', {},
            question.title ? said(cut(question.title, mostText), {}, 'strong') : null,
            question.message ? said(cut(question.message, mostText), {}, 'p') : null);
        const usual = choices.includes(goesOn) ? goesOn : choices[0];
        const buttons = choices.map(choice =>
            action(said(choice), tell, () => answer({ choice }), { class: choice === usual ? 'primary' : '' }));
        const card = make('article', { class: 'question', 'aria-label': `Question ${number}` }, asks, text,
            fields ? this.#form(fields, labels, tell, answer) : make('div', { class: 'actions' }, buttons), element);
        if (question.call) this.#tellCall(card, question.call);
        return card;
    }

    /// Shows which call asks, as soon as its record is here.
    #tellCall(card, number) {
        const called = make('p', { class: 'called-with' });
        card.append(called);
        card.call = number;
        this.#called.set(number, called);
        const call = this.records.get(number);
        if (call) this.#fill(call);
    }

    #fill(call) {
        const called = this.#called.get(call.number);
        if (!called.childElementCount) put(called, make('span', { class: 'time' }, clock(call.at)), ' ',
            code(call.input === 'null' ? '' : short(call.input), 'input'), ' ',
            make('button', { class: 'inline', onclick: () => this.goTo(call.number) }, 'Show the call'));
    }

    #form(fields, labels, tell, answer) {
        const submit = make('button', { type: 'submit', class: 'primary' }, 'Answer');
        const form = make('form', { onsubmit: event => {
            event.preventDefault();
            if (submit.disabled) return;
            const values = Object.fromEntries(fields.map((name, place) => [name, inputs[place].value]));
            busy(submit, tell, () => answer({ fields: values }));
        } });
        const inputs = fields.map(() => plainInput());
        form.append(...inputs.map((input, place) => make('label', {}, said(labels[place]), input)), submit,
            action('Cancel', tell, () => answer({ fields: 'cancel' })));
        return form;
    }

    #tell(text) {
        this.said.tell(text);
        this.box.hidden = false;
        setTimeout(() => {
            this.said.tell('');
            this.box.hidden = this.#cards.size === 0;
        }, 4000);
    }
}
