// The set-up of a page that may be a frame: `ask(name, data)` calls native, and native's `where` tells which page it is.
// The page calls by what `?bridge=` says: `wvjb6`, where nothing does, or one of those below.
'use strict';

/// How a page comes, by each bridge, to something with `callHandler(name, data, callback)` and
/// `registerHandler(name, (data, respond) => …)`.
const bridges = {
    wvjb6: () => askedFor('https://__bridge_loaded__'),
    wvjb5: () => askedFor('wvjbscheme://__BRIDGE_LOADED__'),
    wvjb4: () => new Promise(done => {
        document.addEventListener('WebViewJavascriptBridgeReady', ({ bridge }) => {
            bridge.init(() => {});
            done(bridge);
        });
    }),
    async queue() {
        const waiting = new Map();
        let messages = [];
        let lastId = Date.now();
        const signal = document.createElement('iframe');
        signal.style.display = 'none';
        document.documentElement.appendChild(signal);
        window.fetchMessageQueue = () => JSON.stringify(messages.splice(0));
        window.handleCallback = text => {
            const { responseId, responseData } = JSON.parse(text);
            const callback = waiting.get(responseId);
            waiting.delete(responseId);
            if (callback) callback(responseData);
        };
        return {
            callHandler(funcName, prama, callback) {
                waiting.set(lastId += 1, callback);
                messages.push({ funcName, prama, callbackId: lastId });
                signal.src = 'mizhua://fetch_message';
            },
            registerHandler(name, handler) {
                window[name] = data => new Promise(done => handler(data, done));
            },
        };
    },
    async messages() {
        const waiting = new Map();
        let lastId = 0;
        const post = message => webkit.messageHandlers.JSBridge.postMessage(message);
        // Their data is an object, always.
        const boxed = data => (Object(data) === data ? data : { boxed: data });
        const unboxed = data => ('boxed' in Object(data) ? data.boxed : data);
        window.bridgeMsgListener = {};
        window.bridge = {
            handleNativeMsg(message) {
                const { action, data, callbackId } = message;
                if (action !== 'handleNativeResponse') return new bridgeMsgListener[action](message);
                const callback = waiting.get(callbackId);
                waiting.delete(callbackId);
                if (callback) callback(unboxed(data));
            },
        };
        return {
            callHandler(action, data, callback) {
                const callbackId = 'cb' + (lastId += 1);
                waiting.set(callbackId, callback);
                post({ action, data: boxed(data), callbackId });
            },
            registerHandler(name, handler) {
                bridgeMsgListener[name] = function ({ data, callbackId }) {
                    handler(data, answer => post({ action: 'handleH5Response', data: boxed(answer), callbackId }));
                };
            },
        };
    },
};

function askedFor(url) {
    return new Promise(done => {
        window.WVJBCallbacks = [done];
        const frame = document.createElement('iframe');
        frame.style.display = 'none';
        frame.src = url;
        document.documentElement.appendChild(frame);
        setTimeout(() => frame.remove(), 0);
    });
}

function setUp(at) {
    const bridged = bridges[new URLSearchParams(location.search).get('bridge') || 'wvjb6']();
    bridged.then(bridge => {
        bridge.registerHandler('where', (data, respond) => respond({ at, data }));
        window.ask = (name, data) => new Promise(done => bridge.callHandler(name, data, done));
    });
    return bridged;
}
