// One row of the list: when, what, its input, what came of it, who answered, how long it took.
import { code, make, said } from './dom.js';
import { answerer, clock, known, short, took } from './text.js';
import { pageErrors } from './records.js';

/// The script by which the inspector loads a page anew.
export const reloading = 'setTimeout(() => location.reload()), true';

const pageWords = {
    shown: 'is shown again', hidden: 'is hidden', frozen: 'is kept for the back button', back: 'is back', left: 'left',
    gone: 'is gone',
};

/// What came of a call, in a few words.
export function outcome(entry) {
    switch (entry.state) {
    case 'waiting': return entry.more?.asked ? 'waits for a person' : 'waits';
    case 'silent': return entry.kind === 'push' ? 'told' : 'never answered';
    case 'left': return 'caller left';
    case 'expired': return 'took too long';
    case 'missing': return 'not in this app';
    case 'error': return entry.isUnanswered ? 'nobody answers' : short(entry.output) || `error ${entry.code ?? ''}`;
    default: return entry.isUnanswered ? 'nobody answers' : short(entry.output);
    }
}

/// Whether a question was asked that nobody answered.
const isUnasked = entry => entry.more?.asked !== undefined && entry.detail('asked')?.by === 'nobody';

/// The classes of a record: its kind, its state, and how bad it is.
function classes(entry) {
    const all = ['row', entry.kind];
    if (entry.isCall) all.push(entry.state);
    if (entry.isUnanswered) all.push('nobody');
    if (isUnasked(entry)) all.push('unasked');
    if (entry.kind === 'page') {
        all.push(entry.isLife ? 'life' : entry.name === 'came' ? 'came' : 'problem');
    }
    if (entry.kind === 'request' && entry.code >= 400) all.push('failed');
    return all.join(' ');
}

const span = (name, ...children) => make('span', { class: name }, ...children);

const way = (sign, words) => span(
    'way', make('span', { 'aria-hidden': 'true' }, sign), make('span', { class: 'unseen' }, words));

function wayOf(entry) {
    if (entry.kind === 'push') return way('←', 'native calls the page:');
    if (entry.detail('resentFrom')) return way('↻', 'sent again from the inspector:');
    if (entry.bridge === 'program') return way('↻', 'sent from the inspector or by a test:');
    return entry.page ? way('→', 'the page calls:') : way('›', 'a program calls:');
}

const name = entry => said(entry.name, { class: 'name' });

function call(entry, isPast) {
    if (entry.kind === 'push' && entry.name === 'evaluate' && entry.input === JSON.stringify(reloading)) {
        const came = outcome(entry);
        return [way('', 'page:'), span('what', 'Reload the page'), span('answer', came), span('by', 'inspector')];
    }
    return [
        wayOf(entry),
        span('what', name(entry), ' ', code(entry.input === 'null' ? '' : short(entry.input), 'input')),
        span('answer', code(isPast ? 'mocked since' : outcome(entry))),
        span('by', said(entry.isUnanswered ? 'nobody' : answerer(entry.by))),
        span('ms', entry.state === 'waiting' ? '…' : took(entry.milliseconds)),
    ];
}

function page(entry) {
    const title = entry.page?.title || 'Page without a title';
    const path = code(entry.page?.path ?? '', 'path');
    if (entry.name === 'came') {
        return [way('', 'page:'), span('what', said(title, { class: 'name' }), ' ', path), span('answer', 'opened')];
    }
    if (pageErrors.has(entry.name)) {
        const line = entry.line ?? short(entry.input) ?? '';
        return [
            way('!', 'error in the page:'), span('what', said(line, { class: 'name' })),
            span('answer', said(entry.name)), span('by', path),
        ];
    }
    return [
        way('', 'page:'), span('what', said(title), ' ', said(known(pageWords, entry.name) ?? entry.name), ' ', path),
    ];
}

function request(entry) {
    return [
        way('·', 'passed:'), span('what', code(entry.method ?? '', 'method'), ' ', code(entry.name, 'path')),
        span('answer', said(entry.code ?? '')), span('by', 'passed'), span('ms', took(entry.milliseconds)),
    ];
}

function notice(entry, isPast) {
    if (entry.gives !== null) {
        return [
            way('?', 'the page looked for:'), span('what', name(entry), ' ', code(short(entry.gives), 'input')),
            span('answer', isPast ? 'given since; reload the page'
                : entry.isGiven ? entry.detail('why')[0] : 'pages do not have it'),
            span('by', code(entry.page?.path ?? '', 'path')),
        ];
    }
    return [way('i', 'note:'), span('what', said(entry.line ?? short(entry.output) ?? '', { class: 'name' }))];
}

/// The element of a record. - Parameter isPast: whether it would be answered now.
export function row(entry, isPast = false) {
    const content = known({ call, push: call, page, request, notice }, entry.kind) ?? notice;
    const element = make('div', {
        role: 'option', id: `row-${entry.number}`, class: `${classes(entry)}${isPast ? ' past' : ''}`,
    });
    element.append(span('time', clock(entry.at)), ...content(entry, isPast));
    if (entry.session !== 'default') {
        element.querySelector('.what').append(' ', said(entry.session, { class: 'session' }));
    }
    return element;
}
