// What the app of android-host.mjs has, by names: `puts` is run in each document before any script, `answers` what asks
// by `prompt` and waits, `hears` what asks by a binding and does not wait, `opens` sees URLs, `loaded` the load, and
// `takes` requests for URLs like those of `fetches`, and gives their answers.
//
// A call has the name that Drawbridge would give it, so that what the app was asked is compared with what mocks were.

/// In the document: objects as addJavascriptInterface puts them. Their methods have no text, and insist on their `this`.
const objects = `
    const { prompt, __app: bound } = window;
    const ask = (...input) => JSON.parse(prompt('app:' + JSON.stringify(input))).value;
    const tell = (...input) => bound(JSON.stringify(input));
    function put(name, methods) {
        const object = {};
        for (const [method, work] of Object.entries(methods)) {
            object[method] = new Proxy(function () {}, {
                apply(_, self, input) {
                    if (self === object) return work(...input);
                    throw new TypeError('Java bridge method can\\'t be invoked on a non-injected object');
                },
                construct() { throw new TypeError(method + ' is not a constructor'); },
            });
        }
        window[name] = object;
    }
`;
const puts = work => `() => {${objects}\n(${work})();\n}`;

const later = (app, script, ...input) => app.evaluate(`(${script})(${input.map(value => JSON.stringify(value))})`);

