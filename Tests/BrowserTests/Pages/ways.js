// The ways in which a page can send a request without leaving. Each calls the handler at a URL, and gives what the page
// could read of the answer: '' or nothing where it could read nothing. Those whose end nobody tells give that at once.
'use strict';

const query = new URLSearchParams(location.search);

/// Puts an element into the page, and waits until it has loaded or failed.
const loaded = (name, properties, parent = document.head) => new Promise(done => {
    const element = Object.assign(document.createElement(name), properties);
    element.onload = element.onerror = element.onloadedmetadata = () => done(element);
    parent.append(element);
});

/// Puts an element into the page, of whose end not every browser tells.
const placed = (name, attribute, properties = {}) => async url => {
    const parent = name === 'link' ? document.head : document.body;
    parent.append(Object.assign(document.createElement(name), properties, {[attribute]: url}));
};

/// As `loaded`, where the browser knows this relation.
const link = (rel, as = '') => async url => {
    const properties = {rel, as, href: url};
    if (!document.createElement('link').relList.supports(rel)) return placed('link', 'href', properties)(url);
    await loaded('link', properties);
};

/// A speculation rule, which asks for a page before the person does.
const speculated = kind => url => placed('script', 'textContent', {type: 'speculationrules'})(
    JSON.stringify({[kind]: [{urls: [url], eagerness: 'immediate'}]}));

/// A rule of CSS that needs the URL, and a box that needs the rule.
const style = rule => url => loaded('style', {textContent: rule(url)}).then(async element => {
    const box = Object.assign(document.createElement('i'), {className: 'box', textContent: 'x'});
    document.body.append(box);
    box.getBoundingClientRect();
    await Promise.allSettled([...document.fonts].map(font => font.load()));
    return [...element.sheet.cssRules].map(rule => rule.styleSheet?.cssRules[0]?.cssText ?? '').join('');
});

const text = (...options) => async url => (await fetch(url, ...options)).text();

const xhr = (method, isAsync, headers = {}, body = null) => url => new Promise(done => {
    const request = new XMLHttpRequest();
    request.onloadend = () => done(request.responseText);
    request.open(method, url, isAsync);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
    if (!isAsync) done(request.responseText);
});

/// What a script says that runs elsewhere and posts one message.
const said = (port, url) => new Promise((done, fail) => {
    port.onmessage = event => done(event.data);
    port.onerror = fail;
    port.postMessage?.(url);
});

/// Runs a function of the URL in a worker.
const worker = (work, type = 'classic') => url => {
    const source = `(${work})(${JSON.stringify(url)}).then(x => x, () => '').then(postMessage)`;
    return said(new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})), {type}));
};

/// The text that an XSL sheet with this rule makes.
const transformed = async rule => {
    const sheet = new DOMParser().parseFromString(
        `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">${rule}</xsl:stylesheet>`,
        'text/xml');
    const processor = new XSLTProcessor();
    processor.importStylesheet(sheet);
    return processor.transformToFragment(new DOMParser().parseFromString('<a/>', 'text/xml'), document).textContent;
};

const escaped = url => url.replaceAll('&', '&amp;');

