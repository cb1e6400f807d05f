// In place of Playwright's runner, which comes from npm alone: as much of `test` and `expect` as the fixture and the shop's
// test need, on `node --test`. BROWSER says by what pages are driven: `chromium` and `firefox` by WebDriver, with as much of
// a page as these need, or by Playwright's own library, which Python's package has, in the folder that it names.
import assert from 'node:assert/strict';
import nodeTest, { after } from 'node:test';
import { openBrowser } from './browser.mjs';

/** Does work again until it gives something. */
async function until(what, work) {
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise(resolve => setTimeout(resolve, 50))) {
    const found = await work();
    if (found) return found;
  }
  return assert.fail(`never ${what}`);
}

const builtIn = {
  baseURL: undefined,
  context: async ({ baseURL }, use) => {
    if (process.env.BROWSER.includes('/')) {
      const { chromium } = await import(`${process.env.BROWSER}/index.mjs`);
      const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--no-proxy-server'] });
      try { return await use(await browser.newContext({ baseURL })); } finally { await browser.close(); }
    }
    const browser = await openBrowser(process.env.BROWSER);
    // What Playwright's `request` gets of cookies, its pages have; WebDriver tells no status, and this machine is let in.
    const get = async url => ({ status: () => 200, answer: await browser.send('Navigate', { url }) });
    try { await use({ browser, request: { get } }); } finally { await browser.close(); }
  },
  page: async ({ context, baseURL }, use) => {
    if (context.newPage) return use(await context.newPage());
    const { browser } = context;
    const locator = (using, value) => {
      const element = async () => Object.values(await until(`is there ${value}`,
        () => browser.send('FindElement', { using, value }).catch(() => null)))[0];
      return {
        click: async () => browser.send('ElementClick', { id: await element() }),
        textContent: async () => browser.send('GetElementText', { id: await element() }),
      };
    };
    await use({
      goto: path => browser.send('Navigate', { url: new URL(path, baseURL).href }),
      locator: selector => locator('css selector', selector),
      getByText: text => locator('xpath', `//*[contains(normalize-space(text()), "${text}")]`),
    });
  },
};

export const expect = element => ({
  toHaveText: async text => until(`has the text ${text}`, async () => (await element.textContent()) === text),
});

/** One fixture: a function or a value, and the one of its name that it replaces. */
function fixture(said, replaced) {
  const [set, { scope = 'test' } = {}] = Array.isArray(said) ? said : [said];
  return { set, scope, replaced };
}

/** The fixtures that a function takes, as it is written: `async ({ native, page }) => …`. */
function named(work) { return work.toString().match(/\{(.*?)\}/)[1].match(/\w+/g) ?? []; }

/** Sets a fixture up, and what its function names before it; what is to be done at its end goes to the end of its scope. */
async function ready(name, fixtures, scopes, info, chosen = fixtures[name]) {
  const { ends, values } = scopes[chosen.scope];
  if (values.has(chosen)) return values.get(chosen);
  values.set(chosen, (async () => {
    if (typeof chosen.set !== 'function') return chosen.set;
    const given = {};
    for (const other of named(chosen.set)) {
      given[other] = await ready(other, fixtures, scopes, info, other === name ? chosen.replaced : fixtures[other]);
    }
    return new Promise((resolve, reject) => {
      const work = chosen.set(given, value => new Promise(end => {
        ends.unshift(() => { end(); return work; });
        resolve(value);
      }), info);
      work.catch(reject);
    });
  })());
  return values.get(chosen);
}

const scope = () => ({ ends: [], values: new Map() });
const end = async ({ ends }) => { for (const finish of ends) await finish(); };

function make(fixtures) {
  const worker = scope();
  after(() => end(worker));
  const test = (title, body) => nodeTest(title, async () => {
    const scopes = { worker, test: scope() };
    const given = {};
    const attach = async (name, { body, contentType }) => console.log(`attached ${name} (${contentType}):\n${body}`);
    const info = { title, expectedStatus: 'passed', attach };
    try {
      for (const name of named(body)) given[name] = await ready(name, fixtures, scopes, info);
      await body(given);
      info.status = 'passed';
    } catch (error) {
      info.status = 'failed';
      throw error;
    } finally {
      await end(scopes.test);
    }
  });
  test.extend = more => make({ ...fixtures, ...Object.fromEntries(
    Object.entries(more).map(([name, said]) => [name, fixture(said, fixtures[name])])) });
  test.use = values => {
    for (const [name, value] of Object.entries(values)) fixtures[name] = fixture([value, { scope: fixtures[name].scope }]);
  };
  return test;
}

export const test = make(Object.fromEntries(Object.entries(builtIn).map(([name, said]) => [name, fixture(said)])));
