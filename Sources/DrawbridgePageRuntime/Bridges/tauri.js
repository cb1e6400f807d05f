// Tauri 2: a command is its name, and one of a plugin's, `plugin:fs|read`, is `fs/read`. A channel among the arguments
// hears several answers, an event that the page emits is a call of its name. `window.__TAURI__` is there as in an app that
// has `withGlobalTauri`, with `core` and `event`; a page with `@tauri-apps/api` of its own needs the rest alone.
drawbridge.bridge({ waits: true, progress: true, there: ['__TAURI_INTERNALS__'] }, native => {
    const callbacks = new Map();
    let lastCallback = 0;
    function transformCallback(callback, isOnce) {
        const id = ++lastCallback;
        callbacks.set(id, value => {
            if (isOnce) callbacks.delete(id);
            return callback && callback(value);
        });
        return id;
    }
    const runCallback = (id, value) => callbacks.has(id) && callbacks.get(id)(value);
    const unregisterCallback = id => callbacks.delete(id);

    // What listens to `event` and, of a plugin's events, to `plugin/event`, by its id.
    const listeners = Object.create(null);
    function listen(event, id, hear) {
        (listeners[event] = listeners[event] || new Map()).set(id, hear);
        native.listens();
        return id;
    }
    const unlisten = (event, id) => Boolean(listeners[event]) && listeners[event].delete(id);
    function tell(event, payload) {
        const all = Array.from((listeners[event] || new Map()).values());
        for (const hear of all) native.attempt(() => hear(payload));
        return all.length > 0;
    }

    const isChannel = /^__CHANNEL__:(\d+)$/;
    const channelOf = value => Number((isChannel.exec(value) || [])[1]);
    /// Sends a channel its messages; earlier versions know their number as `id`.
    function sender(channel) {
        let index = 0;
        return message => runCallback(channel, { index, id: index++, message });
    }

    function emit({ event, payload }) {
        tell(event, payload);
        native.call(event, payload);
    }
    const ofEvents = {
        listen: ({ event, handler: id }) => listen(event, id, payload => runCallback(id, { event, id, payload })),
        unlisten: ({ event, eventId }) => unlisten(event, eventId),
        emit,
        emit_to: emit,
    };
    const register = (plugin, { event, handler }) => (
        listen(plugin + '/' + event, channelOf(handler), sender(channelOf(handler))));
    /// Commands that the app's half has for each plugin.
    const ofPlugin = {
        registerListener: register,
        register_listener: register,
        remove_listener: (plugin, { event, channelId }) => unlisten(plugin + '/' + event, channelId),
    };

    /// The arguments as the app's half writes them.
    const written = input => native.parsed(JSON.stringify(input, (name, value) => {
        if (value instanceof Map) return Object.fromEntries(value);
        if (value instanceof ArrayBuffer) return Array.from(new Uint8Array(value));
        if (value instanceof Uint8Array) return Array.from(value);
        const write = Object(value).__TAURI_TO_IPC_KEY__;
        return typeof write === 'function' ? write.call(value) : value;
    }));

    async function invoke(command, input = {}) {
        const data = written(input);
        const [, plugin, method] = /^plugin:([^|]+)\|(.+)$/.exec(command) || [];
        if (plugin === 'event' && ofEvents[method]) return ofEvents[method](data);
        if (plugin && ofPlugin[method]) return ofPlugin[method](plugin, data);
        const channel = Object.values(data).map(channelOf).find(Boolean);
        try {
            return await native.promise(plugin ? plugin + '/' + method : command, data, channel && sender(channel));
        } catch (error) {
            if (error.isMissing) throw 'Command ' + command + ' not found';
            throw error.data === undefined ? error.message : error.data;
        }
    }
    const convertFileSrc = path => location.origin + '/' + encodeURI(path).replace(/^\//, '');

    native.put('isTauri', true);
    native.put('__TAURI_EVENT_PLUGIN_INTERNALS__', { unregisterListener: unlisten });
    native.put('__TAURI_INTERNALS__', {
        metadata: { currentWindow: { label: 'main' }, currentWebview: { windowLabel: 'main', label: 'main' } },
        plugins: { path: { sep: '/', delimiter: ':' } },
        transformCallback, unregisterCallback, runCallback, callbacks, convertFileSrc, invoke,
    });

    class Channel {
        constructor(hear) {
            this.onmessage = hear;
            this.id = transformCallback(({ message }) => this.onmessage && this.onmessage(message));
        }

        toJSON() { return '__CHANNEL__:' + this.id; }
    }
    const event = {
        async listen(event, hear) {
            const eventId = await invoke('plugin:event|listen', { event, handler: transformCallback(hear) });
            return async () => { unlisten(event, eventId); };
        },
        once: (name, hear) => event.listen(name, heard => {
            unlisten(name, heard.id);
            hear(heard);
        }),
        emit: (event, payload) => invoke('plugin:event|emit', { event, payload }),
        emitTo: (target, event, payload) => invoke('plugin:event|emit_to', { target, event, payload }),
    };
    async function addPluginListener(plugin, event, hear) {
        const handler = new Channel(hear);
        await invoke('plugin:' + plugin + '|registerListener', { event, handler });
        const unregister = async () => { unlisten(plugin + '/' + event, handler.id); };
        return { plugin, event, channelId: handler.id, unregister };
    }
    native.put('__TAURI__', {
        core: { invoke, transformCallback, convertFileSrc, isTauri: () => true, Channel, addPluginListener }, event,
    });

    native.voice({
        has: event => Boolean(listeners[event] && listeners[event].size),
        hear: tell,
    });
});