export const kinds = {
    /// An object whose methods answer at once.
    Android: {
        puts: puts(`() => put('Android', {
            version: () => ask('Android', 'version'),
            share: text => ask('Android', 'share', text),
            add: (a, b) => ask('Android', 'add', a, b),
            close() { tell('Android', 'close'); },
        })`),
        answers(app, method, ...input) {
            const said = app.asked('Android/' + method, input.length > 1 ? input : input[0]);
            return method === 'share' ? JSON.stringify({ shared: said }) : said;
        },
        hears(app, method) { app.asked('Android/' + method); },
    },

    /// A channel of webview_flutter's.
    Toast: {
        puts: puts(`() => put('Toast', { postMessage(text) { tell('Toast', text); } })`),
        hears: (app, text) => app.asked('Toast', text),
    },

    /// The object that --shortcuts puts here.
    MyApp: {
        puts: puts(`() => put('MyApp', { title: () => ask('MyApp', 'title'), share: text => ask('MyApp', 'share', text) })`),
        answers: (app, method, ...input) => app.asked(method, input[0]),
    },

    /// DSBridge: text in and out, and late answers by a function of the page's that the call names.
    _dsbridge: {
        puts: puts(`() => put('_dsbridge', { call: (method, text) => ask('_dsbridge', method, text) })`),
        answers(app, method, text) {
            const { data, _dscbstub: stub } = JSON.parse(text);
            if (method === '_dsb.dsinit') return JSON.stringify({ code: 0, data: '' });
            const said = app.asked(method.replace(/\.([^.]*)$/, '/$1'), data);
            if (stub === undefined) return JSON.stringify({ code: 0, data: said });
            later(app, '(stub, said) => { const heard = window[stub]; delete window[stub]; heard(said); }', stub, said);
            return JSON.stringify({ code: 0 });
        },
    },

    /// flutter_inappwebview: an ordinary script's object above one of the app's, with a promise for each call.
    flutter: {
        puts: puts(`() => {
            put('flutter_inappwebview_android', { _call: (...input) => tell('flutter', ...input) });
            const promises = new Map();
            window.flutter_inappwebview = {
                callHandler(name, ...values) {
                    return new Promise(done => {
                        promises.set(promises.size + 1, done);
                        flutter_inappwebview_android._call(promises.size, name, JSON.stringify(values));
                    });
                },
                _answer(id, value) { promises.get(id)(value); },
            };
        }`),
        hears(app, id, name, text) {
            const values = JSON.parse(text);
            const said = app.asked(name, values.length > 1 ? values : values[0]);
            later(app, '(id, said) => flutter_inappwebview._answer(id, said)', id, said);
        },
        loaded: app => later(app, '() => dispatchEvent(new Event("flutterInAppWebViewPlatformReady"))'),
    },

    /// The same, whose script comes behind the page's own: its object is there, and cannot be called yet.
    'flutter-late': {
        puts: puts(`() => put('flutter_inappwebview', { _call: (...input) => tell('flutter-late', ...input) })`),
        hears(app, id, name, text) { kinds.flutter.hears(app, id, name, text); },
        loaded: app => later(app, `() => {
            const promises = new Map();
            flutter_inappwebview.callHandler = (name, ...values) => new Promise(done => {
                promises.set(promises.size + 1, done);
                flutter_inappwebview._call(promises.size, name, JSON.stringify(values));
            });
            flutter_inappwebview._answer = (id, value) => promises.get(id)(value);
            dispatchEvent(new Event('flutterInAppWebViewPlatformReady'));
        }`),
    },

    /// Capacitor: the app's script above an object of its own.
    capacitor: {
        puts: puts(`() => {
            put('androidBridge', { postMessage(text) { tell('capacitor', text); } });
            const promises = new Map();
            window.Capacitor = {
                PluginHeaders: [{ name: 'Shop', methods: [{ name: 'pay', rtype: 'promise' }] }],
                nativePromise(pluginId, methodName, options) {
                    const callbackId = String(promises.size + 1);
                    androidBridge.postMessage(JSON.stringify({ callbackId, pluginId, methodName, options }));
                    return new Promise(done => promises.set(callbackId, done));
                },
                fromNative({ callbackId, data }) { promises.get(callbackId)(data); },
            };
        }`),
        hears(app, text) {
            const { callbackId, pluginId, methodName, options } = JSON.parse(text);
            const data = { said: app.asked(pluginId + '/' + methodName, options) };
            later(app, 'result => Capacitor.fromNative(result)', { callbackId, success: true, data });
        },
    },

    /// WeChat's shape: an object that comes with the load, and an event that says so.
    weixin: {
        loaded: app => later(app, `() => {
            const ask = (...input) => JSON.parse(prompt('app:' + JSON.stringify(['weixin', ...input]))).value;
            window.WeixinJSBridge = {
                invoke(name, data, callback) { setTimeout(callback, 0, { err_msg: name + ':ok', said: ask(name, data) }); },
            };
            document.dispatchEvent(new Event('WeixinJSBridgeReady'));
        }`),
        answers: (app, name, data) => app.asked(name, data),
    },

    /// Requests that the app takes itself, before they leave the web view.
    requests: {
        fetches: ['http://__jsbridge__/*', '*_mobile_bridge=1*'],
        takes(app, { method, url, postData }) {
            const { pathname, searchParams } = new URL(url);
            searchParams.delete('_mobile_bridge');
            const name = pathname.slice(1);
            return app.asked(name, method === 'POST' ? JSON.parse(postData) : Object.fromEntries(searchParams));
        },
    },

    /// React Native WebView: text to the app, and events from it.
    reactnative: {
        puts: puts(`() => put('ReactNativeWebView', { postMessage(text) { tell('reactnative', String(text)); } })`),
        hears(app, text) {
            const { type, id, ...body } = JSON.parse(text);
            const data = app.asked(type, { type, id, ...body });
            later(app, `text => {
                document.dispatchEvent(new MessageEvent('message', { data: text }));
                window.dispatchEvent(new MessageEvent('message', { data: text }));
            }`, JSON.stringify({ id, data }));
        },
    },

    /// A function that the app has evaluated at the start of the document.
    deviceInfo: {
        puts: puts(`() => { window.deviceInfo = function (key, more) { return ask('deviceInfo', ...arguments); }; }`),
        answers: (app, ...input) => app.asked('deviceInfo', input),
    },

    /// The app's own scheme, and its queue.
    mizhua: {
        opens(app, url) {
            if (!url.startsWith('mizhua://')) return false;
            const { host, pathname, searchParams } = new URL(url.replace('mizhua:', 'http:'));
            if (host !== 'fetch_message') {
                app.asked(host + pathname.replace(/^\/$/, ''), Object.fromEntries(searchParams));
                return true;
            }
            app.evaluate('fetchMessageQueue()').then(text => {
                for (const { funcName, prama, callbackId } of JSON.parse(text)) {
                    const responseData = app.asked(funcName, prama);
                    if (callbackId) {
                        later(app, 'text => handleCallback(text)',
                            JSON.stringify({ responseId: callbackId, responseData, callbackId }));
                    }
                }
            });
            return true;
        },
    },

    /// JsBridge: the app brings the page's half with the load; a URL says that there is something, another has it.
    jsbridge: {
        loaded: app => later(app, `() => {
            const frame = document.createElement('iframe');
            frame.style.display = 'none';
            document.documentElement.appendChild(frame);
            const callbacks = {};
            let queue = [];
            window.WebViewJavascriptBridge = {
                callHandler(handlerName, data, callback) {
                    const callbackId = callback && 'cb_' + (Object.keys(callbacks).length + 1);
                    if (callback) callbacks[callbackId] = callback;
                    queue.push({ handlerName, data, callbackId });
                    frame.src = 'yy://__QUEUE_MESSAGE__/' + Math.random();
                },
                _fetchQueue() {
                    const text = JSON.stringify(queue);
                    queue = [];
                    if (text !== '[]') frame.src = 'yy://return/_fetchQueue/' + encodeURIComponent(text);
                },
                _handleMessageFromNative(text) {
                    const { responseId, responseData } = JSON.parse(text);
                    callbacks[responseId](responseData);
                },
            };
            document.dispatchEvent(Object.assign(new Event('WebViewJavascriptBridgeReady'), { bridge: WebViewJavascriptBridge }));
        }`),
        opens(app, url) {
            if (/^yy:\/\/__queue_message__/i.test(url)) app.evaluate('WebViewJavascriptBridge._fetchQueue()');
            const [, text] = /^yy:\/\/return\/_fetchQueue\/(.*)/.exec(url) || [];
            for (const { handlerName, data, callbackId } of JSON.parse(decodeURIComponent(text || '[]'))) {
                const responseData = app.asked(handlerName, data);
                if (!callbackId) continue;
                later(app, 'text => WebViewJavascriptBridge._handleMessageFromNative(text)',
                    JSON.stringify({ responseId: callbackId, responseData }));
            }
            return url.startsWith('yy:');
        },
    },
};
