// WebView2: messages in both directions, and objects of the app's. A method of one, `hostObjects.shop.pay(…)`, is
// `shop/pay`, with its argument, or with a list where there are several; below `hostObjects.sync` the page waits.
//
// options: name (the members of a message that may name a call)
drawbridge.bridge({ waits: true }, native => {
    const { name: fields = ['action', 'type', 'method', 'command', 'name'] } = native.options;
    const target = new EventTarget();
    const say = data => target.dispatchEvent(new MessageEvent('message', { data }));
    const objects = call => new Proxy({}, {
        get: (_, object) => new Proxy(() => {}, {
            // Whoever awaits an object asks it for this.
            get: (_, method) => (method === 'then' ? undefined
                : (...input) => call(String(object) + '/' + String(method), input.length > 1 ? input : input[0])),
        }),
    });
    const later = objects(native.promise);
    const sync = objects(native.callNow);
    const webview = Object.assign(target, {
        hostObjects: new Proxy({}, { get: (_, name) => (name === 'sync' ? sync : later[name]) }),
        postMessage(message) {
            const field = fields.find(field => typeof Object(message)[field] === 'string');
            native.call(field ? message[field] : 'message', message, (error, value) => {
                if (error) console.warn('webview2:', error.message);
                else if (value !== null) say(value);
            });
        },
    });
    if (window.chrome) window.chrome.webview = webview;
    else native.put('chrome', { webview });

    native.voice({
        call(name, data, answer) {
            say({ [fields[0]]: name, data });
            answer.value(null);
        },
        hear: (event, data) => say({ [fields[0]]: event, data }),
    });
});
