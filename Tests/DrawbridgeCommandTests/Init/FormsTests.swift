import Testing

@testable import DrawbridgeCommand

/// The forms in which pages have been seen to hand names on to native.
@Suite(.timeLimit(.minutes(5))) struct FormsTests {
    /// A page of our own for each form that pages have been seen to have, with the names that are there.
    struct Form: Sendable, CustomTestStringConvertible {
        let what: String
        let files: [(String, String)]
        let names: Set<String>
        /// Those of the names that are known not to be found.
        let missed: Set<String>
        var testDescription: String { what }

        init(
            _ what: String, _ files: [(String, String)], _ names: Set<String>, missed: Set<String> = []
        ) {
            (self.what, self.files, self.names, self.missed) = (what, files, names, missed)
        }
    }

    static let forms = [
        Form(
            "a copied wrapper, and names from a table",
            [
                (
                    "native.js",
                    "window.Native = {call: function (name, data, done) { bridge.callHandler(name, data, done); }, on: listen}"
                ),
                ("names.js", "var API = {user: 'getUser', pay: 'payOrder', share: 'shareTo'}"),
                (
                    "index.html",
                    """
                    <script src="native.js"></script><button onclick="Native.call('scan', {})">Scan</button><script>
                    Native.call(API.user, {}); Native.call(API.pay); Native.call('vibrate');
                    ['open', 'close'].forEach(function (name) { Native.call(name); });
                    Object.keys({ask: 1, tell: 2}).forEach(k => Native.call(k));
                    [{name: 'one'}, {name: 'two'}].forEach(item => Native.call(item.name));
                    for (const name of ['left', 'right']) { Native.call(name) }
                    </script>
                    """
                ),
            ],
            [
                "scan", "getUser", "payOrder", "vibrate", "open", "close", "ask", "tell", "one", "two",
                "left", "right",
            ],
            // A function of another file is not followed.
            missed: [
                "scan", "getUser", "payOrder", "vibrate", "open", "close", "ask", "tell", "one", "two",
                "left",
                "right",
            ]
        ),
        Form(
            "a module's methods, which components call by this.$bridge",
            [
                (
                    "bridge.js",
                    """
                    function setup(callback) { if (window.WebViewJavascriptBridge) { return callback(window.WebViewJavascriptBridge) } }
                    export default {
                      callhandler (name, data, callback) { setup(function (bridge) { bridge.callHandler(name, data, callback) }) },
                      registerhandler (name, callback) { setup(function (bridge) { bridge.registerHandler(name, callback) }) }
                    }
                    """
                ),
                (
                    "main.js",
                    "import Bridge from './bridge.js'\nVue.prototype.$bridge = Bridge\nnew Vue({ render: h => h(App) })"
                ),
                (
                    "App.vue",
                    """
                    <template><p @click="$bridge.callhandler('scan', {}, show)">It's {{ nick }}</p></template>
                    <script>
                    export default { mounted () { this.$bridge.callhandler('getUser', {}, data => { this.nick = data.nick })
                      this.$bridge.registerhandler('onShow', f) } }
                    </script>
                    """
                ),
            ], ["scan", "getUser"], missed: ["scan", "getUser"]
        ),
        Form(
            "a function over a module's method",
            [
                (
                    "Bridge.js",
                    "export default { callhandler(name, data, callback) { window.WebViewJavascriptBridge.callHandler(name, data, callback) } }"
                ),
                (
                    "native.js",
                    "import Bridge from './Bridge'\nexport function toAppmessage(name, data = {}) { return new Promise(done => Bridge.callhandler(name, data, done)) }"
                ),
                (
                    "Home.jsx",
                    "import { toAppmessage } from '../native'\nexport default () => <a onClick={() => toAppmessage('openPage', {id: 1})}>Don't wait</a>"
                ),
                (
                    "Pay.tsx",
                    "import { toAppmessage as tell } from '../native'\nconst pay = async () => { await tell<Order>('pay', {}) }"
                ),
            ], ["openPage", "pay"], missed: ["openPage", "pay"]
        ),
        Form(
            "an object of functions",
            [
                (
                    "a.js",
                    "function send(name, data) { webkit.messageHandlers.JSBridge.postMessage({action: name, data}) }\nwindow.Shop = {call: send}"
                ),
                ("b.js", "Shop.call('pay', {}); window.Shop.call('share')"),
            ], ["pay", "share"], missed: ["pay", "share"]
        ),
        Form(
            "methods of a class",
            [
                (
                    "Native.ts",
                    "export class Native { private post(action: string, data?: object): Promise<any> { return window.webkit!.messageHandlers.JSBridge.postMessage({ action, data }) }\n  pay(order: Order) { return this.post('pay', order) }\n  static share = (data: any) => native.post('share', data) }\nexport const native = new Native()"
                ),
                ("page.ts", "import { native } from './Native'; native.post('close')"),
            ], ["pay", "share", "close"], missed: ["close"]
        ),
        Form(
            "a name that is below messageHandlers",
            [
                (
                    "a.js",
                    "function post(name, data) { window.webkit.messageHandlers[name].postMessage(data) }\npost('camera', {}); post('location', null)\nconst mh = window.webkit.messageHandlers; mh.log.postMessage('a')"
                )
            ],
            ["camera", "location", "log"], missed: ["log"]
        ),
        Form(
            "another name of the bridge",
            [
                (
                    "a.js",
                    "const b = window.WebViewJavascriptBridge; b.callHandler('pay'); const call = b.callHandler; call('share');\nconst { callHandler: ask } = b; ask('login')"
                )
            ],
            ["pay", "share", "login"], missed: ["share", "login"]
        ),
        Form(
            "an object of Android's",
            [("a.js", "var user = window.android.getUser(); Android.pay('{}'); window.android.vibrate(30)")],
            ["android/getUser", "Android/pay", "android/vibrate"],
            missed: ["android/getUser", "android/vibrate"]
        ),
        Form(
            "DSBridge",
            [
                (
                    "a.html",
                    "<script src='dsbridge.js'></script><script>dsBridge.call('getUser', 1, f); function ask(m) { return dsBridge.call(m) } ask('pay'); dsBridge.call('echo.syn', {}); ['asyn', 'never'].map(m => dsBridge.call(m))\ndsBridge.register('onPaid', f)</script>"
                )
            ],
            ["getUser", "pay", "echo/syn", "asyn", "never"], missed: ["asyn", "never"]
        ),
        Form(
            "WeixinJSBridge",
            [
                (
                    "a.js",
                    "function onReady() { WeixinJSBridge.invoke('getBrandWCPayRequest', data, function (res) {}) }\nWeixinJSBridge.invoke('hideOptionMenu')"
                )
            ], ["getBrandWCPayRequest", "hideOptionMenu"]
        ),
        Form(
            "constants of another file, with a number of members",
            [
                (
                    "names.ts",
                    "export const GET_USER = 'getUser';\nexport const Names = { Pay: 'pay', Share: 'share' } as const;\nexport enum Kinds { Close = 'close' }"
                ),
                (
                    "app.ts",
                    "import { GET_USER, Names, Kinds } from './names'; b.callHandler(GET_USER); b.callHandler(Names.Pay); b.callHandler<string>(Kinds.Close)"
                ),
            ],
            ["getUser", "pay", "close"], missed: ["getUser", "pay", "close"]
        ),
        Form(
            "an object that the page builds of command URLs",
            [
                (
                    "app.js",
                    "var SCApp = {};\nSCApp.open = function (command, data) { var f = document.createElement('iframe'); f.src = 'scapp://' + command + '?data=' + encodeURIComponent(JSON.stringify(data)); };\nfunction build(list) { for (var i = 0; i < list.length; i++) { (function (c) { SCApp[c] = function (data) { SCApp.open(c, data); }; })(list[i]); } }"
                ),
                (
                    "index.html",
                    "<script src='app.js'></script><script>SCApp.share({title: 'a'}); SCApp.login(); SCApp.pay({}, f); SCApp.close()</script>"
                ),
            ],
            ["share", "login", "pay", "close"], missed: ["share", "login", "pay", "close"]
        ),
        Form(
            "pages of servers",
            [
                (
                    "a.jsp",
                    "<%@ page contentType=\"text/html\" %>\n<script>bridge.callHandler(\"fromJsp\", {a: \"${user.id}\"})</script>"
                ),
                (
                    "a.php",
                    "<?php if ($a->b > 1) { echo '<b>'; } ?>\n<script>bridge.callHandler('fromPhp', {a: <?= $x ?>})</script>"
                ),
                (
                    "a.svelte",
                    "<script>bridge.callHandler('fromSvelte', {})</script><a on:click={() => bridge.callHandler('click')}>a</a>"
                ), ("a.ejs", "<% if (a) { %><script>bridge.callHandler('fromEjs', {})</script><% } %>"),
                ("a.html", "<a href=\"javascript:bridge.callHandler('fromHref')\">x</a>"),
            ],
            ["fromJsp", "fromPhp", "fromSvelte", "click", "fromEjs", "fromHref"]
        ),
        Form(
            "messages of React Native, and requests with a flag",
            [
                (
                    "a.tsx",
                    "const post = (message: Message) => window.ReactNativeWebView?.postMessage(JSON.stringify(message)); post({ type: 'pay', n: 1 });\naxios.get('/user?_mobile_bridge=1'); axios({url: '/login', params: {_mobile_bridge: 1}}); $.ajax({url: '/logout?_mobile_bridge=1'})"
                )
            ], ["pay", "user", "login", "logout"], missed: ["login"]
        ),
    ]

    @Test(arguments: forms) func initFindsTheNamesInEachFormOfCalls(_ form: Form) {
        let calls = PageCallsTests.calls(form.files)
        let expected = form.names.subtracting(form.missed)
        #expect(calls.names == expected, "\(form.what), unread: \(calls.all(.computed).map(\.name))")
    }

    /// A library's own file calls nothing, however much of its functions it speaks.
    @Test func initFindsNoCallsInABridgesOwnLibrary() {
        let library = """
            (function () {
                var messageHandlers = {}, queue = [], scheme = 'yy', signal = '__QUEUE_MESSAGE__/';
                function registerHandler(handlerName, handler) { messageHandlers[handlerName] = handler; }
                function callHandler(handlerName, data, answer) { send({ handlerName: handlerName, data: data }, answer); }
                function send(message, answer) { queue.push(message); frame.src = scheme + '://' + signal; }
                function fetchQueue() { frame.src = 'yy://return/fetchQueue/' + encodeURIComponent(JSON.stringify(queue)); }
                function take(message) { var handler = messageHandlers[message.handlerName]; handler(message.data); }
                window.WebViewJavascriptBridge = { registerHandler: registerHandler, callHandler: callHandler, take: take };
                WebViewJavascriptBridge.take('{}');
            })();
            """
        let calls = PageCallsTests.calls([("bridge.js", library), ("a.js", "bridge.callHandler('pay')")])
        #expect(calls.names == ["pay"])
        #expect(calls.all(.handler).isEmpty)
    }

    @Test func initReadsPagesWithoutTheirCommentsAndExamples() {
        let page = """
            <!doctype html><!-- <script>b.callHandler('comment')</script> -->
            <style>a::after { content: "b.callHandler('style')" }</style>
            <p>It's "quoted": <code>b.callHandler('text')</code></p>
            <button onclick="bridge.callHandler('pay')">Pay</button>
            <a href="mizhua://toast?message=a&amp;b=1">Toast</a><a href='javascript:0'>Nothing</a>
            <SCRIPT TYPE="module">
            bridge.callHandler('share')</SCRIPT>
            <script src="a.js"></script>
            """
        let calls = PageCallsTests.calls([("index.html", page)])
        #expect(calls.names == ["pay", "share", "toast"])
        #expect(calls.all(.call).contains { $0.text == "index.html:7, by WebViewJavascriptBridge" })
        #expect(calls.all(.call).contains { $0.text == "index.html:4, by WebViewJavascriptBridge" })
        #expect(calls.all(.scheme).map(\.name) == ["mizhua"])
    }

    @Test func initReadsComponentsAndJSX() {
        let component = """
            <template><button @click="$bridge.callHandler('pay')">It's</button><a @click.prevent="$bridge.callHandler('close')"/></template>
            <script setup lang="ts">const a = <T,>(x: T) => x; $bridge.callHandler('share')</script>
            """
        let jsx =
            "export default () => <p onClick={() => b.callHandler('login')}>Don't {b.callHandler('toast')}</p>"
        let calls = PageCallsTests.calls([("A.vue", component), ("b.tsx", jsx)])
        #expect(calls.names == ["pay", "close", "share", "login", "toast"])
    }
}
