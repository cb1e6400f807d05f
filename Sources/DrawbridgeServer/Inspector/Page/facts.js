// A record without its input and answer: who answered and why not the others, the time it took, page and session.
import { code, make, said } from './dom.js';
import { state } from './state.js';
import { known, moment, took } from './text.js';

const term = (name, ...value) => [make('dt', {}, name), make('dd', {}, ...value)];

const bridges = {
    flag: 'a request with _mobile_bridge=1', __jsbridge__: 'a request to __jsbridge__',
    wvjb: 'WebViewJavascriptBridge', wvjb4: 'WebViewJavascriptBridge 4', message: 'webkit.messageHandlers',
    function: 'an injected function', shortcut: 'a shortcut',
};

const pushes = {
    waiting: ['The page has not answered yet.'], answered: ['The page answered.'],
    silent: ['It was sent to the page; no answer was expected.'],
};

/// Who calls. What is sent from the inspector, or by a program, changes nothing in a page.
export function caller(entry) {
    if (entry.detail('resentFrom')) return 'Sent again from the inspector; the page does not get this answer';
    if (entry.bridge === 'program') return 'Sent from the inspector or by a test; no page gets this answer';
    return entry.page ? 'The page calls native' : 'A program calls native';
}

/// In a sentence, who answered.
export function whoAnswered(entry) {
    const who = () => said(entry.who ?? '', {}, 'strong');
    if (entry.kind === 'push') {
        return known(pushes, entry.state) ?? ['The page did not answer.'];
    }
    if (entry.state === 'waiting') {
        return [entry.detail('asked') ? 'A person is asked, above or in the terminal.' : 'Nobody has answered yet.'];
    }
    if (entry.state === 'silent') return ['Never answered, because of ', entry.who ? who() : 'the mock', '.'];
    if (entry.state === 'missing') return ['The mock ', who(), ' says that this app has no such call.'];
    if (entry.state === 'left') return ['The caller left before the answer.'];
    const end = known({ expired: ', which exceeded its time limit.', error: ', with an error.' }, entry.state) ?? '.';
    switch (entry.by) {
    case 'reply': return ['Answered by the mock ', who(), end];
    case 'handler':
        return state.gateway.builtIns?.includes(entry.name)
            ? ['Answered by ', who(), ', a built-in handler', end, ' To mock it, choose Answer otherwise.']
            : ['Answered by the handler ', who(), end];
    case 'nobody': return ['Nobody answered ', said(entry.name, {}, 'strong'), '.'];
    case 'gateway': return ['Answered by the gateway itself', end];
    default: return [entry.by ? said(`Answered by ${entry.by}`) : 'Answered', end];
    }
}

/// How long after its page came.
export function sincePage(entry, records) {
    if (!entry.page) return null;
    const all = records.all;
    for (let place = all.length - 1, steps = 0; place >= 0 && steps < 20_000; place -= 1, steps += 1) {
        const other = all[place];
        if (other.number > entry.number || other.kind !== 'page' || other.name !== 'came') continue;
        if (other.page?.id === entry.page.id) return entry.at - other.at;
    }
    return null;
}

function pageOf(entry, records) {
    const since = sincePage(entry, records);
    const now = state.pages.find(page => page.id === entry.page.id);
    return [
        said(entry.page.title || 'without a title'), ' ', code(entry.page.path ?? '', 'path'),
        now && now.state !== 'here' ? make('span', { class: 'dim' }, `, ${now.state} now`) : null,
        since > 0 && entry.name !== 'came' ? make('span', { class: 'dim' }, `, ${took(since)} after it came`) : null,
    ];
}

function asked(entry) {
    const { question, choice, by } = entry.detail('asked');
    if (!by) {
        const end = entry.state === 'waiting' ? ' is waiting for an answer.' : ' was asked, but the caller left.';
        return [said(question), end];
    }
    if (by === 'nobody') {
        return [said(question), ': nobody answered, so ',
            ...choice === null ? ['it was cancelled'] : [said(JSON.stringify(choice), {}, 'strong'), ' was used'], '.'];
    }
    const what = typeof choice === 'string' ? choice : JSON.stringify(choice);
    return [
        said(question), ' was asked, and ',
        ...choice === null ? ['cancelled'] : [said(what, {}, 'strong'), ' was chosen'], ' (', said(by), ').',
    ];
}

/// - Parameter goTo(number): shows another record.
export function facts(entry, records, goTo) {
    const why = entry.detail('why');
    const from = entry.detail('resentFrom');
    const terms = [
        why?.length && entry.gives === null ? term('Skipped', make('ul', {}, why.map(reason => make('li', {}, said(reason))))) : [],
        entry.detail('asked') ? term('Asked', ...asked(entry)) : [],
        entry.milliseconds !== null && entry.kind !== 'page' ? term('Took', took(entry.milliseconds)) : [],
        entry.code !== null && entry.code !== undefined && !entry.isUnanswered ? term('Code', said(entry.code)) : [],
        entry.page ? term('Page', ...pageOf(entry, records).filter(Boolean)) : [],
        entry.bridge ? term('Bridge', said(known(bridges, entry.bridge) ?? entry.bridge)) : [],
        entry.session !== 'default' ? term('Session', said(entry.session)) : [],
        from ? term('Sent again', 'from ', make('button', {
            class: 'inline', onclick: () => goTo(from),
        }, `call ${from}`)) : [],
        term('At', moment(entry.at)),
        term('Number', String(entry.number)),
        entry.detail('id') ? term('Request', said(entry.detail('id'), { class: 'mono' })) : [],
    ];
    return make('dl', { class: 'facts' }, ...terms.flat());
}

/// How much of a value the gateway has kept, where not all of it.
export function isCut(entry, name) {
    if (!entry.detail(name)) return null;
    return make('p', { class: 'dim' }, 'Only the beginning is shown; the gateway did not keep the rest.');
}

