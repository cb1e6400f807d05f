// JsBridge of lzyzsd's for Android: what WebViewJavascriptBridge 4 has, where all answers are text. The app brings the
// page's half, so this does; a page that has one of its own signals by `yy://__QUEUE_MESSAGE__/`.
drawbridge.bridge({ progress: true, there: ['WebViewJavascriptBridge'], late: true }, native => {
    const handlers = Object.create(null);
    const text = value => (typeof value === 'string' ? value : native.write(value === undefined ? null : value));
    let initial;

    const bridge = {
        inited: true,
        init(handler) {
            if (initial) throw new Error('WebViewJavascriptBridge.init called twice');
            initial = handler;
            native.listens();
        },
        registerHandler(name, handler) {
            handlers[name] = handler;
            native.listens();
        },
        removeHandler(name) { delete handlers[name]; },
        callHandler(name, data, callback) {
            if (typeof data === 'function') [data, callback] = [undefined, data];
            native.call(name, input(data), callback && ((error, value) => callback(text(error || value))));
        },
        send(data, callback) { bridge.callHandler('send', data, callback); },
        doSend(data, callback) { bridge.callHandler('send', data, callback); },
    };
    const input = data => (typeof data === 'string' ? native.parsed(data) : data);
    native.put('WebViewJavascriptBridge', bridge);

    // A page's own half: what it has said is behind one URL, and the answer comes by another.
    const answers = new Map();
    const toOwnHalf = message => window.WebViewJavascriptBridge._handleMessageFromNative(native.write(message));
    function take(messages) {
        for (const { handlerName = 'send', data, callbackId, responseId, responseData } of [].concat(messages)) {
            if (responseId) {
                const answer = answers.get(responseId);
                answers.delete(responseId);
                if (answer) answer.value(native.parsed(responseData));
                continue;
            }
            native.call(handlerName, input(data), callbackId && ((error, value) => {
                toOwnHalf({ responseId: callbackId, responseData: text(error || value) });
            }));
        }
    }
    native.opens(url => {
        if (/^yy:\/\/__QUEUE_MESSAGE__/i.test(url)) return () => native.global('WebViewJavascriptBridge._fetchQueue', []);
        const found = /^yy:\/\/return\/([^/]+)\/(.*)$/i.exec(url);
        if (!found) return undefined;
        return () => (found[1] === '_fetchQueue' ? take(native.parsed(decodeURIComponent(found[2]))) : undefined);
    });

    const hasOwnHalf = () => window.WebViewJavascriptBridge !== bridge;
    native.voice({
        has: name => !hasOwnHalf() && (name in handlers || name === 'send' && Boolean(initial)),
        call(name, data, answer) {
            if (hasOwnHalf()) {
                const callbackId = answer.isWanted ? 'native_' + answer.id : undefined;
                if (callbackId) answers.set(callbackId, answer);
                return toOwnHalf({ handlerName: name, data: text(data), callbackId });
            }
            const handler = handlers[name] || (name === 'send' ? initial : undefined);
            if (!handler) return answer.missing();
            handler(text(data), value => answer.value(typeof value === 'string' ? native.parsed(value) : value));
        },
    });
});
