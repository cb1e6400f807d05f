// Hotwire Native, in front of its own `bridge.js`: an event of a component is `component/event`, and a component may be
// answered as often as there is something.
//
// Its pages look at the browser's name: --user-agent '{{userAgent}} Hotwire Native iOS; bridge-components: [form menu]'
drawbridge.bridge({ progress: true }, native => {
    /// The last message of each event, under whose id its component is answered later.
    const last = Object.create(null);
    const answer = (message, data) => window.nativeBridge.replyWith({ ...message, data: data || {} });
    let components = [];
    native.names(names => {
        components = Array.from(new Set(names.filter(name => name.includes('/')).map(name => name.split('/')[0])));
    });

    native.messageHandler('bridge', message => {
        if (message === 'ready') return native.later(() => window.nativeBridge.register(components));
        const name = message.component + '/' + message.event;
        last[name] = message;
        native.call(name, message.data, (error, value) => {
            if (error) console.warn('hotwire:', name + ':', error.message);
            else answer(message, value);
        });
    });

    native.voice({
        has: name => name in last,
        call(name, data, done) {
            if (!last[name]) return done.missing();
            answer(last[name], data);
            done.value(null);
        },
    });
});
