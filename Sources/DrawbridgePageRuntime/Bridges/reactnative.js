// React Native WebView: texts in both directions, and what they mean is the app's own.
//
// options: name (the members that may name a call), id (the member by which a page knows its answer),
//          injectedObject (what injectedObjectJson gives), document (events go to `document` too, as on Android)
drawbridge.bridge({ there: ['ReactNativeWebView'] }, native => {
    const { name: names = ['type', 'action', 'method', 'event', 'name', 'command'], id = 'id' } = native.options;
    const fields = [].concat(names);

    /// A page receives it as the event `message`, whose data is text.
    function say(value) {
        const data = typeof value === 'string' ? value : native.write(value);
        window.dispatchEvent(new MessageEvent('message', { data }));
        if (native.options.document) document.dispatchEvent(new MessageEvent('message', { data }));
    }

    const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

    const view = {
        postMessage(text) {
            const body = native.parsed(String(text));
            const field = isObject(body) && fields.find(field => typeof body[field] === 'string' && body[field]);
            const known = isObject(body) && body[id] !== undefined ? { [id]: body[id] } : undefined;
            native.call(field ? body[field] : 'message', body, (error, value) => {
                if (error && known) say({ ...known, error: { code: error.code, message: error.message } });
                else if (error) console.warn('reactnative:', error.message);
                else if (value !== null) say(known ? { ...known, ...isObject(value) ? value : { data: value } } : value);
            });
        },
    };
    if (native.options.injectedObject !== undefined) {
        view.injectedObjectJson = () => native.write(native.options.injectedObject);
    }
    native.put('ReactNativeWebView', view);

    const told = (name, data) => (isObject(data) ? { [fields[0]]: name, ...data } : { [fields[0]]: name, data });
    // Nothing of a call comes back but by another message. `message` is the data alone, as in the page's direction.
    native.voice({ hear: (event, data) => say(event === 'message' && data !== null ? data : told(event, data)) });
});
