// Rexxar: requests to a host of the app's own, answered by the body alone, and widgets by URLs of frames, whose answer is a
// script for the page to run. A request to `rexxar-container/api/order` is `api/order`, a widget `toast` is `widget/toast`.
drawbridge.bridge(native => {
    native.sends(url => {
        const [, path, query] = /^https?:\/\/rexxar-container\/([^?#]*)\??([^#]*)/i.exec(url) || [];
        if (!path) return undefined;
        // A web view takes the bodies of requests away, so pages send GET and say by an item what they mean.
        const items = query.split('&').filter(item => item && !item.startsWith('_rexxar_method='));
        return path + (items.length ? '?' + items.join('&') : '');
    });
    native.opens(url => {
        const [, name, data] = /^[a-z][\w+.-]*:\/\/rexxar-container\/(widget\/[^?#]*)\?data=([^&#]*)/i.exec(url) || [];
        return name && (() => native.call(name, native.parsed(decodeURIComponent(data)), (error, script) => {
            if (error) console.warn('rexxar:', name + ':', error.message);
            else if (typeof script === 'string') native.attempt(() => (0, eval)(script));
        }));
    });
});
