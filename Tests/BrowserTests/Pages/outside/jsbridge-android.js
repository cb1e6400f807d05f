const { WebViewJavascriptBridge: bridge } = window;
bridge.init((text, respond) => respond('got ' + text));
bridge.registerHandler('title', (text, respond) => respond(text + '!'));
bridge.registerHandler('told', text => { told.push(text); });
const call = (name, data, count) => hearing(hear => bridge.callHandler(name, data, hear), count);
const early = call('Shop/pay', { n: 1 });
const ready = new Promise(done => document.addEventListener('WebViewJavascriptBridgeReady', () => done('ready')));
function load(url) {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.documentElement.appendChild(frame);
    frame.remove();
}
/// With a half of the page's own in the place of the app's: two calls, whose order is kept.
async function ownHalf() {
    const messages = [1, 2].map(n => ({ handlerName: 'Shop/pay', data: JSON.stringify({ n }), callbackId: 'c' + n }));
    const heard = await hearing(hear => {
        window.WebViewJavascriptBridge = {
            _fetchQueue: () => load('yy://return/_fetchQueue/' + encodeURIComponent(JSON.stringify(messages))),
            _handleMessageFromNative: text => hear(JSON.parse(text)),
        };
        load('yy://__QUEUE_MESSAGE__/');
    }, 2);
    window.WebViewJavascriptBridge = bridge;
    return heard;
}
report({
    ownHalf,
    early: () => early,
    ready: () => ready,
    text: () => call('Shop/pay', '{"n":2}'),
    error: () => call('Shop/fail'),
    missing: () => call('nobody', {}, 0),
    progress: () => call('Shop/watch', {}, 3),
    sent: () => hearing(hear => bridge.send('hello', hear)),
});
