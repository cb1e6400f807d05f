// DSBridge 3: a synchronous object of the app's that answers text; callbacks are global functions of the page's.
// A name `ns.method` is `ns/method`, its namespace being all before the last dot.
drawbridge.bridge({ progress: true, there: ['_dsbridge', '_dswk'] }, native => {
    const path = method => method.replace(/\.([^.]*)$/, '/$1');
    const answers = new Map();
    let listens;
    const when = new Promise(done => { listens = done; });
    let names = [];
    native.names(now => { names = now; });

    const own = {
        dsinit: () => listens(),
        hasNativeMethod: ({ name }) => names.includes(path(String(name))),
        closePage: () => native.call('closePage'),
        disableJavascriptDialogBlock() {},
        returnValue({ id, data, complete }) {
            const answer = answers.get(id);
            if (complete === false) return;
            answers.delete(id);
            if (answer) answer.value(data);
        },
    };

    function call(method, text) {
        const { data, _dscbstub: stub } = Object(native.parsed(text));
        if (method.startsWith('_dsb.')) {
            const work = own[method.slice(5)];
            const value = work && work(Object(data));
            return native.write({ code: 0, data: value === undefined ? '' : value });
        }
        if (!stub) {
            const value = native.answerNow(path(method), data);
            return native.write(value === undefined ? { code: -1, data: '' } : { code: 0, data: value });
        }
        native.call(path(method), data, (error, value, isMore) => {
            const callback = window[stub];
            if (!isMore) delete window[stub];
            // It has no way to say what went wrong.
            if (error) console.warn('dsbridge:', method + ':', error.message);
            else if (typeof callback === 'function') native.attempt(() => callback(value));
        });
        return '{"code":0,"data":""}';
    }

    native.put('_dsbridge', { call: (method, text) => call(String(method), text) });
    // Pages that take themselves for one of iOS.
    native.dialog('prompt', (text, value) => (text.startsWith('_dsbridge=') ? call(text.slice(10), value) : undefined));

    /// A function that the page has registered, alone or as a member of an object.
    const registered = name => [window._dsf, window._dsaf].some(all => {
        if (!all) return false;
        const at = name.lastIndexOf('.');
        return all[name] || Object(Object(all._obs)[name.slice(0, at)])[name.slice(at + 1)];
    });
    const named = name => [name, name.replaceAll('/', '.')].find(registered);
    native.voice({
        when,
        has: name => Boolean(named(name)),
        call(name, data, answer) {
            const method = named(name);
            if (!method) return answer.missing();
            if (answer.isWanted) answers.set(answer.id, answer);
            const input = native.write(data === undefined ? [] : [].concat(data));
            window._handleMessageFromNative({ method, callbackId: answer.id, data: input });
        },
    });
});
