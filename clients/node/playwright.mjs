import { test as base } from '@playwright/test';
import { connect, start } from './index.mjs';

export { expect } from '@playwright/test';

/** Playwright's test, with `native`: a session for each test, in which its pages are too. */
export const test = base.extend({
  drawbridge: [[], { option: true, scope: 'worker' }],
  gateway: [async ({ drawbridge }, use) => {
    const gateway = process.env.DRAWBRIDGE_URL ? connect() : await start(drawbridge);
    gateway.isWatched = true;
    try { await use(gateway); } finally { await gateway.stop(); }
  }, { scope: 'worker' }],
  native: async ({ gateway }, use, info) => {
    const native = gateway.session(info.title);
    try { await use(native); } finally {
      if (info.status !== info.expectedStatus) {
        const body = (await native.told()).join('\n');
        // Of an attachment the terminal shows a few lines alone.
        console.error(body);
        gateway.tell();
        await info.attach('drawbridge calls', { body, contentType: 'text/plain' });
      }
      await native.reset();
    }
  },
  baseURL: async ({ baseURL, gateway }, use) => use(baseURL ?? gateway.address),
  // A cookie reaches the gateway alone, where a header would reach every other server of the page too.
  context: async ({ context, native }, use) => {
    const enter = () => context.request.get(native.page(), { maxRedirects: 0 });
    // A gateway on another machine lets in whoever has a cookie.
    if ((await enter()).status() === 403) {
      await context.addCookies(await native.admit());
      await enter();
    }
    await use(context);
  },
});
