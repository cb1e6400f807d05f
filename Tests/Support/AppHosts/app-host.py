#!/usr/bin/env python3
"""Plays an app with Apple's web view: WebKitGTK with real message handlers, user scripts and delegates.

    app-host.py '[{"url": "http://127.0.0.1:8080/handlers.html", "has": ["pay", "token=reply"]}, …]'

opens each page in a web view of its own, where the app has what `has` names, and prints one line of JSON, with
{"url", "calls": [[name, input], …], "transcript": [line, …]} for each: what the app was asked, and what the page wrote. A
page says by the title "over" that it is through; one that does not within ten seconds has "isLate". A page with "stays" is
closed when the input ends. It needs a display, and Debian's python3-gi and gir1.2-webkit2-4.1.

What is in `has` and in none of BRIDGES is a message handler: `name`, or `name=reply` for one that replies. "as=Firefox"
and "as=Chrome" play these browsers for iOS, which have handlers of their own names.
"""

import json
import re
import sys
from urllib.parse import parse_qsl, urlsplit

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

MOST_FOR_PAGE = 10_000
MOST_FOR_ALL = 240
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
USER_AGENTS = {
    "app": PHONE + "Mobile/15E148 ShopApp/3.2",
    "Firefox": PHONE + "FxiOS/127.0 Mobile/15E148 Safari/605.1.15",
    "Chrome": PHONE + "CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1",
}


def script(work, *values):
    """A function of JavaScript, called with values of JSON."""
    return f"({work})({', '.join(json.dumps(value) for value in values)})"


class App:
    """One page in its web view."""

    def __init__(self, page, over):
        self.url, self.calls, self.over, self.is_over = page["url"], [], over, False
        self.stays = page.get("stays")
        self.manager = WebKit2.UserContentManager()
        self.bridges = []
        browser = "app"
        for name in page["has"]:
            if name.startswith("as="):
                browser = name[3:]
            elif name in BRIDGES:
                self.bridges.append(BRIDGES[name](self))
            else:
                self.handler(*name.split("="))
        self.view = WebKit2.WebView(user_content_manager=self.manager, web_context=WebKit2.WebContext.new_ephemeral())
        self.view.get_settings().set_user_agent(USER_AGENTS[browser])
        self.view.connect("decide-policy", self.decide)
        self.view.connect("script-dialog", self.dialog)
        self.view.connect("load-changed", self.load_changed)
        self.view.connect("notify::title", lambda *_: self.view.get_title() == "over" and self.end())
        self.window = Gtk.Window(default_width=400, default_height=800)
        self.window.add(self.view)
        self.window.show_all()
        self.timer = GLib.timeout_add(MOST_FOR_PAGE, self.end, True)
        self.view.load_uri(self.url)

    def end(self, is_late=False):
        if self.is_over:
            return
        self.is_over = True
        if not is_late:
            GLib.source_remove(self.timer)

        def found(view, result):
            try:
                text = view.evaluate_javascript_finish(result).to_string()
            except GLib.Error:
                text = "[]"
            if not self.stays:
                self.window.destroy()
            self.over({"url": self.url, "calls": self.calls, "transcript": json.loads(text), **({"isLate": True} if is_late else {})})

        self.view.evaluate_javascript("document.documentElement.dataset.transcript || '[]'", -1, None, None, None, found)

    # What bridges use.

    def asked(self, name, value=None):
        """Notes a call, and gives the app's answer."""
        self.calls.append([name, value])
        return name + " from app"

    def run(self, work, *values, then=None):
        """Runs a function in the page; `then` gets what it gives, which is text."""

        def found(view, result):
            try:
                value = view.evaluate_javascript_finish(result)
            except GLib.Error as error:
                return self.is_over or print("app-host:", error.message, file=sys.stderr)
            if then:
                then(value.to_string())

        self.view.evaluate_javascript(script(work, *values), -1, None, None, None, found)

    def user_script(self, work):
        self.manager.add_script(WebKit2.UserScript.new(
            script(work), WebKit2.UserContentInjectedFrames.TOP_FRAME, WebKit2.UserScriptInjectionTime.START, None, None))

    def message_handler(self, name, heard):
        """A handler of this name; `heard` gets what is posted."""
        self.manager.connect("script-message-received::" + name, lambda _, result: heard(body(result.get_js_value())))
        self.manager.register_script_message_handler(name)

    def handler(self, name, how=None):
        """One that the page calls by its name."""
        if how != "reply":
            return self.message_handler(name, lambda value: self.asked(name, value))

        def heard(_, value, reply):
            said = self.asked(name, body(value))
            if body(value) == "fail":
                reply.return_error_message(said)
            else:
                reply.return_value(value.new_string(value.get_context(), said))
            return True

        self.manager.connect("script-message-with-reply-received::" + name, heard)
        self.manager.register_script_message_handler_with_reply(name, None)

    # What the app's delegates are told.

    def decide(self, view, decision, kind):
        if kind != WebKit2.PolicyDecisionType.NAVIGATION_ACTION:
            return False
        url = decision.get_navigation_action().get_request().get_uri()
        if not any(bridge.opens(url) for bridge in self.bridges):
            return False
        decision.ignore()
        return True

    def dialog(self, view, dialog):
        if dialog.get_dialog_type() != WebKit2.ScriptDialogType.PROMPT:
            return False
        for bridge in self.bridges:
            said = bridge.prompted(dialog.get_message(), dialog.prompt_get_default_text())
            if said is not None:
                dialog.prompt_set_text(said)
                break
        return True

    def load_changed(self, view, event):
        if event == WebKit2.LoadEvent.FINISHED:
            for bridge in self.bridges:
                bridge.loaded()


