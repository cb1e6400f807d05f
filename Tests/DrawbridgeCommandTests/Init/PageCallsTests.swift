import Drawbridge
import Glibc
import Testing

@testable import DrawbridgeCommand

/// What is read out of pages and scripts, and what is not.
@Suite(.timeLimit(.minutes(5))) struct PageCallsTests {
    static func calls(_ files: [(String, String)]) -> PageCalls {
        var calls = PageCalls()
        for (path, text) in files { calls.read(Script(Array(text.utf8), path: path)) }
        return calls
    }

    private static func calls(_ script: String) -> PageCalls { calls([("a.js", script)]) }

    /// Each name with its bridge; what is guessed has a question mark.
    private static func found(_ calls: PageCalls) -> Set<String> {
        Set(
            calls.all(.call).map { "\($0.name)\($0.form.isGuess ? "?" : "") by \($0.form.by)" })
    }

    @Test(arguments: [
        ("bridge.callHandler('pay', {price: 1}, done)", "pay by WebViewJavascriptBridge"),
        ("WebViewJavascriptBridge.callHandler(\"user/get\")", "user/get by WebViewJavascriptBridge"),
        ("bridge?.callHandler(`pay`)", "pay by WebViewJavascriptBridge"),
        ("`${b.callHandler('pay')}`", "pay by WebViewJavascriptBridge"),
        ("a = 'image/*'; u = 'http://a'; s = '//b'; b.callHandler('pay')", "pay by WebViewJavascriptBridge"),
        ("html = '<a onclick=\"b.callHandler(\\'pay\\')\">'", "pay by WebViewJavascriptBridge"),
        ("const PAY = 'pay'; bridge.callHandler(PAY)", "pay by WebViewJavascriptBridge"),
        ("const Names = {pay: 'payNow'}; b.callHandler(Names.pay)", "payNow by WebViewJavascriptBridge"),
        (
            "window.webkit.messageHandlers.JSBridge.postMessage({action: 'getUser', data: {}, callbackId: ''})",
            "getUser by messageHandlers.JSBridge"
        ),
        ("webkit.messageHandlers.location.postMessage(null)", "location by messageHandlers.location"),
        ("webkit.messageHandlers['camera'].postMessage({})", "camera by messageHandlers.camera"),
        ("fetch('/login?_mobile_bridge=1')", "login by a flagged request"),
        ("fetch('/user/get?a=1&_mobile_bridge=1#x')", "user/get by a flagged request"),
        ("x.open('GET', base + '/login?_mobile_bridge=1&user=' + user)", "login by a flagged request"),
        ("fetch(`https://app.example/login?_mobile_bridge=1&t=${now}`)", "login by a flagged request"),
        ("fetch(`${base}/login?_mobile_bridge=1`)", "login by a flagged request"),
        ("x.open('POST', 'http://__jsbridge__/login', false)", "login by http://__jsbridge__"),
        ("x.open('POST', '/__jsbridge__/user/get')", "user/get by http://__jsbridge__"),
        ("f.src = 'https://__jsbridge__?action=share&data=' + d", "share by http://__jsbridge__"),
        (
            "x.open('POST', 'http://__jsbridge__', false); x.send(JSON.stringify({action: 'login', data: d}))",
            "login by http://__jsbridge__"
        ),
        ("callOC({funcName: 'getUser', prama: {}}, done)", "getUser by the pull queue"),
        ("location.href = 'mizhua://toast?message=Hello'", "toast by a URL, which expects no answer"),
        ("f.src = 'app://host?action=home&tab=0'", "home by a URL, which expects no answer"),
        ("go('shop://cart')", "cart? by a URL, which expects no answer"),
        ("var d = callNative('deviceInfo')", "deviceInfo by callNative()"),
        ("window.callNative('deviceInfo', {})", "deviceInfo by callNative()"),
        ("fetchMessages({after: 0})", "fetchMessages? by fetchMessages()"),
        // A function of the page's own between.
        (
            "function ask(name, data) { bridge.callHandler(name, data) } ask('pay')",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "const ask = (data, name = 'x') => bridge.callHandler(name, data); ask({}, 'pay')",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "const ask = async name => { await b.callHandler(name) }; ask('pay')",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "const ask = name => function () { b.callHandler(name) }; ask('pay')",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "const ask = name => b.callHandler(name)\nconst name = 'no'; ask('pay')",
            "pay by WebViewJavascriptBridge"
        ),
        ("var api = { ask(name) { b.callHandler(name) } }; api.ask('pay')", "pay by WebViewJavascriptBridge"),
        (
            "class A { ask(name: string): void { b.callHandler(name) } go() { this.ask('pay') } }",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "function a(n) { b.callHandler(n) } function c(m) { a(m) } c('pay')",
            "pay by WebViewJavascriptBridge"
        ),
        (
            "function call(path) { return fetch(path + '?_mobile_bridge=1') } call('/pay')",
            "pay by a flagged request"
        ),
        (
            "function call(p) { return fetch(p + (q ? '&' : '?') + '_mobile_bridge=1') } call('/pay')",
            "pay by a flagged request"
        ),
        (
            "function go(name) { f.src = `mizhua://${encodeURIComponent(name)}` } go('close')",
            "close by a URL, which expects no answer"
        ),
    ])
    func aCallsNameIsFound(_ script: String, _ expected: String) {
        #expect(Self.found(Self.calls(script)) == [expected], "\(script)")
        #expect(Self.calls(script).all(.computed).isEmpty)
    }

    /// Each with the name that its call has here, and the bridge that a file of settings names.
    @Test(arguments: [
        ("flutter_inappwebview.callHandler('pay', 1)", "pay by flutter_inappwebview", "flutter"),
        (
            "if (window.flutter_inappwebview) window.flutter_inappwebview?.callHandler('pay')",
            "pay by flutter_inappwebview", "flutter"
        ),
        (
            "var callHandler = window.flutter_inappwebview.callHandler; callHandler('pay')",
            "pay by WebViewJavascriptBridge", "flutter"
        ),
        ("dsBridge.call('user.pay', {}, f)", "user/pay by dsBridge", "dsbridge"),
        ("import dsBridge from 'dsbridge'; dsBridge.call('pay')", "pay by dsBridge", "dsbridge"),
        (
            "_dsbridge.call('_dsb.dsinit', '{}'); _dsbridge.call('a.b.pay', '{}')", "a.b/pay by _dsbridge",
            "dsbridge"
        ),
        ("KKJSBridge.call('App', 'pay', {}, f)", "App/pay by KKJSBridge", "kkjsbridge"),
        ("kerkee.invoke('Shop', 'pay', {})", "Shop/pay by kerkee", "kerkee"),
        ("window.__TAURI_INTERNALS__.invoke('pay')", "pay by __TAURI_INTERNALS__", "tauri"),
        ("import { invoke } from '@tauri-apps/api/core'; invoke('pay', {})", "pay by __TAURI__", "tauri"),
        ("window.__TAURI__.core.invoke('pay')", "pay by __TAURI__", "tauri"),
        ("const { invoke } = window.__TAURI__.core; invoke('pay')", "pay by __TAURI__", "tauri"),
        ("KKJSBridge.syncCall('', 'pay')", "pay by KKJSBridge", "kkjsbridge"),
        ("Capacitor.nativePromise('App', 'pay', {})", "App/pay by Capacitor", "capacitor"),
        ("cordova.exec(ok, failed, 'App', 'pay', [1])", "App/pay by cordova", "cordova"),
        (
            "function go(action) { cordova.exec(ok, failed, 'App', action, []) } go('pay')",
            "App/pay by cordova", "cordova"
        ),
        ("WeixinJSBridge.invoke('pay', {}, f)", "pay by WeixinJSBridge", "object"),
        ("AlipayJSBridge.call('pay', {}, f)", "pay by AlipayJSBridge", "object"),
        (
            "ReactNativeWebView.postMessage(JSON.stringify({type: 'pay', n: 1}))",
            "pay by ReactNativeWebView",
            "reactnative"
        ),
        (
            "window.ReactNativeWebView && window.ReactNativeWebView.postMessage('closed')",
            "message by ReactNativeWebView", "reactnative"
        ),
        (
            "webkit.messageHandlers.iOS_Native_InjectJavascript.postMessage(null); WKWebViewJavascriptBridge.callHandler('pay')",
            "pay by WKWebViewJavascriptBridge", "wkwebviewjavascriptbridge"
        ),
        ("Android.pay('{}')", "Android/pay by Android", "android"),
        ("declare const Android: any; Android.pay('{}')", "Android/pay by Android", "android"),
    ])
    func aCallByAThirdPartyBridgeIsFound(_ script: String, _ expected: String, _ bridge: String) {
        let calls = Self.calls(script)
        #expect(Self.found(calls) == [expected], "\(script)")
        #expect(
            Set(calls.all(.bridge).compactMap { BridgeHint.named($0.name)?.bridge }) == [bridge], "\(script)")
        #expect(
            calls.all(.computed).isEmpty && calls.all(.handler).isEmpty,
            "\(script)")
    }

    @Test(arguments: [
        "if (window.ReactNativeWebView) { isApp = true }", "typeof Android !== 'undefined'",
        "window.flutter_inappwebview = { callHandler() {} }; flutter_inappwebview.callHandler('pay')",
        "const Android = { pay() {} }; Android.pay()", "videojs.registerPlugin('pay', f)",
        "Capacitor.isNativePlatform()",
        "import { Capacitor } from '@capacitor/core'; Capacitor.getPlatform()",
        "my.Android.pay()", "WeixinJSBridge.log('a')", "var text = 'flutter_inappwebview.callHandler(1)'",
    ])
    func testingForOrDefiningABridgeIsNotACall(_ script: String) {
        let calls = Self.calls(script)
        #expect(calls.all(.bridge).isEmpty && calls.names.isEmpty, "\(script)")
    }

    /// Whoever brings the library for pages still needs the app's half.
    @Test(arguments: [
        (
            "var cordova = { exec: function () { webkit.messageHandlers.cordova.postMessage(x) } }; cordova.exec(a, b, 'App', n)",
            "cordova"
        ),
        (
            "var dsBridge = { call(m, x) { return prompt('_dsbridge=' + m, x) } }; dsBridge.call(n)",
            "dsbridge"
        ),
        (
            "window.KKJSBridge = {}; webkit.messageHandlers.KKJSBridgeMessage.postMessage(m); KKJSBridge.call('', n)",
            "kkjsbridge"
        ),
        ("var CUSTOM = 'yy', HAS = '__QUEUE_MESSAGE__/'; f.src = CUSTOM + '://' + HAS", "jsbridge-android"),
        ("f.src = 'yy://__QUEUE_MESSAGE__/'", "jsbridge-android"),
    ])
    func aBridgeWhoseLibraryThePageBringsIsFound(_ script: String, _ bridge: String) {
        let calls = Self.calls(script)
        #expect(calls.all(.bridge).compactMap { BridgeHint.named($0.name)?.bridge } == [bridge], "\(script)")
        #expect(calls.names.isEmpty && calls.all(.scheme).isEmpty && calls.all(.handler).isEmpty, "\(script)")
    }

    @Test func twoBridgesOfOneKindGetDifferentNames() {
        let calls = Self.calls(
            "AlipayJSBridge.call('a'); WeixinJSBridge.invoke('b'); KKJSBridge.call('', 'c')")
        let text = FirstFile(calls, answered: []).text
        for line in [
            #"    "kkjsbridge",  // a.js:1, KKJSBridge"#,
            #"    {"name": "object", "options": {"object": "AlipayJSBridge""#,
            #"    {"name": "object", "options": {"as": "WeixinJSBridge", "object": "WeixinJSBridge""#,
        ] {
            #expect(text.contains(line), "\(text)")
        }
    }

    /// A set has another order in each process, and a place is told once.
    @Test func theWrittenFileIsTheSameEachTime() {
        let calls = Self.calls(
            "b.callHandler('pay'); b.callHandler('pay')\nWeixinJSBridge.invoke('pay')\nb.callHandler('pay')")
        #expect(calls.all(.call).map(\.text) == ["a.js:1, by WebViewJavascriptBridge"])
    }

    @Test(arguments: [
        "// bridge.callHandler('pay')\n/* callHandler('pay') */ var a = \"callHandler('pay')\"",
        "var s = `callHandler('pay')`",
        "function callHandler(name, data) {}",
        "fetch('/login?_mobile_bridge=10'); fetch('/login?x_mobile_bridge=1'); fetch('/api/login')",
        "location.href = 'weixin://dl'; location.href = 'tel:1'; f.src = 'https://a.example/'; open('alipays://x')",
        "var url = 'shop://cart'", "Math.max(1, 2); JSON.parse('1'); Swiper.init()", "new MyApp(); Foo.bar()",
        "class MyApp { static getUser() {} } MyApp.getUser()",
        "import { MyApp } from './app'; MyApp.getUser()",
        "function callNative(name) {} callNative('pay')", "import callNative from 'x'; callNative('pay')",
        "webkit.messageHandlers.JSBridge.postMessage({action: 'handleH5Response', data: d})",
        "webkit.messageHandlers.JSBridge.postMessage",
        "(webkit.messageHandlers.JSBridge.postMessage)",
    ])
    func scriptsWithoutCallsGiveNoNames(_ script: String) {
        #expect(Self.found(Self.calls(script)).isEmpty, "\(script)")
        #expect(Self.calls(script).all(.computed).isEmpty)
    }

    @Test(arguments: [
        ("bridge.callHandler(name)", "bridge.callHandler(name)"),
        ("bridge.callHandler('a' + name)", "bridge.callHandler('a' + name)"),
        ("list.forEach(function (n) { bridge.callHandler(n) })", "bridge.callHandler(n) })"),
        ("function say(n) { log(n) } say('no'); bridge.callHandler(n)", "bridge.callHandler(n)"),
        ("const say = n => log(n); say('no'); bridge.callHandler(n)", "bridge.callHandler(n)"),
        ("function ask(name) { b.callHandler(name) } ask(a[0])", "ask(a[0])"),
        ("function ask(name) { b.callHandler(name) } ask(x ? 'a' : 'b')", "ask(x ? 'a' : 'b')"),
        ("function ask(name) { b.callHandler(name) }", "b.callHandler(name) }"),
        ("fetch('/' + name + '?_mobile_bridge=1')", "'?_mobile_bridge=1')"),
        ("axios.get(url, {params: {_mobile_bridge: 1}})", "_mobile_bridge: 1}})"),
        ("b.callHandler('two words')", "b.callHandler('two words')"),
        ("b.callHandler('$word')", "b.callHandler('$word')"),
        ("webkit.messageHandlers[n].postMessage({})", "webkit.messageHandlers[n].postMessage({})"),
        (
            "webkit.messageHandlers.JSBridge.postMessage(message)",
            "webkit.messageHandlers.JSBridge.postMessage(message)"
        ),
    ])
    func namesThatAreComputedAtRunTimeAreListed(_ script: String, _ shown: String) {
        let calls = Self.calls(script)
        #expect(calls.all(.computed).map(\.name) == [shown], "\(script)")
        #expect(calls.names.isEmpty)
    }

    /// Rare forms, which only a run tells: the log names these calls.
    @Test(arguments: [
        "Capacitor.Plugins.App.pay({})", "const { App } = Capacitor.Plugins; App.pay()",
        "const mh = window.webkit.messageHandlers; mh.log.postMessage('a')",
        "const post = webkit.messageHandlers.JSBridge.postMessage; post({action: 'pay'})",
        "const b = window.dsBridge; b.call('pay')", "f.src = 'mizhua:' + '//pay'",
        "Object.keys({ask: 1}).forEach(n => b.callHandler(n))", "MyApp.pay({})",
        "if (window.Shop) { Shop.open({}) }",
        "import { Camera } from '@capacitor/camera'; Camera.getPhoto({})",
        "bridge.callHandler.call(this, 'pay', {})", "['pay'].forEach(n => b.callHandler(n))",
    ])
    func rareFormsOfCallsAreNotRead(_ script: String) {
        #expect(Self.found(Self.calls(script)).isEmpty, "\(script)")
    }

    @Test func optionsThatPagesNeedAreFound() {
        let calls = Self.calls(
            """
            const place = await window.webkit.messageHandlers.location.postMessage({});
            webkit.messageHandlers.log.postMessage('a');
            frame.src = 'mizhua://fetch_message'; load('shop://a'); location = 'app://host?action=home';
            bridge.registerHandler('onPaid', function () {});
            """)
        #expect(calls.all(.handler).map(\.name) == ["location", "location=reply", "log"])
        #expect(
            calls.all(.scheme).map { "\($0.name) \($0.form.isGuess)" } == [
                "app false", "mizhua false", "shop true",
            ])
        #expect(calls.all(.event).map(\.name) == ["onPaid"])
    }

    @Test func functionsAreNotFollowedIntoOtherFiles() {
        let library =
            "!function () { function n(t) { bridge.callHandler(t) } n('real'); t.call = n; t.exec = function (e) { n(e) } }()"
        let calls = Self.calls([("lib.js", library), ("a.js", "n('a'); x.n('b'); x.call('c'); x.exec('d')")])
        #expect(calls.names == ["real"], "\(calls)")
    }

    @Test(
        arguments: [
            ("function hear(e, f) { b.registerHandler(e, f) } hear('onShow', f)", [], ["onShow"], []),
            ("function hear(e, f) { dsBridge.register(e, f) } hear('onShow', f)", [], ["onShow"], []),
            ("b.registerHandler(name, f)", [], [], ["b.registerHandler(name, f)"]),
            ("dsbridge.register('onPaid', f)", [], ["onPaid"], []),
            ("KKJSBridge.call(null, 'pay', {}, f)", ["pay"], [], []),
            (
                "function send(u, f) { u += '?_mobile_bridge=1'; fetch(u).then(f) } send('/order/pay')",
                ["order/pay"], [], []
            ),
            ("function go(n) { location.href = 'shop://order/' + n } go('pay')", ["order/pay"], [], []),
            ("(window.webkit.messageHandlers as any).cast.postMessage({})", ["cast"], [], []),
            ("b.callHandler<{ ok: boolean }>('shape', {})", ["shape"], [], []),
        ] as [(String, Set<String>, [String], [String])])
    func callsInOtherFormsAreFound(
        _ script: String, _ names: Set<String>, _ events: [String], _ computed: [String]
    ) {
        let calls = Self.calls(script)
        #expect(calls.names == names && calls.all(.event).map(\.name) == events, "\(calls)")
        #expect(calls.all(.computed).map(\.name) == computed)
    }

    /// None of these may take longer than its length says, nor deeper: the square of one would be hours.
    @Test(arguments: [
        "f(", "`${", "\"a\"+", "x=>", "x=>f(y,", "= /[", "function f(a){", "messageHandlers.", "\\'", "a?.[",
        "<", "<!--",
        "<script>", "<a href=", "<a onclick='", "function a(n){a(n)}", "callHandler(", "MyApp[", "funcName:",
        "x.", "x as ",
        "{a,", "a=b;b=a;", "m=messageHandlers;m.x;", "import {A} from '@capacitor/x';A.b();",
        "e=callHandler;e(n);",
        "function w(name){callHandler(name)}w(name);", "n='a';callHandler(n);", "X[n]=X[n]();",
        "['a'].map(n=>n(", "bb=MyApp;", "bb=MyApp;bb.x();", "MyApp.bb=MyApp;",
    ])
    func anyTextIsReadInReasonableTime(_ part: String) {
        let length = getenv("DRAWBRIDGE_ALL") == nil ? 40_000 : 150_000
        let text = String(repeating: part, count: length / part.utf8.count)
        _ = Self.calls([(part.hasPrefix("<") ? "a.html" : "a.js", text), ("b.js", "callHandler(a) '" + text)])
    }
}

extension PageCalls {
    var names: Set<String> { Set(all(.call).map(\.name)) }
}
