// The fixture for Playwright, on a stand-in for it: node --test playwright.test.mjs, with SHOP.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { connect } from 'drawbridge-gateway';
import { running } from './running.mjs';

/** Runs a file of tests; gives what is said of them. */
function run(t, text, environment = {}) {
  const file = `${t.name.replace(/\W+/g, '-')}.spec.mjs`;
  writeFileSync(file, `import { test } from 'drawbridge-gateway/playwright';\n${text}`);
  t.after(() => rmSync(file));
  const env = { ...process.env, ...environment };
  delete env.NODE_TEST_CONTEXT;
  return spawnSync('node', ['--test', '--test-reporter=tap', file], { env, encoding: 'utf8' }).stdout;
}

test('each test has a session of its own in one gateway', t => {
  const said = run(t, `
    test.use({ drawbridge: [process.env.SHOP, '--scenario', 'offline'] });
    const seen = [];
    for (const title of ['one', 'other']) test(title, async ({ native, gateway, baseURL }) => {
      console.log(title, (await native.call('getUser')).code, (await native.calls()).length, baseURL === gateway.address);
      await native.reply('getUser', 1);
      seen.push(native.session, gateway);
      if (seen.length === 4) console.log('same', seen[0] === seen[2], seen[1] === seen[3]);
    });`);
  for (const line of ['one -1009 1 true', 'other -1009 1 true', 'same false true', 'pass 2']) assert.match(said, RegExp(line));
});

test('a failing test shows the closest call, and leaves nothing behind', async t => {
  const environment = await running(t, process.env.SHOP);
  const said = run(t, `
    test('fails', async ({ native }) => {
      console.log('session', native.session);
      await native.reply('getUser', 1);
      await native.call('getUser', { id: 17 });
      await native.verify('getUser', { id: 18 }, { seconds: 0 });
    });`, environment);
  const attached = 'attached drawbridge calls \\(text/plain\\):\n#   1 getUser \\{"id":17\\} -> mock getUser .* answered 1';
  for (const line of ['id is 17, wanted 18', 'wanted \\{"id":18\\}', 'call 1 \\{"id":17\\}', attached, 'fail 1']) assert.match(said, RegExp(line));
  const native = connect(environment.DRAWBRIDGE_URL, environment.DRAWBRIDGE_TOKEN).session();
  const [, session] = said.match(/session ([\w-]+)/);
  assert.deepEqual(await native.ask('GET', 'replies', { query: { session } }), {});
  assert.deepEqual(await native.ask('GET', 'calls', { query: { session }, gives: 'calls' }), []);
});

test('the first test that fails shows what the gateway has warned of', t => {
  const folder = mkdtempSync(`${tmpdir()}/unread-`);
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/drawbridge.json`, '{"replies": {"a": 1}}');
  chmodSync(`${folder}/drawbridge.json`, 0o666);
  const said = run(t, `
    import assert from 'node:assert/strict';
    test.use({ drawbridge: [${JSON.stringify(folder)}] });
    test('right', async ({ native }) => { await native.verify('a', undefined, { seconds: 0 }).catch(() => {}); });
    test('wrong', async ({ native }) => { assert.equal((await native.call('a')).by, 'reply'); });
    test('wrong too', async ({ native }) => { assert.fail(native.session); });`);
  assert.match(said, /fail 2/);
  assert.equal(said.split('is not read: anybody may write it').length, 2, said);
});
