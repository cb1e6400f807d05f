// The way in for a phone: a link that is drawn when a person asks for it, as a QR code too.
import { ask } from './api.js';
import { busy, make, one, put, said, statusLine } from './dom.js';

/// The light border that readers need, in modules.
const border = 4;

/// A QR code of rows like '1011', dark on light in both looks of the page.
function picture(rows) {
    const svg = one('code').content.firstElementChild.cloneNode(true);
    const size = rows.length + 2 * border;
    svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
    const squares = rows.flatMap((row, y) =>
        [...row].map((module, x) => (module === '1' ? `M${x + border} ${y + border}h1v1h-1z` : '')));
    svg.querySelector('path').setAttribute('d', squares.join(''));
    return svg;
}

/// A button that draws a link, and what it drew.
export function phone() {
    const { element: status, tell } = statusLine();
    const links = make('div');
    const draw = query => busy(button, tell, async () => {
        put(links);
        const drawn = await ask('POST', `admissions${query}`);
        if (drawn.links.length) tell('Open this on the phone within ten minutes. It must be on the same network.');
        else tell('No other device can reach the page: connect to a network, and start drawbridge with --lan.', 'bad');
        put(links, drawn.links.map(({ url, interface: name, code }, place) => make('div', {},
            make('p', {}, said(url, { class: 'mono' }), name ? [' ', said(`(${name})`, { class: 'dim' })] : null),
            code && place === 0 ? picture(code) : null)), drawn.inApp && inApp(drawn.inApp === 'mocks'));
    });
    const button = make('button', { onclick: () => draw('') }, 'Open on a phone');
    const inApp = checked => make('label', { title: 'Off: if the app has its own bridge, the app answers' },
        make('input', { type: 'checkbox', checked, onchange: ({ target }) => (
            draw(`?in-app=${target.checked ? 'mocks' : 'app'}`)) }), ' In the app itself, mocks answer too');
    one('phone').append(button, status, links);
}
