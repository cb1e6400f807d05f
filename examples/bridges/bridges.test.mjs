// Tries each bridge of this folder in a browser, by its page and its list of exchanges: node --test, in this folder
// BROWSER=firefox takes another browser than Chromium; PATIENCE is how many seconds to wait for each exchange.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start } from 'drawbridge-gateway';

const folder = fileURLToPath(new URL('.', import.meta.url));
const patience = Number(process.env.PATIENCE ?? 10) * 1000;
const kinds = {
  pageCalls: 'the page calls', pageHears: 'the page hears', nativeCalls: 'native calls', nativeTells: 'native tells',
};
// What may come with each, apart from `hears`.
const beside = { pageCalls: ['with', 'answer'], pageHears: [], nativeCalls: ['with', 'answer', 'bridge'], nativeTells: ['with'] };
const scripts = readdirSync(folder).filter(file => file.endsWith('.js') && file !== 'heard.js');

for (const script of scripts) test(script.slice(0, -3), t => tryBridge(t, t.name));

async function tryBridge(t, name) {
  // A line of the list may be a comment.
  const said = JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8').replace(/^\s*\/\/.*$/gm, ''));
  assertKnown(said, ['exchanges', 'options', 'userAgent']);
  assert.ok(said.exchanges.length);
  const agent = said.userAgent ? ['--user-agent', said.userAgent] : [];
  const gateway = await start([folder, '--bridge', `${folder}${name}.js=${JSON.stringify(said.options ?? {})}`, ...agent]);
  const native = gateway.session(name);
  const close = [() => gateway.stop()];
  try {
    for (const [call, reply] of replies(said.exchanges)) await native.reply(call, reply);
    close.unshift(openBrowser(native.page(`/${name}.html`)));
    const trial = new Trial(native);
    await trial.open();
    for (const exchange of said.exchanges) {
      const [kind, call] = kindOf(exchange);
      await t.test(`${kinds[kind]} ${call}`, () => trial.play(kind, call, exchange));
    }
    assert.deepEqual(await trial.others(), [], 'what is not in the list');
    assert.deepEqual(await faults(name, gateway, native), []);
  } finally {
    for (const work of close) await work();
  }
}

/** Opens a page in a headless browser with a profile of its own; gives what closes it. */
function openBrowser(url) {
  const home = mkdtempSync(`${tmpdir()}/bridge-`);
  mkdirSync(`${home}/profile`);
  const browser = process.env.BROWSER ?? 'chromium';
  const words = browser.includes('firefox')
    ? ['--headless', '--no-remote', '--profile', `${home}/profile`]
    : ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--no-proxy-server', '--no-first-run', `--user-data-dir=${home}/profile`];
  // In a process group of its own, so that all of it can be ended.
  const child = spawn(browser, [...words, url], { stdio: 'ignore', detached: true, env: { ...process.env, TMPDIR: home } });
  const ended = once(child, 'exit');
  ended.catch(() => {});
  return async () => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
}

/** What an exchange is, and of which name. */
function kindOf(exchange) {
  const said = Object.keys(kinds).filter(kind => kind in exchange);
  assert.equal(said.length, 1, JSON.stringify(exchange));
  const [kind] = said;
  assertKnown(exchange, [kind, 'hears', ...beside[kind]]);
  return [kind, exchange[kind]];
}

function assertKnown(object, keys) {
  assert.deepEqual(Object.keys(object).filter(key => !keys.includes(key)), [], 'unknown keys');
}

/** What native answers to each name: one after the other where it is called several times. */
function replies(exchanges) {
  const answers = new Map([['heard', [null]]]);
  for (const { pageCalls: name, answer = { $missing: true } } of exchanges) {
    if (name !== undefined) answers.set(name, [...answers.get(name) ?? [], answer]);
  }
  return [...answers].map(([name, each]) => [name, each.length === 1 ? each[0] : { $sequence: each }]);
}

/** The page's exchanges with native so far. */
class Trial {
  // Counts, by name, of the calls and of the heard values that were in the list.
  #called = new Map();
  #heard = new Map();
  #patience = patience;

  constructor(native) { this.native = native; }

