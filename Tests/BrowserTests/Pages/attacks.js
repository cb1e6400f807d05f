// Goes every way of ways.js and frames.js, and reports what it could read. Its address says where to:
//   target   the gateway
//   bridge   one of these below
//   foreign  the foreign site, which redirects and takes the report
//   awaited  a way whose answer it can read, however late; may be there several times
//   signal   if it is there, the page waits until the foreign site has answered /signal
'use strict';

/// Longer than any browser takes to say that a request has failed; a few never do.
const patience = way => query.getAll('awaited').includes(way) ? 120000 : 4000;

const bridges = {
    flag: way => `/witness?${new URLSearchParams({_mobile_bridge: 1, way})}`,
    path: way => `/__jsbridge__/witness?${new URLSearchParams({way})}`,
    inspector: way => `/__drawbridge__/calls?${new URLSearchParams({way})}`,
};

const urlOf = way => query.get('target') + bridges[query.get('bridge')](way);

/// Through a redirect of the foreign site: 302 makes a GET of it, 307 keeps what it was.
const redirected = [
    'image', 'script', 'stylesheet', 'audio', 'fetch', 'fetch blind', 'fetch blind POST', 'XHR', 'synchronous XHR',
    'beacon', 'event stream', 'worker importScripts', 'frame', 'form POST', 'form of text', 'window',
];
for (const group of [ways, moves]) {
    for (const way of redirected.filter(way => way in group)) {
        for (const status of [302, 307]) {
            group[`${way}, redirected by ${status}`] = (url, name) => group[way](
                `${query.get('foreign')}/redirect?${new URLSearchParams({status, to: url})}`, name);
        }
    }
}

const attempt = async (group, way) => {
    const end = new Promise(done => setTimeout(done, patience(way), ''));
    try { return await Promise.race([group[way](urlOf(way), way), end]) ?? ''; } catch { return ''; }
};

(async () => {
    const signal = `${query.get('foreign')}/signal`;
    if (query.has('signal')) await fetch(signal, {mode: 'no-cors'});

    const seen = {};
    // A page behind a window of its own loads no media: windows come last.
    for (const group of [ways, moves]) {
        await Promise.all(Object.keys(group).map(async way => seen[way] = await attempt(group, way)));
    }
    for (const path of ['/attacks.html', '/__drawbridge__/health']) {
        seen[path] = await fetch(query.get('target') + path).then(answer => answer.text(), () => '');
    }
    await fetch(`${query.get('foreign')}/report`, {method: 'POST', mode: 'no-cors', body: JSON.stringify(seen)});
})();
