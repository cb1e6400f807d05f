// Drawbridge: pages that this worker answers have their native side.
(() => {
    let isTakingOver = false;
    const { respondWith } = FetchEvent.prototype;
    FetchEvent.prototype.respondWith = function (answer) {
        const { request } = this;
        if (new URL(request.url).pathname.startsWith('/__drawbridge__/')) return respondWith.call(this, fetch(request));
        const isPage = request.mode === 'navigate' || ['document', 'iframe', 'frame'].includes(request.destination);
        return respondWith.call(this, isPage ? Promise.resolve(answer).then(found => withNative(found, request)) : answer);
    };

    // Looks at the beginning, since the rest may come later.
    async function hasNative(reader) {
        const decoder = new TextDecoder();
        let text = '';
        while (text.length < 65536 && !text.includes('/__drawbridge__/page.js')) {
            const { done, value } = await reader.read();
            if (done) break;
            text += decoder.decode(value, { stream: true });
        }
        reader.cancel();
        return text.includes('/__drawbridge__/page.js');
    }

    // From a cache that was filled without the gateway.
    async function withNative(answer, request) {
        const type = answer instanceof Response && answer.headers.get('Content-Type');
        if (!type || !type.includes('text/html') || request.method !== 'GET') return answer;
        // What the worker has made itself is its own.
        if (!answer.url || !answer.body || await hasNative(answer.clone().body.getReader())) return answer;
        try {
            const fresh = await fetch(request.url, { cache: 'no-cache', credentials: 'same-origin' });
            return fresh.ok && !fresh.redirected ? fresh : answer;
        } catch (error) {
            return answer;
        }
    }

    // A worker from before, which has not these lines, goes at once.
    const isKnown = async () => (await indexedDB.databases()).some(({ name }) => name === 'drawbridge-worker');
    async function install() {
        try {
            isTakingOver = Boolean(registration.active) && !await isKnown();
            const request = indexedDB.open('drawbridge-worker');
            request.onsuccess = () => request.result.close();
            if (isTakingOver) await skipWaiting();
        } catch (error) {
            // Without a place to remember it, the page's own worker comes as it would alone.
        }
    }
    addEventListener('install', event => event.waitUntil(install()));
    addEventListener('activate', event => event.waitUntil((async () => {
        if (!isTakingOver) return;
        for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url);
    })()));
})();
