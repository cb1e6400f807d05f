// What wvjb5.html and wvjb6.html ask of their bridge once there is a body, and the cases of it all.
var bridged = new Promise(function (done) {
    setupWebViewJavascriptBridge(function (bridge) {
        order.push(3);
        bridge.callHandler('echo', { n: 2 }, function (answer) { early.push(answer); });
        done(bridge);
    });
});

function setUpCases() {
    test('there was none before the page asked', async () => equal(hadBridge, false));
    test('set up three times, in order, after the page is there', async () => {
        await bridged;
        equal(order, [1, true, 2, 3]);
        equal('WVJBCallbacks' in window, false);
    });
    test('set up once more, at once', async () => {
        let bridge;
        setupWebViewJavascriptBridge(found => { bridge = found; });
        equal(bridge === await bridged, true);
    });
    test('calls of the set-up', async () => {
        while (early.length < 2) await wait(10);
        equal(early, [{ n: 1 }, { n: 2 }]);
    });
    test('an ordinary property', async () => {
        const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(window, 'WebViewJavascriptBridge');
        equal([writable, enumerable, configurable], [true, true, true]);
    });
}
