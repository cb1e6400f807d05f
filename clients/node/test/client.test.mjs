// The client as it is installed: node --test client.test.mjs, where the package is, with SHOP, EXCHANGES and VERBS.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http, { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { connect, Native, start } from 'drawbridge-gateway';
import { running } from './running.mjs';

const shop = process.env.SHOP;
const read = file => JSON.parse(readFileSync(file));

/** Starts a gateway for a test, which may stop it. */
async function started(t, ...words) {
  const gateway = await start(words.length ? words : [shop]);
  t.after(() => gateway.stop());
  return gateway;
}

/** Fails unless there is in `found` all that `wanted` has; lists are as long. */
function assertHas(found, wanted) {
  if (wanted === null || typeof wanted !== 'object') return assert.deepEqual(found, wanted);
  assert.ok(found !== null && typeof found === 'object', `${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  if (Array.isArray(wanted)) assert.equal(found.length, wanted.length, JSON.stringify(found));
  for (const member of Object.keys(wanted)) assertHas(found[member], wanted[member]);
}

test('every exchange of the list is answered as it says', async t => {
  const native = (await started(t)).session(t.name);
  for (const { verb, takes = [], options, gives, fails } of read(process.env.EXCHANGES)) {
    await t.test(`${verb} ${JSON.stringify(takes)}`, async () => {
      const words = options ? [...takes, ...Array(native[verb].length - takes.length).fill(undefined), options] : takes;
      const said = native[verb](...words);
      if (!fails) return gives === undefined ? said : assertHas(await said, gives);
      const error = await said.then(() => assert.fail('it does not fail'), error => error);
      assert.ok(error.code >= 400);
      for (const part of fails) assert.ok(error.message.includes(part), error.message);
      assert.match(error.stack, /client\.test\.mjs/);
      assert.doesNotMatch(error.stack, /drawbridge-gateway/, 'the first line that is shown is that of the test');
    });
  }
});

test('the verbs are those of the table, and each has an exchange', () => {
  const verbs = Object.keys(read(process.env.VERBS));
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(Native).prototype);
  assert.deepEqual(own.filter(name => name !== 'constructor'), verbs);
  assert.deepEqual(verbs.filter(verb => !read(process.env.EXCHANGES).some(said => said.verb === verb)), []);
});

test('a failing test of node:test shows its own calls, and a green one nothing', async t => {
  const file = 'told.spec.mjs';
  writeFileSync(file, `
    import assert from 'node:assert/strict';
    import { after, test } from 'node:test';
    import { start } from 'drawbridge-gateway';
    const gateway = await start([process.env.SHOP]);
    after(() => gateway.stop().catch(() => {}));
    test('green', async t => { await gateway.session(t).call('fine'); });
    test('red', async t => {
      const native = gateway.session(t);
      await native.call('getUser', { token: 'abcdefgh12345678' });
      await native.call('no\u202eSuch', { long: 'x'.repeat(500) });
      assert.fail('why');
    });
    test('red too', async t => {
      const native = gateway.session(t);
      for (let number = 0; number < 33; number += 1) await native.call(number ? 'getUser' : 'early', number);
      assert.fail('why');
    });
    test('gone', async t => {
      const native = gateway.session(t);
      await gateway.stop();
      assert.fail('why');
    });`);
  t.after(() => rmSync(file));
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  const said = spawnSync('node', ['--test', '--test-reporter=tap', file], { env, encoding: 'utf8' }).stdout;
  const [green, red, many, gone] = said.split(/^(?=# Subtest)/m).filter(part => part.startsWith('# Subtest'));
  assert.doesNotMatch(green, /fine/);
  assert.match(red, /^#   \d+ getUser \{"token":"\[removed\]"\} -> mock getUser answered \{/m);
  assert.match(red, /^# ! \d+ no\?Such \{"long":"x+… -> nobody answers$/m);
  assert.match(many, /^#   and 3 before them, of which nobody answered early$/m);
  assert.equal(many.match(/-> mock getUser/g).length, 30);
  assert.doesNotMatch(many, /Such/);
  assert.match(gone, /^# The calls are unknown: drawbridge ended with code 0$/m);
});

test('sessions at the same time do not see each other', async t => {
  const gateway = await started(t);
  await Promise.all(Array.from({ length: 20 }, async (_, number) => {
    const native = gateway.session('the same title');
    await native.reply('pay', { number });
    for (let round = 0; round < 3; round += 1) assert.equal((await native.call('pay', { number })).output.number, number);
    await native.verify('pay', { number }, { count: 3 });
    assert.equal((await native.calls()).length, 3);
  }));
});

test('a question is answered by its name', async t => {
  const gateway = await started(t);
  const [native, other] = [gateway.session(t.name), gateway.session('is not asked')];
  await native.reply('a/b ü', { $ask: 'Sure?', $choices: { yes: 1, no: 2 } });
  // The test has asked for questions once, so that they wait.
  await native.questions();
  const late = native.call('a/b ü');
  await native.choose('a/b ü', 'yes', { seconds: 30 });
  assert.equal((await late).output, 1);
  // Of several answers each is for another question.
  const answers = ['yes', 'no'].map(choice => native.choose('a/b ü', choice, { seconds: 30 }));
  const calls = await Promise.all([native.call('a/b ü'), native.call('a/b ü')]);
  await Promise.all(answers);
  assert.deepEqual(calls.map(call => call.output).sort(), [1, 2]);
  await assert.rejects(other.choose('a/b ü', 'yes', { seconds: 0.1 }), /no question a\/b ü waits/);
});

test('a title may be of any characters', async t => {
  const gateway = await started(t);
  for (const title of ['', 'ü/../?#', 'x'.repeat(500), '\r\n']) {
    const native = gateway.session(title);
    assert.match(native.session, /^[A-Za-z0-9-]{1,64}$/);
    assert.deepEqual(await native.calls(), []);
  }
});

test('the end of a gateway that dies is reported', async t => {
  const gateway = await started(t);
  process.kill(childOf(process.pid), 'SIGKILL');
  await assert.rejects(gateway.session().calls(), /^Error: drawbridge ended by SIGKILL$/);
  await assert.rejects(gateway.stop(), /^Error: drawbridge ended by SIGKILL$/);
  await gateway.stop();
});

test('an error at the start is reported in the words of the command', async t => {
  await assert.rejects(start(['--nope']), /drawbridge ended with code 64\n.*Unknown option '--nope'/);
  await assert.rejects(start(['--help']), /drawbridge ended with code 0/);
  await assert.rejects(start([], { program: '/nowhere' }), /ENOENT/);
  const { port } = new URL((await started(t)).address);
  await assert.rejects(start(['-p', port]), new RegExp(`drawbridge ended with code 1\n.*cannot listen on .*${port}`));
});

test('two gateways may be started, and each is stopped once or twice', async () => {
  const [one, other] = await Promise.all([start([shop]), start(shop)]);
  assert.notEqual(one.address, other.address);
  await Promise.all([one.stop(), one.stop()]);
  await one.stop();
  await assert.rejects(one.session().reset(), /drawbridge ended with code 0/);
  await other.session().reset();
  await other.stop();
});

test('a stop reports what did not end cleanly', async () => {
  const gateway = await start([shop, '--unanswered', 'fail']);
  await gateway.session().call('nobody');
  await assert.rejects(gateway.stop(), /drawbridge ended with code 3\n  nobody answered nobody \(1\)/);
  await gateway.stop();
});

/** A folder whose file of mocks is not read, since anybody may write it. */
function unread(t) {
  const folder = mkdtempSync(`${tmpdir()}/unread-`);
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/drawbridge.json`, '{"replies": {"a": 1}}');
  chmodSync(`${folder}/drawbridge.json`, 0o666);
  return folder;
}

