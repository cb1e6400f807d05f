// A fixture for tests of pages and their native side. Copy this file beside your tests, which begin so:
//
//     import { test } from './native.mjs';
//     test('pays once', async ({ native, page }) => { … });
//
// Start the gateway with a token of your own, say the same token to the tests, and run them:
//
//     export DRAWBRIDGE_TOKEN=$(openssl rand -hex 16)
//     drawbridge --root examples/shop &
//     node --test            # with nothing but Node, and without a page
//     npx playwright test    # where @playwright/test is installed; page and context are in the test's session
//                            # (as its documentation has it; not run in Drawbridge's own tests)
//
// DRAWBRIDGE_URL says where the gateway is, if it is not at http://127.0.0.1:8080.

const address = (process.env.DRAWBRIDGE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');

/** What a test says to native, in a session of its own: what it sets and counts concerns no other test. */
export class Native {
  address = address;

  constructor(title) {
    const words = title.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
    this.session = `${words}-${Math.random().toString(36).slice(2, 12)}`;
    /** What a request sends to be in the session of this test. */
    this.headers = { 'X-Drawbridge-Session': this.session };
  }

  /** The address by which a browser comes into the session, and goes on to a path. */
  page(to = '/') { return `${address}/__drawbridge__/session/${this.session}?to=${encodeURIComponent(to)}`; }

  /** Answers a name so, before the gateway's file does. A reply is what it is in the file. */
  reply(name, reply) { return this.#ask('PUT', 'replies', { name }, reply); }

  /** Switches a scenario on, or off. */
  scenario(name, on = true) { return this.#ask('PUT', 'scenario', {}, { scenario: name, on }); }

  /** Plays an event on the newest page, and waits until its steps are done. */
  event(name) { return this.#ask('POST', `events/${encodeURIComponent(name)}`); }

  /** The calls so far; a query sorts out, such as { name: 'pay', state: 'error' }. */
  async calls(query = {}) { return (await this.#ask('GET', 'calls', query)).calls; }

  /** Calls a name in place of a page, and gives the record of the call. */
  call(name, input = null) { return this.#ask('POST', 'calls', {}, { name, input }); }

  /** Waits until so many calls of a name have begun, and gives them. */
  async wait(name, { count = 1, seconds = 5 } = {}) {
    return (await this.#ask('GET', 'calls', { name, count, seconds })).calls;
  }

  /**
   * Fails unless a name was called so: { equals | when, count | atLeast | atMost, state, seconds }. Without a name it
   * is about all calls: verify({ order: ['login', 'pay'] }).
   */
  async verify(name, check = {}) {
    const all = typeof name === 'string' ? { name, ...check } : name;
    return (await this.#ask('POST', 'calls/verify', {}, { seconds: 5, ...all })).calls;
  }

  /** The questions that wait. Ask once before the page does: from then on they wait for you, and not for a person. */
  questions() { return this.#ask('GET', 'questions'); }

  /** Answers a question, by one of its choices, or by an object of its fields. */
  answer(number, choice) {
    const fields = typeof choice === 'object';
    return this.#ask('POST', `questions/${number}`, {}, fields ? { fields: choice } : { choice });
  }

  /** Takes back all that the test has changed, and forgets its calls. */
  reset() { return this.#ask('POST', 'reset'); }

  async #ask(method, path, query = {}, body) {
    const token = process.env.DRAWBRIDGE_TOKEN;
    if (!token) throw new Error('DRAWBRIDGE_TOKEN has no token; say the one that the gateway was started with');
    const answer = await reach(`${address}/__drawbridge__/${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...this.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { code, data, message } = await answer.json();
    if (answer.ok && code === 200) return data;
    throw new Error(message + nearMiss(data));
  }
}

// Asks the gateway as soon as it is there.
async function reach(url, request) {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return await fetch(url, request);
    } catch (error) {
      const reason = error.cause?.code ?? error.message;
      if (reason !== 'ECONNREFUSED' || Date.now() > end) {
        throw new Error(`no gateway at ${address}: ${reason}; start it, or name it by DRAWBRIDGE_URL`);
      }
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

// What was wanted, and below it the call that comes next to it.
function nearMiss(data) {
  if (!data?.call) return '';
  return `\n  wanted ${JSON.stringify(data.wanted)}\n  call ${data.call.number} ${JSON.stringify(data.call.input)}`;
}

async function use(title, work) {
  const native = new Native(title);
  // Waits for a gateway that was started a moment ago, before a page or a test asks it.
  await native.reset();
  try { await work(native); } finally { await native.reset(); }
}

// Playwright's test where it is there, unless it is Node that runs this; and else that of Node.
const playwright = process.env.NODE_TEST_CONTEXT ? null : await import('@playwright/test').catch(error => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
  throw error;
});

export const test = playwright
  ? playwright.test.extend({
    native: async ({}, run, info) => use(info.title, run),
    baseURL: async ({ baseURL }, run) => run(baseURL ?? address),
    // The cookie reaches the gateway alone; a header would reach every other server of the page too.
    context: async ({ context, native }, run) => {
      await context.request.get(native.page(), { maxRedirects: 0 });
      await run(context);
    },
  })
  : await import('node:test').then(node => (name, work) => {
    node.test(name, () => use(name, native => work({ native })));
  });
