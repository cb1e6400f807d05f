// What wvjb5.html and wvjb6.html ask of their bridge before it is there.
var order = [];
// The page's own elements do not exist yet, and must when the callback runs.
var hadBridge = 'WebViewJavascriptBridge' in window;
var early = [];
setupWebViewJavascriptBridge(function (bridge) {
    order.push(1, document.getElementById('log') !== null);
    bridge.callHandler('echo', { n: 1 }, function (answer) { early.push(answer); });
});
setupWebViewJavascriptBridge(function () {
    order.push(2);
    throw new Error('on purpose');
});