test('the first error shows what the gateway has warned of', async t => {
  const gateway = await started(t, unread(t));
  const native = gateway.session();
  const wrong = () => native.verify('a', undefined, { seconds: 0 });
  await assert.rejects(wrong, /\n  drawbridge: .*\/drawbridge.json is not read: anybody may write it/);
  await assert.rejects(wrong, error => !error.message.includes('is not read'));
  assert.deepEqual(gateway.warned(), []);
});

test('warnings that no error has shown are printed when the tests fail', t => {
  const script = code => `import { start } from 'drawbridge-gateway';
    await (await start([${JSON.stringify(unread(t))}])).stop();
    process.exitCode = ${code};`;
  const said = code => spawnSync('node', ['--input-type=module', '-e', script(code)], { encoding: 'utf8' });
  assert.equal(said(0).stderr, '');
  assert.match(said(1).stderr, /^drawbridge: .* is not read: anybody may write it/m);
});

test('a started gateway listens on this machine alone, and its token is in no argument and no environment', async t => {
  process.env.DRAWBRIDGE_HOST = '0.0.0.0';
  process.env.PORT = '1';
  t.after(() => { delete process.env.DRAWBRIDGE_HOST; delete process.env.PORT; });
  const gateway = await started(t);
  assert.match(gateway.address, /^http:\/\/127\.0\.0\.1:\d{4,}$/);
  const child = childOf(process.pid);
  for (const file of ['cmdline', 'environ']) {
    const text = readFileSync(`/proc/${child}/${file}`, 'latin1');
    assert.deepEqual(text.split('\0').filter(word => /^(DRAWBRIDGE_TOKEN=|[\w-]{32,}$)/.test(word)), []);
  }
});

