const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
const early = invoke('Shop/pay', { n: 1 });
/// What the page's half makes of a channel.
const channel = hear => ({ id: transformCallback(hear), toJSON() { return '__CHANNEL__:' + this.id; } });
invoke('plugin:event|listen', { event: 'told', handler: transformCallback(({ payload }) => { told.push(payload); }) });
report({
    early: () => early,
    plugin: () => invoke('plugin:Shop|pay', { n: 2 }),
    error: () => invoke('Shop/fail').catch(error => ({ rejected: error })),
    missing: () => invoke('nobody').catch(error => ({ rejected: error })),
    progress: async () => {
        const heard = [];
        const last = await invoke('Shop/watch', { onEvent: channel(({ index, id, message }) => heard.push([id, message])) });
        return heard.concat([last]);
    },
});
