drawbridge.bridge({ version: 1, progress: true }, native => {
    const listeners = {};

    native.put('Shop', {
        ask(name, data, callback) {
            native.call(name, data, callback && ((error, value, isMore) => {
                callback(error ? { failed: error.code, why: error.message } : { value, isMore });
            }));
        },
        askNow: (name, data) => native.callNow(name, data),
        listen(event, listener) {
            listeners[event] = listener;
            native.listens();
        },
    });

    native.voice({
        has: event => event in listeners,
        call(event, data, answer) {
            if (!listeners[event]) return answer.missing();
            answer.value(listeners[event](data));
        },
        hear: (event, data) => listeners[event] && listeners[event](data),
    });
});