  /** Waits for the page, three times as long as for an exchange: the browser starts. */
  async open() {
    this.#patience = patience * 3;
    const said = await this.#until(() => this.#records('heard'), 1);
    assert.ok(said.length, 'the browser has not opened the page, or it has no heard.js');
    this.#patience = patience;
  }

  /** Does native's part of an exchange, and compares the page's with the list. */
  async play(kind, name, exchange) {
    const { hears = [] } = exchange;
    const first = this.#heard.get(name) ?? 0;
    const last = add(this.#heard, name, hears.length);
    if (kind === 'pageCalls') {
      const count = add(this.#called, name, 1);
      const calls = await this.#until(() => this.#calls(name), count);
      if (calls.length < count) assert.fail(`only these were called: ${(await this.#calls()).map(call => call.name)}`);
      const { input } = calls[count - 1];
      if ('with' in exchange) assert.deepEqual(input, exchange.with, 'what the page sent');
    } else if (kind === 'nativeCalls') {
      const answer = await this.#answer({ name, data: exchange.with, by: exchange.bridge });
      if ('answer' in exchange) assert.deepEqual(answer, wanted(exchange.answer, answer), 'what the page answered');
    } else if (kind === 'nativeTells') {
      await this.#reachPage();
      await this.native.emit(name, exchange.with);
    }
    const values = await this.#until(() => this.#values(name), last);
    assert.deepEqual(values.slice(first, last), hears, 'what the page heard');
  }

  /** What the page has called and heard that is not in the list; it has a moment for it. */
  async others() {
    await pause(300);
    const isBeyond = counts => ({ name }) => add(counts, name, -1) < 0;
    return [...(await this.#calls()).filter(isBeyond(this.#called)), ...(await this.#allHeard()).filter(isBeyond(this.#heard))];
  }

  async #calls(name) { return (await this.#records(name)).filter(call => call.name !== 'heard'); }

  async #allHeard() { return (await this.#records('heard')).map(call => call.input).filter(said => 'name' in said); }

  async #values(name) { return (await this.#allHeard()).filter(said => said.name === name).map(said => said.value); }

  /** Calls, whole: one that has just begun may have no input yet. */
  async #records(name) {
    const calls = await this.native.ask('GET', 'calls', { query: { name, kind: 'call', secrets: 1 }, gives: 'calls' });
    return calls.filter(call => call.state !== 'waiting' || (call.input ?? null) !== null);
  }

  /** What the page answers; an error as `$error` has it. */
  async #answer(call) {
    await this.#reachPage();
    try {
      return await this.native.ask('POST', 'pages/latest/call', { body: { ...call, seconds: patience / 1000 } }) ?? null;
    } catch ({ code, message }) {
      return { $error: { code, message } };
    }
  }

  /** Waits for a page that has told native of a bridge by which it is called. */
  async #reachPage() {
    const query = { session: this.native.session };
    const find = async () => (await this.native.ask('GET', 'pages', { query })).filter(page => page.bridges.length);
    const pages = await this.#until(find, 1);
    assert.ok(pages.length, 'no bridge of the page says by native.listens(), or by a call, that native can call it');
  }

  /** What is found, as soon as there is so much of it. Once something has not come, little patience is left. */
  async #until(find, count) {
    const end = performance.now() + this.#patience;
    for (;;) {
      const found = await find();
      if (found.length >= count) return found;
      if (performance.now() > end) {
        this.#patience = Math.min(1000, patience);
        return found;
      }
      await pause(20);
    }
  }
}

function add(counts, name, number) {
  counts.set(name, (counts.get(name) ?? 0) + number);
  return counts.get(name);
}

/** The answer that is wanted; of an error only what the list says is compared. */
function wanted(answer, found) {
  return answer?.$error && found?.$error ? { $error: { ...found.$error, ...answer.$error } } : answer;
}

/** What went wrong in the bridge's script or in the page, with file and line. */
async function faults(name, gateway, native) {
  const thrown = (await native.calls({ kind: 'page' })).filter(call => ['error', 'rejection'].includes(call.name));
  return [...gateway.warned().filter(line => line.includes(`${name}.js:`)), ...thrown.map(call => call.input)];
}
