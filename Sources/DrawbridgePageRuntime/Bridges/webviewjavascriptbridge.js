// WebViewJavascriptBridge for pages that use it and never ask for it: there once the page has loaded, as the apps of 4.x and
// of Android's JsBridge put it into every page. Pages that ask have it without this.
drawbridge.bridge(() => {
    const how = { isUnasked: true };
    window.addEventListener('load', () => document.addEventListener('WebViewJavascriptBridgeReady', () => {}, how));
});
