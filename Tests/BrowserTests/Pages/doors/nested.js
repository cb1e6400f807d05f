// The set-up of a page that may be a frame: `ask(name, data)` calls native, and native's `where` tells which page it is.
'use strict';

function setUp(at) {
    const bridged = new Promise(done => {
        window.WVJBCallbacks = [done];
        const frame = document.createElement('iframe');
        frame.style.display = 'none';
        frame.src = 'https://__bridge_loaded__';
        document.documentElement.appendChild(frame);
        setTimeout(() => frame.remove(), 0);
    });
    bridged.then(bridge => {
        bridge.registerHandler('where', (data, respond) => respond({ at, data }));
        window.ask = (name, data) => new Promise(done => bridge.callHandler(name, data, done));
    });
    return bridged;
}