def body(value):
    text = value.to_json(0)
    return None if text is None else json.loads(text)


class Bridge:
    def __init__(self, app):
        self.app = app

    def opens(self, url):
        """True where the URL was for the app."""
        return False

    def prompted(self, text, value):
        """The answer, where the prompt was for the app."""
        return None

    def loaded(self):
        pass


class WebViewJavascriptBridge(Bridge):
    """The half of it that an app evaluates in the page, and native's, which takes what the page has queued."""

    HALF = """(signal, isOld) => {
        if (window.WebViewJavascriptBridge) return;
        const frame = document.createElement('iframe');
        frame.style.display = 'none';
        const [handlers, callbacks] = [{}, {}];
        let queue = [], count = 0, first;
        function send(message, callback) {
            if (callback) callbacks[message.callbackId = 'cb_' + ++count] = callback;
            queue.push(message);
            frame.src = signal;
        }
        window.WebViewJavascriptBridge = {
            registerHandler(name, handler) { handlers[name] = handler; },
            callHandler(handlerName, data, callback) {
                if (arguments.length === 2 && typeof data === 'function') [data, callback] = [null, data];
                send({ handlerName, data }, callback);
            },
            _fetchQueue() {
                const text = JSON.stringify(queue);
                queue = [];
                return text;
            },
            _handleMessageFromObjC(text) {
                const { responseId, responseData, callbackId, handlerName, data } = JSON.parse(text);
                if (responseId) {
                    callbacks[responseId](responseData);
                    delete callbacks[responseId];
                } else {
                    handlers[handlerName](data, responseData => send({ responseId: callbackId, responseData }));
                }
            },
        };
        if (isOld) {
            WebViewJavascriptBridge.init = handler => { first = handler; };
            WebViewJavascriptBridge.send = (data, callback) => send({ data }, callback);
        }
        document.documentElement.appendChild(frame);
        setTimeout(() => {
            for (const callback of window.WVJBCallbacks || []) callback(WebViewJavascriptBridge);
            delete window.WVJBCallbacks;
        });
        if (isOld) document.dispatchEvent(Object.assign(new Event('WebViewJavascriptBridgeReady'), { bridge: WebViewJavascriptBridge }));
    }"""
    scheme, comes_with_load = "https", False

    def opens(self, url):
        parts = urlsplit(url)
        if parts.scheme != self.scheme or parts.netloc.lower() not in ("__bridge_loaded__", "__wvjb_queue_message__"):
            return False
        if parts.netloc.lower() == "__bridge_loaded__":
            self.put()
        else:
            self.app.run("() => WebViewJavascriptBridge._fetchQueue()", then=self.take)
        return True

    def put(self):
        self.app.run(self.HALF, self.scheme + "://__wvjb_queue_message__", self.comes_with_load)

    def loaded(self):
        if self.comes_with_load:
            self.put()

    def tell(self, message):
        self.app.run("text => WebViewJavascriptBridge._handleMessageFromObjC(text)", json.dumps(message))

    def take(self, text):
        for message in json.loads(text):
            if "responseId" in message:
                self.app.asked("the page's answer", message["responseData"])
                continue
            name = message.get("handlerName", "")
            said = self.app.asked(name, message.get("data"))
            if name == "ask":
                self.tell({"handlerName": "title", "data": "from app", "callbackId": "objc_1"})
            if "callbackId" in message:
                self.tell({"responseId": message["callbackId"], "responseData": said})


