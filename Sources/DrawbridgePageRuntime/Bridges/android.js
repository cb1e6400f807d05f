// Android: objects of addJavascriptInterface, whose methods answer at once, and channels of webview_flutter's.
// A call `Android.share(data)` is `Android/share`; a channel's `Toast.postMessage(text)` is `Toast`.
//
// options: objects (their names), channels (names of channels); `Android` where neither is given
drawbridge.bridge({
    there: ({ channels = [], objects = channels.length ? [] : ['Android'] }) => objects.concat(channels),
}, native => {
    const { channels = [], objects = channels.length ? [] : ['Android'] } = native.options;
    const isText = value => typeof value === 'string' && /^\s*[[{]/.test(value);
    /// JSON that is passed as text, since such a method takes nothing but text, numbers and truth values.
    const input = value => (isText(value) ? native.parsed(value) : value);

    for (const object of objects) {
        const methods = {};
        native.put(object, native.watched(methods, object));
        native.names(names => {
            for (const method of Object.keys(methods)) delete methods[method];
            for (const name of names) {
                const [owner, method, more] = name.split('/');
                if (owner !== object || !method || more !== undefined) continue;
                methods[method] = (...values) => {
                    let value;
                    try {
                        value = native.callNow(name, values.length > 1 ? values.map(input) : input(values[0]));
                    } catch (error) {
                        console.warn('android:', error.message);
                        throw new Error('Java exception was raised during method invocation');
                    }
                    if (value === null) return undefined;
                    return typeof value === 'object' ? native.write(value) : value;
                };
            }
        });
    }
    for (const channel of channels) {
        native.put(channel, { postMessage: text => native.call(channel, input(String(text))) });
    }
});
