// Drawbridge: this worker's script is gone, so it goes too, and its pages come from the gateway.
addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil((async () => {
    await registration.unregister();
    for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url);
})()));