test('a running gateway is used by its address and its token', async t => {
  const { DRAWBRIDGE_URL, DRAWBRIDGE_TOKEN: token } = await running(t, shop);
  const gateway = connect(`${DRAWBRIDGE_URL}/`, token);
  assert.deepEqual((await gateway.session().call('getUser')).output.data, { signedIn: false });
  await gateway.stop();
  await gateway.session().reset();
  await assert.rejects(connect(gateway.address, 'x'.repeat(32)).session().calls(), /token/);
  await assert.rejects(connect('http://127.0.0.1:1', token).session().calls(), /no gateway answers at http:\/\/127.0.0.1:1: /);
  assert.throws(() => connect(), /DRAWBRIDGE_URL and DRAWBRIDGE_TOKEN/);
});

/** A session of a gateway that is something else. */
async function elsewhere(t, answers) {
  const server = createServer(answers).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return connect(`http://127.0.0.1:${server.address().port}`, 't'.repeat(32)).session();
}

for (const [status, body, said] of [
  [200, '<html>', '<html>'], [403, '<html>\n  Not\tyou', '<html> Not you'], [200, '', 'with an empty body'],
  [502, '', 'with an empty body'], [403, '{"error": "no"}', '{"error": "no"}'], [200, '"ok"', '"ok"'],
  [302, 'Log in', 'Log in'], [500, 'x'.repeat(500), 'x'.repeat(200)],
]) {
  test(`what answers ${status} ${body.slice(0, 20)} and is not a gateway is reported`, async t => {
    const native = await elsewhere(t, (_, answer) => answer.writeHead(status, { Location: '/' }).end(body));
    await assert.rejects(native.calls(), { message: `${native.address} answered ${status}, and not as a gateway does: ${said}` });
  });
}

test('the client waits longer than one request may, and reports what did not come', async t => {
  const native = await elsewhere(t, () => {});
  const { request } = http;
  const asked = t.mock.method(http, 'request', (url, options, ...more) => request(url, { ...options, timeout: 1 }, ...more));
  const message = `no gateway answers at ${native.address}: nothing came for 630 seconds`;
  await assert.rejects(native.wait('pay', { seconds: 600 }), { message });
  assert.equal(asked.mock.calls[0].arguments[1].timeout, 630_000);
});

test('what is safe to repeat is sent once more when its connection broke or its gateway is busy, and nothing else', async t => {
  const said = [];
  let breaks = 1, status = 200;
  const native = await elsewhere(t, (request, answer) => {
    said.push(`${request.method} ${request.url.split('/').slice(2).join('/').split('?')[0]}`);
    request.resume();
    if (breaks-- > 0) return request.socket.destroy();
    answer.writeHead(status).end(JSON.stringify({ code: status, data: { calls: [] }, message: 'it is not there' }));
  });
  for (const [ask, words] of [
    [() => native.calls(), 'GET calls'], [() => native.reply('pay', 1), 'PUT replies'],
    [() => native.takeBack('pay'), 'DELETE replies'], [() => native.verify('pay'), 'POST calls/verify'], [() => native.reset(), 'POST reset'],
  ]) {
    [breaks, said.length] = [1, 0];
    await ask();
    assert.deepEqual(said, [words, words]);
    [breaks, said.length] = [2, 0];
    await assert.rejects(ask(), /no gateway answers/);
    assert.deepEqual(said, [words, words]);
  }
  for (const ask of [() => native.call('pay'), () => native.event('paid'), () => native.emit('paid'), () => native.link()]) {
    [breaks, said.length] = [1, 0];
    await assert.rejects(ask(), /no gateway answers/);
    assert.equal(said.length, 1);
  }
  // A gateway that takes over a session says when to come again.
  let delay;
  const busy = await elsewhere(t, (request, answer) => {
    said.push(request.method);
    const isLate = said.length > 1;
    answer.writeHead(isLate ? 200 : 503, delay && { 'Retry-After': delay });
    answer.end(JSON.stringify({ code: isLate ? 200 : 503, data: { calls: [] }, message: 'not now' }));
  });
  for (const [given, count, ask] of [
    ['0', 2, () => busy.reply('pay', 1)], ['0', 2, () => busy.calls()], ['0', 2, () => busy.verify('pay')],
    ['0', 1, () => busy.call('pay')], [undefined, 1, () => busy.calls()],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 1, () => busy.calls()],
  ]) {
    [delay, said.length] = [given, 0];
    await (count > 1 ? ask() : assert.rejects(ask(), /not now/));
    assert.equal(said.length, count);
  }
  // What was taken back before the connection broke is not there any more.
  [breaks, status] = [1, 404];
  await native.takeBack('pay');
  await assert.rejects(native.takeBack('pay'), /it is not there/);
});

