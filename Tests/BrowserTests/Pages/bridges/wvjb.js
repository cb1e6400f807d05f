// The cases of WebViewJavascriptBridge, of each generation: `bridged` is a promise of the bridge.
'use strict';

function bridgeCases(bridged, isOwn) {
    const ask = async (name, data) => {
        const bridge = await bridged;
        return new Promise(done => bridge.callHandler(name, data, done));
    };
    test('a call 150 ms after load', async () => {
        await wait(150);
        equal(await ask('echo', { at: 150 }), { at: 150 });
    });
    commonCases(ask);
    manyCases(ask);
    progressCase(async (name, data, callback) => (await bridged).callHandler(name, data, callback), !isOwn);
    test('a callback in the place of data', async () => {
        const bridge = await bridged;
        equal(await new Promise(done => bridge.callHandler('echo', done)), null);
    });
    test('no callback', async () => {
        (await bridged).callHandler('nothing');
        (await bridged).callHandler('nothing', { a: 1 });
        equal(await ask('echo', 1), 1);
    });
    test('no handler: no answer', async () => silent(ask('missing', {})));
    test('native calls the page, which calls native', async () => {
        const bridge = await bridged;
        bridge.registerHandler('inner', (data, respond) => {
            bridge.callHandler('add', { a: data.n, b: 1 }, sum => respond({ sum }));
        });
        equal(await ask('ask', { name: 'inner', data: { n: 4 } }), { sum: 5 });
    });
    test('values from the page to native and back', async () => {
        const bridge = await bridged;
        bridge.registerHandler('give', (data, respond) => respond(values[data]));
        for (const name of Object.keys(values)) equal(await ask('ask', { name: 'give', data: name }), values[name], name);
    });
    test('a page that answers twice', async () => {
        const bridge = await bridged;
        bridge.registerHandler('twice', (data, respond) => {
            respond('first');
            respond('second');
        });
        equal(await ask('ask', { name: 'twice' }), 'first');
        equal(await ask('echo', 1), 1);
    });
    test('registering again replaces', async () => {
        const bridge = await bridged;
        bridge.registerHandler('which', (data, respond) => respond('old'));
        bridge.registerHandler('which', (data, respond) => respond('new'));
        equal(await ask('ask', { name: 'which' }), 'new');
    });
    test('an unknown reply is ignored', async () => {
        const bridge = await bridged;
        bridge._handleMessageFromObjC('{"responseId":"cb_0_0","responseData":1}');
        equal(await ask('echo', 1), 1);
    });
    test('a handler that throws holds up no other', async () => {
        const bridge = await bridged;
        const ignore = event => event.preventDefault();
        addEventListener('error', ignore);
        bridge.registerHandler('thrower', () => { throw new Error('on purpose'); });
        bridge.callHandler('ask', { name: 'thrower' }, () => {});
        bridge.callHandler('echo', 1, () => { throw new Error('on purpose'); });
        equal(await ask('echo', 2), 2);
        await wait(50);
        removeEventListener('error', ignore);
    });
    test('a missing handler of the page is told in its console', async () => {
        const { log } = console;
        const [line, told] = promised();
        console.log = (...words) => {
            if (/^WebViewJavascriptBridge: WARNING: no handler/.test(words[0])) told(words[1].handlerName);
        };
        ask('ask', { name: 'nobody', bridge: 'wvjb' });
        try {
            equal(await line, 'nobody');
        } finally {
            console.log = log;
        }
    });
    test('data that is no JSON holds up no other', async () => {
        const bridge = await bridged;
        addEventListener('error', event => event.preventDefault(), { once: true });
        const circle = {};
        circle.circle = circle;
        bridge.callHandler('echo', circle, () => {});
        equal(await ask('echo', 2), 2);
    });
    test('two name spaces', async () => {
        (await bridged).registerHandler('echo', (data, respond) => respond('the page\'s'));
        equal(await ask('echo', 'native\'s'), 'native\'s');
        equal(await ask('ask', { name: 'echo' }), 'the page\'s');
    });
    test('the queue as native reads it', async () => {
        const bridge = await bridged;
        equal(bridge._fetchQueue(), '[]');
    });
    test('without the safety timeout', async () => {
        const bridge = await bridged;
        bridge.disableJavscriptAlertBoxSafetyTimeout();
        equal(await ask('echo', 1), 1);
        let heard = false;
        bridge.registerHandler('now', () => { heard = true; });
        bridge._handleMessageFromObjC('{"handlerName":"now"}');
        equal(heard, true);
    });
}
