const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
const { core, event } = window.__TAURI__;
const early = invoke('Shop/pay', { n: 1 });
const rejected = error => ({ rejected: error });
event.listen('told', ({ payload }) => { told.push(payload); });
report({
    early: () => early,
    plugin: () => invoke('plugin:Shop|pay', { n: 2 }),
    error: () => invoke('Shop/fail').catch(rejected),
    missing: () => invoke('nobody').catch(rejected),
    progress: async () => {
        const heard = [];
        const id = transformCallback(({ index, message }) => heard.push([index, message]));
        const last = await invoke('Shop/watch', { onEvent: { toJSON: () => '__CHANNEL__:' + id } });
        return heard.concat([last]);
    },
    channel: async () => {
        const heard = [];
        const last = await core.invoke('Shop/watch', { onEvent: new core.Channel(message => heard.push(message)) });
        return heard.concat([last]);
    },
    typed: () => invoke('App/list', {
        map: new Map([['a', 1]]), bytes: new Uint8Array([1, 2]), own: { __TAURI_TO_IPC_KEY__: () => 'written' },
    }),
    emitted: async () => {
        const heard = [];
        const stop = await event.listen('Shop/told', ({ payload }) => heard.push(payload));
        await event.once('Shop/told', ({ payload }) => heard.push('once ' + payload));
        await event.emit('Shop/told', 1);
        await event.emit('Shop/told', 2);
        await stop();
        await event.emit('Shop/told', 3);
        return heard;
    },
    there: () => [window.isTauri, core.isTauri(), window.__TAURI_INTERNALS__.metadata.currentWindow.label],
});