test('a browser on another machine is let in by the cookie of a ticket', async t => {
  // It takes nobody for its own machine.
  const { DRAWBRIDGE_URL, DRAWBRIDGE_TOKEN } = await running(t, shop, '--no-local-trust', '--api-for-others');
  const native = connect(DRAWBRIDGE_URL, DRAWBRIDGE_TOKEN).session();
  const [{ name, value, ...more }] = await native.admit();
  assert.deepEqual(more, { url: DRAWBRIDGE_URL, httpOnly: true, secure: false, sameSite: 'Lax' });
  const load = Cookie => fetch(`${DRAWBRIDGE_URL}/`, { headers: { Cookie } }).then(answer => answer.status);
  assert.deepEqual([await load(''), await load(`${name}=${value}`)], [403, 200]);
  assert.match(await native.link(), /^\/__drawbridge__\/enter#[0-9a-f]{40}$/);
  assert.deepEqual(await (await started(t)).session().admit(), []);
});

test('a body has its length, whatever the method', async t => {
  const native = await elsewhere(t, async (request, answer) => {
    let data = '';
    for await (const chunk of request) data += chunk;
    answer.end(JSON.stringify({ code: 200, data, message: '' }));
  });
  for (const method of ['POST', 'PUT', 'DELETE']) {
    assert.equal(await native.ask(method, 'replies', { body: 'é' }), '"é"');
    assert.equal(await native.ask(method, 'replies'), '');
  }
});

for (const [how, signal, end] of [
  ['killed', 'SIGKILL', 'await new Promise(() => setInterval(() => {}, 1000));'],
  ['interrupted', 'SIGINT', 'await new Promise(() => setInterval(() => {}, 1000));'],
  ['that fails', null, 'throw new Error("a test that dies");'],
  ['that forgets to stop it', null, ''],
]) {
  test(`it ends with a process ${how}`, async () => {
    const script = `
      import { start } from 'drawbridge-gateway';
      const gateway = await start([process.env.SHOP]);
      await gateway.session().reply('pay', 1);
      console.log(gateway.address);
      ${end}`;
    const parent = spawn('node', ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const address = String((await once(parent.stdout, 'data'))[0]).trim();
    if (signal) parent.kill(signal);
    for (let answers = true; answers; await new Promise(resolve => setTimeout(resolve, 20))) {
      answers = await fetch(`${address}/__drawbridge__/health`).then(() => true, () => false);
    }
  });
}

test('the types declare everything that the package has', async () => {
  const declared = readFileSync('node_modules/drawbridge-gateway/index.d.ts', 'utf8').matchAll(/export declare \w+ (\w+)/g);
  assert.deepEqual([...declared].map(([, name]) => name).sort(), Object.keys(await import('drawbridge-gateway')).sort());
});

test('the command runs by npx, and nothing runs at the installation', () => {
  const { version, scripts, dependencies } = read('node_modules/drawbridge-gateway/package.json');
  assert.equal(String(execFileSync('npx', ['drawbridge-gateway', '--version'])).trim(), version);
  assert.deepEqual([scripts, dependencies], [undefined, undefined]);
});

/** The newest child of a process; 0 where it has none. */
function childOf(process) {
  return Number(readFileSync(`/proc/${process}/task/${process}/children`, 'utf8').trim().split(' ').at(-1));
}