const ways = {
    // Elements.
    'image': async url => void await loaded('img', {src: url}),
    'image without referrer': async url => void await loaded('img', {src: url, referrerPolicy: 'no-referrer'}),
    'image with CORS': async url => void await loaded('img', {crossOrigin: 'use-credentials', src: url}),
    'image in SVG': url => new Promise(done => {
        document.body.insertAdjacentHTML('beforeend', `<svg><image href="${escaped(url)}"/></svg>`);
        const image = document.querySelector('svg:last-of-type image');
        image.onload = image.onerror = () => done('');
    }),
    'input image': async url => void await loaded('input', {type: 'image', src: url}, document.body),
    'script': async url => void await loaded('script', {src: url}),
    'script with CORS': async url => void await loaded('script', {crossOrigin: 'anonymous', src: url}),
    'module': async url => void await loaded('script', {type: 'module', src: url}),
    'dynamic import': async url => JSON.stringify(await import(url)),
    'JSON import': async url => JSON.stringify((await import(url, {with: {type: 'json'}})).default),
    'stylesheet': link('stylesheet'),
    'style @import': style(url => `@import "${url}";`),
    'style background': style(url => `.box { background: url("${url}") }`),
    'style font': style(url => `@font-face { font-family: x; src: url("${url}") } .box { font-family: x }`),
    'icon': placed('link', 'href', {rel: 'icon'}),
    'manifest': placed('link', 'href', {rel: 'manifest'}),
    'prefetch': link('prefetch'),
    'preload as script': link('preload', 'script'),
    'preload as image': link('preload', 'image'),
    'preload as fetch': link('preload', 'fetch'),
    'module preload': link('modulepreload'),
    'prerender': placed('link', 'href', {rel: 'prerender'}),
    'speculative prefetch': speculated('prefetch'),
    'speculative prerender': speculated('prerender'),
    'audio': async url => void await loaded('audio', {src: url, preload: 'auto'}),
    'video': async url => void await loaded('video', {src: url, preload: 'auto'}),
    'poster': placed('video', 'poster'),
    'subtitles': async url => {
        const video = Object.assign(document.createElement('video'), {crossOrigin: 'anonymous'});
        document.body.append(video);
        const track = document.createElement('track');
        Object.assign(track, {kind: 'subtitles', default: true, src: url});
        video.append(track);
        track.track.mode = 'showing';
    },

    // Scripts.
    'fetch': text(),
    'fetch with credentials': text({credentials: 'include'}),
    'fetch of JSON': text({method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}),
    'fetch with a token': text({headers: {'X-Drawbridge-Token': '0'.repeat(32)}}),
    'fetch with PUT': text({method: 'PUT', body: 'x'}),
    'fetch blind': text({mode: 'no-cors'}),
    'fetch blind POST': text({mode: 'no-cors', method: 'POST', body: '{}'}),
    'fetch blind without referrer': text({mode: 'no-cors', method: 'POST', body: '{}', referrerPolicy: 'no-referrer'}),
    'fetch kept alive': text({mode: 'no-cors', method: 'POST', body: '{}', keepalive: true}),
    'XHR': xhr('GET', true),
    'XHR of a form': xhr('POST', true, {'Content-Type': 'application/x-www-form-urlencoded'}, 'a=1'),
    'XHR of JSON': xhr('POST', true, {'Content-Type': 'application/json'}, '{}'),
    'synchronous XHR': xhr('GET', false),
    'synchronous XHR of text': xhr('POST', false, {}, '{}'),
    'synchronous XHR of JSON': xhr('POST', false, {'Content-Type': 'application/json'}, '{}'),
    'beacon': async url => void navigator.sendBeacon(url, '{}'),
    'empty beacon': async url => void navigator.sendBeacon(url),
    'event stream': url => new Promise(done => {
        const source = new EventSource(url);
        source.onmessage = event => done(event.data);
        source.onerror = () => { source.close(); done(''); };
    }),
    'WebSocket': url => new Promise(done => {
        const socket = new WebSocket(url.replace('http', 'ws'));
        socket.onmessage = event => done(event.data);
        socket.onclose = () => done('');
    }),

    // Workers.
    'worker fetch': worker(async url => (await fetch(url)).text()),
    'worker blind fetch': worker(async url => (await fetch(url, {mode: 'no-cors'})).text()),
    'worker synchronous XHR': worker(async url => {
        const request = new XMLHttpRequest();
        request.open('GET', url, false);
        request.send();
        return request.responseText;
    }),
    'worker importScripts': worker(async url => importScripts(url)),
    'worker module': worker(async url => JSON.stringify(await import(url)), 'module'),
    'worker': url => said(new Worker(url)),
    'service worker fetch': url => serviceWorker(url, 'fetch'),
    'service worker importScripts': url => serviceWorker(url, 'importScripts'),

    // XML.
    'XSLT document()': url => transformed(
        `<xsl:template match="/"><xsl:value-of select="document('${escaped(url)}')"/></xsl:template>`),
    'XSLT import': url => transformed(`<xsl:import href="${escaped(url)}"/>`),
    'XML entity': async url => new DOMParser().parseFromString(
        `<!DOCTYPE a [<!ENTITY e SYSTEM "${escaped(url)}">]><a>&e;</a>`, 'text/xml').documentElement.textContent,
};

/// Lets a service worker of ours send the request.
async function serviceWorker(url, work) {
    const scope = `service-worker/${work}/`;
    const query = new URLSearchParams({work, url});
    const registration = await navigator.serviceWorker.register(`service-worker.js?${query}`, {scope});
    const {port1, port2} = new MessageChannel();
    const answer = said(port1);
    (registration.installing ?? registration.waiting ?? registration.active).postMessage('', [port2]);
    return answer.finally(() => registration.unregister());
}
