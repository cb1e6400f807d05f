// One object of the app's with one function, `OBJECT.method(name, data, callback)`, and an event that says when it is
// there: WeChat's WeixinJSBridge.invoke, Alipay's AlipayJSBridge.call, and others of their kind.
//
// options: object, method (`call` where it is not said), ready (the event of `document`), error (the member of a result
//          that names the error, as in {"err_msg": "pay:fail"}), events (the function that adds a listener: `on`), order
//          (of what comes behind the name: ["data", "callback"]; also for a handler alone)
drawbridge.bridge({
    waits: true, progress: true, late: true, there: ({ object = 'NativeBridge' }) => [object],
}, native => {
    const { object = 'NativeBridge', method = 'call', ready, error: member, events } = native.options;
    const listeners = Object.create(null);
    const failed = (name, { code, message, isMissing }) => {
        if (!member) return { error: code, errorMessage: message };
        return { [member]: name + (isMissing ? ':function_not_exist' : ':fail'), error: code, errorMessage: message };
    };
    const succeeded = (name, value) => {
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        if (!member || isObject && member in value) return value;
        return { [member]: name + ':ok', ...isObject ? value : value === null ? {} : { data: value } };
    };
    const found = {
        [method](name, ...input) {
            const { order = ['data', 'callback'] } = native.optionsOf(name);
            let [data, callback] = ['data', 'callback'].map(what => input[order.indexOf(what)]);
            // Either may be left out.
            if (typeof data === 'function') [data, callback] = [callback, data];
            if (typeof callback !== 'function') [data, callback] = [data === undefined ? callback : data];
            native.call(name, data, callback && ((error, value) => {
                callback(error ? failed(name, error) : succeeded(name, value));
            }));
        },
    };
    if (events) {
        found[events] = (event, listener) => {
            (listeners[event] = listeners[event] || []).push(listener);
            native.listens();
        };
    }
    native.put(object, found);
    if (ready) {
        const isReady = () => native.later(() => document.dispatchEvent(new Event(ready)));
        if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', isReady);
        else isReady();
    }
    native.voice({
        has: event => event in listeners,
        hear(event, data) {
            for (const listener of listeners[event] || []) native.attempt(() => listener(data));
            if (ready) document.dispatchEvent(Object.assign(new Event(event), { data }));
            return Boolean(ready) || event in listeners;
        },
    });
});
