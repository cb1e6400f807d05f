window.WKWVJBCallbacks = [];
const bridge = new Promise(done => window.WKWVJBCallbacks.push(done));
window.webkit.messageHandlers.iOS_Native_InjectJavascript.postMessage(null);
bridge.then(bridge => {
    bridge.registerHandler('title', (text, respond) => respond(text + '!'));
    bridge.registerHandler('told', value => { told.push(value); });
    const call = (name, data, count) => hearing(hear => bridge.callHandler(name, data, hear), count);
    report({
        early: () => call('Shop/pay', { n: 1 }),
        withoutData: () => hearing(hear => bridge.callHandler('Shop/pay', hear)),
        error: () => call('Shop/fail', {}),
        missing: () => call('nobody', {}, 0),
        progress: () => call('Shop/watch', {}, 3),
    });
});
