// Plays an app with an Android web view: Chromium, driven by its protocol over a pipe.
//
//   node android-host.mjs '[{"url": "http://127.0.0.1:8080/android.html", "has": ["Android"]}, …]'
//
// opens each page in a tab of its own, where the app has what `has` names, and prints one line of JSON, with
// {"url", "calls": [[name, input], …], "transcript": [line, …]} for each: what the app was asked, and what the page wrote.
// A page says `console.debug('over')` when it is through; one that does not within ten seconds has "isLate". A page with
// "stays" is closed with the browser, and that when the input ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from './web-view-scripts.mjs';

const mostForPage = 10_000;
const mostForAll = 240_000;
const userAgent = 'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.230803.041; wv) AppleWebKit/537.36 '
    + '(KHTML, like Gecko) Version/4.0 Chrome/127.0.6533.103 Mobile Safari/537.36 ShopApp/3.2';

const profile = mkdtempSync(join(tmpdir(), 'android-host-'));
const browser = spawn('chromium', [
    '--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
    '--no-first-run', '--no-proxy-server', '--process-per-site', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--user-data-dir=' + profile, '--user-agent=' + userAgent, 'about:blank',
], { detached: true, env: { ...process.env, HOME: profile }, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

function end(code) {
    // It leads its process group, and has nothing to keep.
    try { process.kill(-browser.pid, 'SIGKILL'); } catch { /* It has ended. */ }
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.exit(code);
}
function fail(message) {
    console.error('android-host:', message);
    end(1);
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(1));
process.on('uncaughtException', error => fail(error.stack));
process.on('unhandledRejection', error => fail(error.stack));
browser.on('error', error => fail(error.message));
browser.on('exit', () => fail('Chromium has ended'));
setTimeout(() => fail(`it took more than ${mostForAll / 1000} s`), mostForAll);

// Messages of the protocol end with a zero byte.
const [,,, commands, events] = browser.stdio;
const waiting = new Map();
let hear = () => {};
let lastId = 0;
let rest = Buffer.alloc(0);
events.on('data', bytes => {
    rest = Buffer.concat([rest, bytes]);
    for (let at; (at = rest.indexOf(0)) >= 0;) {
        const message = JSON.parse(rest.subarray(0, at).toString());
        rest = rest.subarray(at + 1);
        const answer = waiting.get(message.id);
        if (!answer) hear(message);
        else if (message.error) answer.reject(new Error(`${answer.method}: ${message.error.message}`));
        else answer.resolve(message.result);
        waiting.delete(message.id);
    }
});
function send(method, params = {}, sessionId = undefined) {
    const id = ++lastId;
    commands.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
}

/// Opens one page, whose app has `has`.
async function open({ url, has, stays }) {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const tell = (method, params) => send(method, params, sessionId);
    const calls = [];
    const evaluate = async (expression) => {
        // The document may have gone.
        const { result = {} } = await tell('Runtime.evaluate', { expression, returnByValue: true }).catch(() => ({}));
        return result.value;
    };
    const app = {
        evaluate,
        asked(name, input) {
            calls.push([name, input === undefined ? null : input]);
            return name + ' from app';
        },
    };
    const bridges = has.map(name => {
        if (!kinds[name]) throw new Error('an app has no ' + name);
        return kinds[name];
    });

    let isOver;
    const over = new Promise(done => { isOver = done; });
    hear = ({ method, params, sessionId: from }) => {
        if (from !== sessionId) return;
        if (method === 'Page.javascriptDialogOpening') {
            let answer;
            if (params.message.startsWith('app:')) {
                const [kind, ...input] = JSON.parse(params.message.slice(4));
                answer = JSON.stringify({ value: kinds[kind].answers(app, ...input) });
            }
            tell('Page.handleJavaScriptDialog', { accept: answer !== undefined, promptText: answer });
        } else if (method === 'Runtime.bindingCalled' && params.name === '__app') {
            const [kind, ...input] = JSON.parse(params.payload);
            kinds[kind].hears(app, ...input);
        } else if (method === 'Page.frameRequestedNavigation') {
            for (const { opens } of bridges) if (opens && opens(app, params.url)) break;
        } else if (method === 'Runtime.consoleAPICalled') {
            if (params.args.length === 1 && params.args[0].value === 'over') isOver(true);
        } else if (method === 'Fetch.requestPaused') {
            const { takes } = bridges.find(({ fetches }) => fetches);
            const data = params.request.method === 'OPTIONS' ? '' : takes(app, params.request);
            tell('Fetch.fulfillRequest', {
                requestId: params.requestId, responseCode: 200, body: btoa(JSON.stringify({ code: 200, data })),
                responseHeaders: ['Origin', 'Headers', 'Methods'].map(name => (
                    { name: 'Access-Control-Allow-' + name, value: '*' })),
            });
        } else if (method === 'Page.loadEventFired') {
            for (const { loaded } of bridges) if (loaded) loaded(app);
        }
    };

    const patterns = bridges.flatMap(({ fetches = [] }) => fetches.map(urlPattern => ({ urlPattern })));
    await Promise.all([
        patterns.length ? tell('Fetch.enable', { patterns }) : undefined,
        tell('Page.enable'), tell('Runtime.enable'), tell('Runtime.addBinding', { name: '__app' }),
        tell('Page.addScriptToEvaluateOnNewDocument', {
            source: bridges.map(({ puts }) => (puts ? `(${puts})();` : '')).join('\n') + '\ndelete window.__app;',
        }),
    ]);
    tell('Page.navigate', { url }).catch(() => {});
    const inTime = await Promise.race([over, new Promise(done => setTimeout(done, mostForPage, false))]);
    const transcript = JSON.parse(await evaluate('document.documentElement.dataset.transcript') || '[]');
    hear = () => {};
    if (!stays) await send('Target.closeTarget', { targetId });
    return { url, calls, transcript, ...inTime ? {} : { isLate: true } };
}

const found = [];
for (const page of JSON.parse(process.argv[2])) found.push(await open(page));
process.stdout.write(JSON.stringify(found) + '\n');
await new Promise(done => process.stdin.resume().on('end', done));
browser.removeAllListeners('exit');
end(0);
