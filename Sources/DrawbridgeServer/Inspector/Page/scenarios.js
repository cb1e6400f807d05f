// The panel of scenarios: those that are on, the events that can be played, and what was set until Drawbridge stops.
import { ask, path, undo } from './api.js';
import { action, busy, make, one, put, said, statusLine } from './dom.js';
import { on, state, workingSession } from './state.js';
import { cut, fileName, nearName, visible } from './text.js';
import { preview } from './tree.js';

export class Scenarios {
    #events = [];

    constructor() {
        const { element, tell } = statusLine();
        this.tell = tell;
        one('switches').before(element);
        one('reset').append(action('Undo all changes', tell, async () => {
            await ask('POST', path('reset', { session: workingSession() }));
            tell('Undone: scenarios and temporary answers are as at the start.', 'good');
        }));
        on('replies', () => this.#drawSaves());
        for (const name of ['scenarios', 'session', 'sessions']) on(name, () => this.#drawSwitches());
        for (const name of ['replies', 'session']) on(name, () => this.#drawReplies());
        for (const name of ['pages', 'session']) on(name, () => this.#drawEvents());
    }

    /// The panel is opened.
    async open() {
        await busy(null, this.tell, async () => {
            this.#events = await ask('GET', 'events');
            this.#drawEvents();
        });
    }

    #drawSwitches() {
        const session = workingSession();
        one('about').textContent = (state.sessions.length > 1 ? `In session ${visible(session)}. ` : '') +
            'While a scenario is on, its mocks win over all but those set below.';
        const { names, on: all } = state.scenarios;
        const isOn = new Set(all?.[session] ?? []);
        if (!names?.length) return put(one('switches'), this.#none('scenarios'));
        const groups = Map.groupBy(names, name => name.slice(0, Math.max(0, name.indexOf('/'))));
        const focused = document.activeElement?.dataset?.scenario;
        const limit = make('span', { class: 'dim' }, ' at most one at a time');
        put(one('switches'), [...groups].map(([group, names]) => make('div', {
            class: 'group', role: 'group', 'aria-label': visible(group) || 'without a group',
        }, group ? make('h3', {}, said(group), names.length > 1 ? limit.cloneNode(true) : '') : null,
            names.map(name => this.#switch(name, group, isOn.has(name))))));
        if (focused !== undefined) one('switches').querySelector(`[data-scenario="${CSS.escape(focused)}"]`)?.focus();
    }

    #none(member) {
        return make('p', { class: 'none' }, `There are none yet. Add them under "${member}" in `,
            said(fileName(state.replies.file ?? 'drawbridge.json')), '.');
    }

    #switch(name, group, isOn) {
        const knob = make('span', { class: 'knob', 'aria-hidden': 'true' });
        return action([knob, said(group ? name.slice(group.length + 1) : name)], this.tell, async () => {
            const body = JSON.stringify({ scenario: name, on: !isOn });
            await ask('PUT', path('scenario', { session: workingSession() }), body);
            this.tell('');
        }, { class: 'switch', role: 'switch', 'aria-checked': String(isOn), 'data-scenario': name });
    }

    #drawEvents() {
        if (!this.#events.length) return put(one('events'), this.#none('events'));
        put(one('events'), this.#events.map(name => action(said(name), this.tell, async () => {
            const page = this.page?.value || null;
            await ask('POST', path(`events/${encodeURIComponent(name)}`, { session: workingSession(), page }));
            this.tell(`Played: ${name}.`, 'good');
        })), this.#pagePicker());
    }

    /// Which page an event is for, where there are several.
    #pagePicker() {
        const session = workingSession();
        const pages = state.pages.filter(page => page.state !== 'gone' && (page.session ?? 'default') === session);
        if (pages.length < 2) return this.page = null;
        const before = this.page?.value;
        const words = page => `${visible(cut(page.title || page.url || '', 40))} (${page.id.slice(0, 6)})`;
        this.page = make('select', {}, make('option', { value: '' }, 'the page in use'),
            pages.map(page => make('option', { value: page.id }, words(page))));
        if (pages.some(page => page.id === before)) this.page.value = before;
        return make('label', {}, 'on ', this.page);
    }

    /// The last saves, by whomever; each can be taken back.
    #drawSaves() {
        const saves = state.replies.saves ?? [];
        const back = async save => this.tell(await undo(save), 'good');
        put(one('saves'), saves.length ? make('ul', { class: 'plain-list' }, saves.map(({ save, names, file, by }) =>
            make('li', {}, said(cut(names.join(', '), 100), { class: 'name' }), ' in ', said(nearName(file)),
                by === 'inspector' ? ' ' : ` by the ${by} `,
                action('Undo', this.tell, () => back(save), { class: 'inline' }))))
            : make('p', { class: 'none' }, 'Nothing was saved since Drawbridge started.'));
    }

    #drawReplies() {
        const session = workingSession();
        const set = Object.entries(state.replies.set?.[session] ?? {});
        const back = name => ask('DELETE', path('replies', { name, session }));
        put(one('replies'), set.length ? make('ul', { class: 'plain-list' }, set.map(([name, reply]) =>
            make('li', {}, said(name, { class: 'name' }), ' ', preview(JSON.stringify(reply)), ' ',
                action('Take back', this.tell, () => back(name), { class: 'inline' }))))
            : make('p', { class: 'none' }, 'Nothing is set.'));
    }
}
