// Tauri 2: a command is its name, one of a plugin's, `plugin:fs|read`, is `fs/read`. A channel among the arguments hears
// several answers.
drawbridge.bridge({ waits: true, progress: true }, native => {
    const callbacks = new Map();
    const listeners = Object.create(null);
    let lastCallback = 0;
    const run = (id, value) => callbacks.has(id) && callbacks.get(id)(value);
    const own = {
        'plugin:event|listen'({ event, handler }) {
            listeners[event] = (listeners[event] || new Set()).add(handler);
            native.listens();
            return handler;
        },
        'plugin:event|unlisten'({ event, eventId }) {
            if (listeners[event]) listeners[event].delete(eventId);
        },
    };
    /// The id of the channel that is among the arguments; it says so as text.
    const channelIn = input => {
        for (const value of Object.values(input)) {
            const found = /^__CHANNEL__:(\d+)$/.exec(native.parsed(native.write(value)));
            if (found) return Number(found[1]);
        }
        return undefined;
    };

    native.put('isTauri', true);
    native.put('__TAURI_EVENT_PLUGIN_INTERNALS__', { unregisterListener() {} });
    native.put('__TAURI_INTERNALS__', {
        metadata: { currentWindow: { label: 'main' }, currentWebview: { windowLabel: 'main', label: 'main' } },
        transformCallback(callback, isOnce) {
            const id = ++lastCallback;
            callbacks.set(id, value => {
                if (isOnce) callbacks.delete(id);
                return callback && callback(value);
            });
            return id;
        },
        unregisterCallback(id) { callbacks.delete(id); },
        runCallback: run,
        convertFileSrc: path => location.origin + '/' + path,
        invoke(command, input = {}) {
            if (own[command]) return Promise.resolve(own[command](input));
            const channel = channelIn(input);
            let index = 0;
            const name = command.replace(/^plugin:/, '').replace('|', '/');
            return native.promise(name, input, message => {
                if (channel !== undefined) run(channel, { id: index++, message });
            }).catch(error => { throw error.data === undefined ? error.message : error.data; });
        },
    });

    const tell = (event, payload) => {
        for (const id of listeners[event] || []) native.attempt(() => run(id, { event, id, payload }));
    };
    native.voice({
        has: event => Boolean(listeners[event] && listeners[event].size),
        call(event, data, answer) {
            if (!listeners[event]) return answer.missing();
            tell(event, data);
            answer.value(null);
        },
        hear: tell,
    });
});