class WebViewJavascriptBridge5(WebViewJavascriptBridge):
    scheme = "wvjbscheme"


class WebViewJavascriptBridge4(WebViewJavascriptBridge5):
    comes_with_load = True


class Flutter(Bridge):
    """flutter_inappwebview's shape: a user script above a message handler, with a promise for each call."""

    def __init__(self, app):
        super().__init__(app)
        app.message_handler("callHandler", self.heard)
        app.user_script("""() => {
            const promises = new Map();
            window.flutter_inappwebview = {
                callHandler(name, ...values) {
                    return new Promise(done => {
                        promises.set(promises.size + 1, done);
                        webkit.messageHandlers.callHandler.postMessage({ id: promises.size, name, text: JSON.stringify(values) });
                    });
                },
                _answer(id, value) { promises.get(id)(value); },
            };
        }""")

    def heard(self, message):
        values = json.loads(message["text"])
        said = self.app.asked(message["name"], values[0] if len(values) == 1 else values)
        self.app.run("(id, said) => flutter_inappwebview._answer(id, said)", message["id"], said)

    def loaded(self):
        self.app.run("() => { dispatchEvent(new Event('flutterInAppWebViewPlatformReady')); }")


class ReactNative(Bridge):
    def __init__(self, app):
        super().__init__(app)
        app.message_handler("ReactNativeWebView", self.heard)
        app.user_script("""() => {
            window.ReactNativeWebView = {
                postMessage(data) { webkit.messageHandlers.ReactNativeWebView.postMessage(String(data)); },
            };
        }""")

    def heard(self, text):
        message = json.loads(text)
        said = json.dumps({"id": message["id"], "data": self.app.asked(message["type"], message)})
        self.app.run("data => { window.dispatchEvent(new MessageEvent('message', { data })); }", said)


class Scheme(Bridge):
    """The app's own scheme, and its queue."""

    def opens(self, url):
        parts = urlsplit(url)
        if parts.scheme != "mizhua":
            return False
        if parts.netloc == "fetch_message":
            self.app.run("() => fetchMessageQueue()", then=self.take)
        else:
            self.app.asked(parts.netloc + parts.path.rstrip("/"), dict(parse_qsl(parts.query)))
        return True

    def take(self, text):
        for message in json.loads(text):
            said = self.app.asked(message["funcName"], message["prama"])
            answer = {"responseId": message["callbackId"], "responseData": said, "callbackId": message["callbackId"]}
            self.app.run("text => handleCallback(text)", json.dumps(answer))


class Cordova(Bridge):
    def __init__(self, app):
        super().__init__(app)
        app.message_handler("cordova", self.heard)

    def heard(self, message):
        callback, service, action, values = message
        said = self.app.asked(service + "/" + action, values)
        self.app.run("(id, said) => cordova.require('cordova/exec').nativeCallback(id, 1, said, false)", callback, said)


class Capacitor(Bridge):
    def __init__(self, app):
        super().__init__(app)
        app.message_handler("bridge", self.heard)
        app.user_script("""() => {
            const promises = new Map();
            window.Capacitor = {
                PluginHeaders: [{ name: 'Shop', methods: [{ name: 'pay', rtype: 'promise' }] }],
                nativePromise(pluginId, methodName, options) {
                    const callbackId = String(promises.size + 1);
                    webkit.messageHandlers.bridge.postMessage({ type: 'message', callbackId, pluginId, methodName, options });
                    return new Promise(done => promises.set(callbackId, done));
                },
                fromNative({ callbackId, data }) { promises.get(callbackId)(data); },
            };
        }""")

    def heard(self, message):
        said = self.app.asked(message["pluginId"] + "/" + message["methodName"], message["options"])
        answer = {"callbackId": message["callbackId"], "success": True, "data": {"said": said}}
        self.app.run("result => Capacitor.fromNative(result)", answer)


