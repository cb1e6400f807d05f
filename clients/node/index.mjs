import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Verbs } from './verbs.mjs';

/** The program in this package. */
export const program = fileURLToPath(new URL('release/drawbridge', import.meta.url));

/** Those that were started here: what no failure has told of them is told where the tests end badly. */
const gateways = [];
process.on('exit', code => { if (code) for (const gateway of gateways) gateway.tell(); });

/** What a failing test shows: so many lines, of so many characters; and the signs that would turn or move others. */
const [mostLines, mostWidth] = [30, 200];
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** How many seconds a gateway may be silent: its API lets nobody wait for more than 600. */
const patience = 630;

/**
 * Starts a gateway on a free port of this machine, which ends with this process.
 *
 * The arguments are those of the command: `start(['my-page', '--scenario', 'offline'])`.
 */
export async function start(args = [], options = {}) {
  const token = randomBytes(24).toString('base64url');
  // In a process group of its own, so that Ctrl-C ends the tests first, which may still ask it something.
  const child = spawn(
    options.program ?? program,
    ['--host', '127.0.0.1', '--port', '0', ...[args].flat(), '--log-format', 'json', '--token-stdin'],
    { cwd: options.cwd, stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  const log = [];
  // The first twenty complaints: what is wrong with the start comes first.
  const warnings = new Set();
  const ended = new Promise(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('close', (code, signal) => resolve(`ended ${signal ? `by ${signal}` : `with code ${code}`}`));
  });
  const why = async () => [`drawbridge ${await ended}`, ...log.flatMap(complaint)].join('\n  ');
  // Whoever writes to a process that has ended is told so by its end.
  child.stdin.on('error', () => {});
  // The pipe stays open for as long as this process lives: its end ends the gateway.
  child.stdin.write(`${token}\n`);
  const listens = new Promise(resolve => {
    createInterface(child.stderr).on('line', line => {
      log.push(line);
      if (log.length > 100) log.shift();
      if (warnings.size < 20) for (const text of complaint(line)) warnings.add(text);
      const { message, page } = parsed(line);
      if (message === 'listening') resolve(new URL(page).origin);
    });
  });
  const address = await Promise.race([listens, ended.then(() => null)]);
  if (!address) throw new Error(await why());
  // A process that has nothing else to do may end.
  for (const handle of [child, child.stdin, child.stderr]) handle.unref();
  const gateway = new Gateway(address, token, { child, ended, log, warnings, why });
  gateways.push(gateway);
  return gateway;
}

/** A gateway that runs already: `DRAWBRIDGE_URL` and `DRAWBRIDGE_TOKEN` say where, and the token that it was started with. */
export function connect(address = process.env.DRAWBRIDGE_URL, token = process.env.DRAWBRIDGE_TOKEN) {
  if (!address || !token) throw new Error('set DRAWBRIDGE_URL and DRAWBRIDGE_TOKEN to the address of the gateway and its token');
  return new Gateway(address.replace(/\/$/, ''), token);
}

/** A gateway, in which each test has a session of its own. */
export class Gateway {
  #token;
  #process;
  #isStopped = false;
  #told = 0;
  /** Whether a fixture tells what it warned of, so that no error does. */
  isWatched = false;

  constructor(address, token, process) {
    this.address = address;
    this.#token = token;
    this.#process = process;
  }

  /** The last lines of its log, as JSON; none where it was not started here. */
  get log() { return this.#process?.log ?? []; }

  /** What it has warned of since this was asked last, a text each; nothing where it was not started here. */
  warned() {
    const texts = [...this.#process?.warnings ?? []].slice(this.#told).map(text => `drawbridge: ${text}`);
    this.#told += texts.length;
    return texts;
  }

  /** Says what it has warned of. */
  tell() { for (const text of this.warned()) console.error(text); }

  /** A session for a test: what it sets and counts concerns no other test. */
  session(test = '') {
    const title = typeof test === 'string' ? test : test.name;
    const native = new Native(this.address, title, (path, request, seconds) => this.#fetch(path, request, seconds));
    // A test of `node:test` says when it is over, and whether it has failed.
    test.after?.(async () => {
      if (test.passed !== false) return;
      for (const line of [...await native.told(), ...this.warned()]) test.diagnostic(line);
    });
    return native;
  }

  /** Stops it, if it was started here, and waits until it has ended; fails where that is not in good order. */
  async stop() {
    const { child, ended, why } = this.#process ?? {};
    if (!child) return;
    if (this.#isStopped) return void await ended;
    this.#isStopped = true;
    child.ref();
    child.stdin.end();
    // It gives requests three seconds to end.
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
    // With --unanswered fail it may say now what had no answer; it may have ended before, too.
    if (child.exitCode === 0) return;
    // The reason has all of them.
    this.warned();
    throw new Error(await why());
  }

  /** Asks it, and gives its answer. */
  async #fetch(path, request, seconds = patience) {
    const headers = { ...request.headers, Authorization: `Bearer ${this.#token}` };
    const ask = () => send(`${this.address}/__drawbridge__/${path}`, { ...request, headers, seconds });
    const repeats = mayRepeat(request.method, path);
    const { status, body } = await ask().catch(error => {
      if (!isBroken(error) || !repeats) throw error;
      return { status: 503, delay: '0', isBroken: true };
    }).then(async first => {
      if (first.status !== 503 || !/^\d+$/.test(first.delay) || !repeats) return first;
      await pause(Math.min(first.delay, 5) * 1000);
      const answer = await ask();
      // It was taken back before the connection broke.
      return first.isBroken && request.method === 'DELETE' && answer.status === 404 ? { status: 200, body: '{"data": null}' } : answer;
    }).catch(async error => {
      const end = this.#process && await Promise.race([this.#process.why(), pause(1000)]);
      throw new Error(end ?? `no gateway answers at ${this.address}: ${error.code ?? error.message}`);
    });
    const isRight = status === 200;
    const answer = parsed(body);
    const warned = isRight || this.isWatched ? [] : this.warned();
    if ('message' in answer || isRight && Object.keys(answer).length) return { isRight, ...answer, warned };
    const beginning = body.trim().replace(/\s+/g, ' ').slice(0, 200);
    throw new Error(`${this.address} answered ${status}, and not as a gateway does: ${beginning || 'with an empty body'}`);
  }
}

/** What a test says to native, in a session of its own. */
export class Native extends Verbs {
  #fetch;

  constructor(address, title, fetch) {
    super();
    /** The address of the gateway. */
    this.address = address;
    this.#fetch = fetch;
    const words = title.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
    this.session = `${words}-${randomBytes(6).toString('hex')}`;
    /** What a request sends to be in the session. */
    this.headers = { 'X-Drawbridge-Session': this.session };
  }

  /** The address by which a browser comes into the session, and goes on to a path. */
  page(to = '/') { return `${this.address}/__drawbridge__/session/${this.session}?to=${encodeURIComponent(to)}`; }

  /**
   * The cookies with which a browser on another machine than the gateway's may load pages; none where this test is on that
   * machine. With Playwright: `context.addCookies(await native.admit())`.
   */
  async admit() {
    const [path, ticket] = (await this.link()).split('#');
    const { headers } = this;
    const { status, cookies } = await send(this.address + path, { method: 'POST', headers, body: ticket, seconds: 60 });
    if (status !== 204) throw new Error(`${this.address} let no browser in: it answered ${status}`);
    return cookies.map(cookie => {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(cookie);
      return { name, value, url: this.address, httpOnly: true, secure: /; Secure/.test(cookie), sameSite: 'Lax' };
    });
  }

  /**
   * What has happened in the session, as a failing test shows it: a text each, the newest last.
   *
   * They are the last 30 calls, errors of pages, and what pages looked for in vain. One that nobody answers has a `!`
   * before it. Secrets are left out.
   */
  async told() {
    const query = { kind: ['call', 'push', 'page', 'notice'], limit: 10_000 };
    try {
      const all = await this.ask('GET', 'calls', { query, gives: 'calls', seconds: 10 });
      const records = all.filter(({ kind, name }) => kind !== 'page' || ['error', 'rejection'].includes(name));
      const before = records.slice(0, -mostLines);
      const missed = [...new Set(before.filter(isWrong).map(record => record.name))].join(', ');
      const lines = records.slice(-mostLines).map(line);
      if (before.length) {
        lines.unshift(shown(`  and ${before.length} before them${missed && `, of which nobody answered ${missed}`}`));
      }
      return lines.length ? lines : ['Nothing was called.'];
    } catch (error) {
      return [`The calls are unknown: ${error.message}`];
    }
  }

  /** Asks the tester's API something that no verb asks. */
  async ask(method, path, { query = {}, body, gives, seconds } = {}) {
    const said = Object.entries(query).filter(([, value]) => value !== undefined);
    const request = { method, headers: { ...this.headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    try {
      const { isRight, code, data, message, warned } = await this.#fetch(`${path}?${new URLSearchParams(said)}`, request, seconds);
      // The code is the page's where a page has failed.
      if (!isRight) throw Object.assign(new Error([message + nearMiss(data), ...warned].join('\n  ')), { code });
      return gives ? data[gives] : data;
    } catch (error) {
      // The first line of code that is shown is the test's.
      error.stack = error.stack.split('\n').filter(line => !line.includes(import.meta.url)).join('\n');
      throw error;
    }
  }
}

/** What was wanted, and below it the call that comes next to it. */
function nearMiss(data) {
  if (!data?.call) return '';
  return `\n  wanted ${JSON.stringify(data.wanted)}\n  call ${data.call.number} ${JSON.stringify(data.call.input)}`;
}

function isWrong({ by, kind, given }) { return by === 'nobody' || kind === 'page' || given === false; }

function line(record) {
  const { kind, by, name, number, state, input, output } = record;
  const start = `${isWrong(record) ? '!' : ' '} ${number} `;
  if (kind === 'notice') return shown(`${start}${output}`);
  if (kind === 'page') return shown(`${start}${name}: ${input?.message ?? input}`);
  const who = { reply: `mock ${record.reply}`, handler: record.handler }[by] ?? by;
  const end = by === 'nobody' ? 'nobody answers' : state === 'waiting' ? 'waits'
    : [who, state, JSON.stringify(output)].filter(Boolean).join(' ');
  const sent = input === null || input === undefined ? '' : ` ${JSON.stringify(input)}`;
  const room = Math.max(40, mostWidth - 30 - name.length - end.length);
  return shown(`${start}${kind === 'push' ? 'native calls ' : ''}${name}${shown(sent, room)} -> ${end}`);
}

/** A page may say anything: a line has no signs that turn or move others, and an end. */
function shown(text, most = mostWidth) {
  const plain = text.replace(unseen, '?');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

/** Whether a connection broke: its gateway, or the server in front of it, went away. */
function isBroken({ code }) { return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code); }

/** What may be asked again when nobody knows whether it was done: done twice, it is as done once. */
function mayRepeat(method, path) {
  return ['GET', 'PUT', 'DELETE'].includes(method) || ['calls/verify', 'reset'].includes(path.split('?')[0]);
}

/** Sends a request, and gives the answer, whatever it is. `fetch` would give up after five minutes. */
function send(url, { method, headers, body = '', seconds }) {
  return new Promise((resolve, reject) => {
    const options = {
      method, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      // A connection of its own: one that was kept may be closed just as it is used.
      agent: false, timeout: seconds * 1000,
    };
    const request = (url.startsWith('https:') ? https : http).request(url, options, answer => {
      const { statusCode: status, headers: { 'set-cookie': cookies = [], 'retry-after': delay } } = answer;
      text(answer).then(body => resolve({ status, body, cookies, delay }), reject);
    });
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${seconds} seconds`)));
    request.on('error', reject);
    request.end(body);
  });
}

/** A JSON object; anything else is an empty one. */
function parsed(line) {
  try {
    const value = JSON.parse(line);
    return value instanceof Object ? value : {};
  } catch {
    return {};
  }
}

/** A line of the log as people read it, if something is wrong; an error in the arguments is not JSON. */
function complaint(line) {
  const { level, message } = parsed(line);
  return ['info', 'notice', 'debug'].includes(level) ? [] : [message ?? line];
}

function pause(milliseconds) { return new Promise(resolve => setTimeout(resolve, milliseconds)); }
