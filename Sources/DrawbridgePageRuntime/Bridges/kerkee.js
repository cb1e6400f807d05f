// kerkee, behind the page's own `kerkee.js` or `bridgeLib.js`: a queue of `{clz, method, args}` that native empties at a
// signal, as on iOS, or each of them as JSON in a `prompt`, as on Android; it goes by the browser's name. A method of a
// class is `clz/method`. Such a page has native's `XMLHttpRequest`, too: what it sends, the browser sends.
drawbridge.bridge({ progress: true, there: ['prompt()'] }, native => {
    const { XMLHttpRequest } = window;
    const { log } = console;
    const listeners = Object.create(null);
    const answer = (id, value) => window.ApiBridge.onCallback(id, value);
    let isComplete;
    const when = new Promise(done => { isComplete = done; });

    const requests = new Map();
    const headers = text => Object.fromEntries(text.split('\r\n').filter(Boolean).map(line => {
        const at = line.indexOf(': ');
        return [line.slice(0, at), line.slice(at + 2)];
    }));
    function sees(id, request) {
        const { readyState, status, statusText } = request;
        if (readyState !== 2 && readyState !== 4) return;
        const state = { id, readyState, status, statusText };
        if (readyState === 2) state.headers = headers(request.getAllResponseHeaders());
        else state.responseText = request.responseText;
        window.XMLHttpRequest.setProperties(state);
        if (readyState === 4) window.XMLHttpRequest.deleteObject(id);
    }

    const own = {
        ApiBridge: {
            onBridgeInitComplete({ callbackId }) {
                native.later(() => {
                    answer(callbackId, { isOpenJSLog: false });
                    isComplete();
                });
            },
            JSLog: ({ msg }) => log.call(console, msg),
        },
        event: {
            addEventListener({ event, callbackId }) {
                (listeners[event] = listeners[event] || []).push(callbackId);
                native.listens();
            },
        },
        XMLHttpRequest: {
            create: ({ id }) => requests.set(id, new XMLHttpRequest()),
            open({ id, method, url }) {
                const request = requests.get(id);
                request.open(method, url);
                request.onreadystatechange = () => native.attempt(() => sees(id, request));
            },
            setRequestHeader: ({ id, headerName, headerValue: value }) => (
                requests.get(id).setRequestHeader(headerName, value)),
            overrideMimeType: ({ id, mimetype }) => requests.get(id).overrideMimeType(mimetype),
            send: ({ id, data }) => requests.get(id).send(data),
            abort: ({ id }) => requests.get(id).abort(),
        },
    };

    /// Does what is asked for. A call without a callback, which a prompt answers, is only given back.
    function run({ clz, method, args }) {
        const work = own[clz] && own[clz][method];
        const { callbackId: id, ...input } = Object(args);
        const name = clz + '/' + method;
        if (work) work(Object(args));
        else if (clz === 'ApiBridge') return undefined;
        else if (id === undefined) return { name, input };
        else native.call(name, input, (error, value) => answer(id, error || value));
        return undefined;
    }

    native.opens(url => /^kcnative:/i.test(url) && (() => {
        window.ApiBridge.prepareProcessingMessages();
        for (let text; (text = window.ApiBridge.fetchMessages());) {
            for (const call of native.messages(text).map(run)) if (call) native.call(call.name, call.input);
        }
    }));
    native.dialog('prompt', text => {
        const message = native.parsed(text);
        if (!Object(message).clz) return undefined;
        const call = run(message);
        return call ? native.text(native.answerNow(call.name, call.input, '')) : '';
    });

    native.voice({
        when,
        has: event => event in listeners,
        hear(event, data) {
            for (const id of listeners[event] || []) native.attempt(() => answer(id, data));
            return event in listeners;
        },
    });
});
