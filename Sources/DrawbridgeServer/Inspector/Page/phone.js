// The way in for a phone: a link that is drawn when a person asks for it, as a QR code too.
import { ask } from './api.js';
import { busy, make, one, put, said, statusLine } from './dom.js';

/// The light border that readers need, in modules.
const border = 4;

/// A QR code of rows like '1011', dark on light in both looks of the page.
function picture(rows) {
    const svg = name => document.createElementNS('http://www.w3.org/2000/svg', name);
    const [root, ground, dark] = [svg('svg'), svg('rect'), svg('path')];
    const size = rows.length + 2 * border;
    const set = (element, values) => Object.entries(values).forEach(([key, value]) => element.setAttribute(key, value));
    set(root, { viewBox: `0 0 ${size} ${size}`, class: 'code', role: 'img', 'aria-label': 'The link as a QR code' });
    set(ground, { width: size, height: size, fill: 'white' });
    const squares = rows.flatMap((row, y) =>
        [...row].map((module, x) => (module === '1' ? `M${x + border} ${y + border}h1v1h-1z` : '')));
    set(dark, { d: squares.join(''), fill: 'black', 'shape-rendering': 'crispEdges' });
    root.append(ground, dark);
    return root;
}

/// A button that draws a link, and what it drew.
export function phone() {
    const { element: status, tell } = statusLine();
    const links = make('div');
    const draw = query => busy(button, tell, async () => {
        put(links);
        const drawn = await ask('POST', `admissions${query}`);
        if (drawn.links.length) tell('Open this on the phone within ten minutes. It must be on the same network.');
        else tell('No other device can reach the page: start drawbridge with --lan, on a network.', 'bad');
        put(links, drawn.links.map(({ url, interface: name, code }, place) => make('div', {},
            make('p', {}, said(url, { class: 'mono' }), name ? [' ', said(`(${name})`, { class: 'dim' })] : null),
            code && place === 0 ? picture(code) : null)), drawn.inApp && inApp(drawn.inApp === 'mocks'));
    });
    const button = make('button', { onclick: () => draw('') }, 'Open on a phone');
    const inApp = checked => make('label', { title: 'Off: where the app has a bridge of its own, the app answers' },
        make('input', { type: 'checkbox', checked, onchange: ({ target }) => (
            draw(`?in-app=${target.checked ? 'mocks' : 'app'}`)) }), ' In the app itself, mocks answer too');
    one('phone').append(button, status, links);
}
