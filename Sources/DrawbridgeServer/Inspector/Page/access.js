// Who may look: the ticket of the link is changed for a secret, which this tab keeps. Without it a screen says how to
// come in.
import { make, one, put } from './dom.js';

const place = 'drawbridge-inspector';
let secret = null;

/// What every request says to be let in.
export const authorization = () => ({ Authorization: `Bearer ${secret}` });

/// Takes the ticket out of the address, and gives whether this tab may look.
export async function enter() {
    const ticket = location.hash.slice(1);
    if (ticket) history.replaceState(null, '', location.pathname + location.search);
    // A new link that is opened in this tab differs only by its ticket, for which no browser loads the page anew.
    addEventListener('hashchange', () => { if (location.hash.length > 1) location.reload(); });
    if (window.opener !== null || window.parent !== window) {
        gate('Open the inspector with the link that the gateway prints', 'This page works only in a tab of its own.');
        return false;
    }
    secret = sessionStorage.getItem(place);
    if (ticket) {
        const given = await exchange(ticket);
        // A link that is used up, in a tab that has been let in before, takes nothing away.
        if (given) sessionStorage.setItem(place, secret = given);
    }
    if (!secret) refuse();
    return Boolean(secret);
}

async function exchange(ticket) {
    try {
        const answer = await fetch('/ticket', {
            method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ticket }),
        });
        return answer.ok ? (await answer.json()).secret : null;
    } catch {
        return null;
    }
}

/// Forgets the secret, and says how to come in.
export function refuse() {
    secret = null;
    sessionStorage.removeItem(place);
    gate(
        'This link was already used, or has expired',
        'Type ', make('kbd', {}, 'i'), ' and Enter in the terminal where drawbridge runs, and open the new link. ',
        'If there is no terminal, restart drawbridge. A link works once, for ten minutes, and in one tab.');
}

function gate(title, ...text) {
    one('app').hidden = true;
    put(one('gate'), make('h1', {}, title), make('p', {}, ...text)).hidden = false;
    document.title = 'Drawbridge: no access';
}