class KKJSBridge(Bridge):
    def __init__(self, app):
        super().__init__(app)
        app.message_handler("KKJSBridgeMessage", self.heard)
        app.user_script("""() => {
            const callbacks = {};
            window.KKJSBridge = {
                call(module, method, data, callback) {
                    const callbackId = 'kk_' + (Object.keys(callbacks).length + 1);
                    callbacks[callbackId] = callback;
                    webkit.messageHandlers.KKJSBridgeMessage.postMessage({ module, method, data, callbackId });
                },
                syncCall: (module, method, data) => JSON.parse(prompt('KKJSBridge', JSON.stringify({ module, method, data }))),
                _handleMessageFromNative(text) {
                    const { callbackId, data } = JSON.parse(text);
                    callbacks[callbackId](data);
                },
            };
            document.addEventListener('DOMContentLoaded', () => document.dispatchEvent(new Event('KKJSBridgeReady')));
        }""")

    def heard(self, message):
        said = self.app.asked(message["module"] + "/" + message["method"], message["data"])
        answer = {"messageType": "callback", "callbackId": message["callbackId"], "data": said}
        self.app.run("text => KKJSBridge._handleMessageFromNative(text)", json.dumps(answer))

    def prompted(self, text, value):
        if text != "KKJSBridge":
            return None
        message = json.loads(value)
        return json.dumps(self.app.asked(message["module"] + "/" + message["method"], message["data"]))


class Lision(WebViewJavascriptBridge):
    """WKWebViewJavascriptBridge: the same by message handlers, which say what URLs say there."""

    HALF = (WebViewJavascriptBridge.HALF.replace("frame.src = signal;", "webkit.messageHandlers[signal].postMessage(null);")
            .replace("WVJBCallbacks", "WKWVJBCallbacks").replace("WebViewJavascriptBridge", "WKWebViewJavascriptBridge"))

    def __init__(self, app):
        super().__init__(app)
        app.message_handler("iOS_Native_InjectJavascript", lambda _: app.run(self.HALF, "iOS_Native_FlushMessageQueue", False))
        app.message_handler("iOS_Native_FlushMessageQueue",
                            lambda _: app.run("() => WKWebViewJavascriptBridge._fetchQueue()", then=self.take))

    def opens(self, url):
        return False

    def tell(self, message):
        self.app.run("text => WKWebViewJavascriptBridge._handleMessageFromObjC(text)", json.dumps(message))


class DSBridge(Bridge):
    def __init__(self, app):
        super().__init__(app)
        app.user_script("() => { window._dswk = true; }")

    def prompted(self, text, value):
        if not text.startswith("_dsbridge="):
            return None
        message = json.loads(value)
        said = self.app.asked(re.sub(r"\.([^.]*)$", r"/\1", text[len("_dsbridge="):]), message.get("data"))
        stub = message.get("_dscbstub")
        if stub is None:
            return json.dumps({"code": 0, "data": said})
        self.app.run("(stub, said) => { const heard = window[stub]; delete window[stub]; heard(said); }", stub, said)
        return json.dumps({"code": 0})


BRIDGES = {
    "wvjb6": WebViewJavascriptBridge, "wvjb5": WebViewJavascriptBridge5, "wvjb4": WebViewJavascriptBridge4,
    "flutter": Flutter, "reactnative": ReactNative, "mizhua": Scheme, "cordova": Cordova, "capacitor": Capacitor,
    "kkjsbridge": KKJSBridge, "wkwebviewjavascriptbridge": Lision, "dsbridge": DSBridge,
}


def main():
    pages, found = json.loads(sys.argv[1]), []

    def next_page(of_last=None):
        if of_last:
            found.append(of_last)
        if len(found) == len(pages):
            print(json.dumps(found), flush=True)
            GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, Gtk.main_quit)
            return
        App(pages[len(found)], next_page)

    def late():
        print(f"app-host: it took more than {MOST_FOR_ALL} s", file=sys.stderr)
        sys.exit(1)

    GLib.timeout_add_seconds(MOST_FOR_ALL, late)
    for number in (1, 2, 15):
        GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, sys.exit, 1)
    next_page()
    Gtk.main()


main()
