// Questions that wait, at the top. Who asks is told in the gateway's words, and apart from that what it says.
import { ask, path } from './api.js';
import { announce, busy, code, make, one, plainInput, said, statusLine } from './dom.js';
import { clock, count, cut, short } from './text.js';
import { on, state } from './state.js';

/// A button takes a click only after this time in its place, so that nobody clicks one that has just come there.
const settling = 500;

const mostText = 1000;

export class Questions {
    #cards = new Map();

    /// - Parameter goTo(number): shows a record.
    constructor(records, goTo) {
        Object.assign(this, { records, goTo });
        this.box = one('questions');
        this.title = make('h2', { class: 'unseen' }, 'Questions that wait');
        this.said = statusLine();
        this.box.append(this.title, this.said.element);
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
        document.title = this.#cards.size ? `(${count(this.#cards.size, 'question')}) Drawbridge` : 'Drawbridge';
        if (isMoved) this.#settle();
    }

    /// A card that has moved waits, since its buttons may stand where another's stood. Those above it do not, so nobody
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
        const answer = (button, body) => busy(button, tell, async () => {
            try {
                await ask('POST', path(`questions/${number}`, { session }), JSON.stringify(body));
            } catch (error) {
                if (error.status !== 404 && error.status !== 409) throw error;
                this.#tell('Somebody else decided first.');
            }
        });
        const where = question.path ?? state.pages.find(page => page.id === question.page)?.title ?? question.page;
        const call = this.records.get(question.call);
        const asks = make('p', { class: 'asks' },
            said(question.name, { class: 'name' }), where ? [' of the page ', code(where, 'path')] : ' of a program',
            session === 'default' ? '' : [' in session ', said(session, { class: 'session' })], ' asks you:');
        const called = call && make('p', { class: 'called-with' }, make('span', { class: 'time' }, clock(call.at)), ' ',
            code(call.input === 'null' ? '' : short(call.input), 'input'), ' ',
            make('button', { class: 'inline', onclick: () => this.goTo(call.number) }, 'Show the call'));
        const text = make('blockquote', {},
            question.title ? said(cut(question.title, mostText), {}, 'strong') : null,
            question.message ? said(cut(question.message, mostText), {}, 'p') : null);
        const buttons = choices.map((choice, place) => make('button', {
            class: place === 0 ? 'primary' : '',
            onclick: event => answer(event.currentTarget, { choice }),
        }, said(choice)));
        return make('article', { class: 'question', 'aria-label': `Question ${number}` }, asks, text, called,
            fields ? this.#form(fields, labels, answer) : make('div', { class: 'actions' }, buttons), element);
    }

    #form(fields, labels, answer) {
        const submit = make('button', { type: 'submit', class: 'primary' }, 'Answer');
        const form = make('form', { onsubmit: event => {
            event.preventDefault();
            if (submit.disabled) return;
            answer(submit, { fields: Object.fromEntries(fields.map((name, place) => [name, inputs[place].value])) });
        } });
        const inputs = fields.map(() => plainInput());
        form.append(...inputs.map((input, place) => make('label', {}, said(labels[place]), input)), submit,
            make('button', { onclick: event => answer(event.currentTarget, { fields: 'cancel' }) }, 'Cancel'));
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
