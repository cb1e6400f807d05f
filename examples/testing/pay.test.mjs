// Tests of the shop's native side, whose pages are plain requests here: node --test, in this folder
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { start } from 'drawbridge-gateway';

const gateway = await start(['../shop', '--choose', 'pay=pay']);
after(() => gateway.stop());

// Calls native as a page of the shop does.
async function call(native, name, input) {
  const answer = await fetch(`${native.address}/${name}?_mobile_bridge=1`, {
    method: 'POST',
    headers: { ...native.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  return answer.json();
}

test('pays by card, once', async t => {
  const native = gateway.session(t);
  const order = { orderNo: 'PP-17', item: 11, price: 24, channel: 'card' };
  const { data } = await call(native, 'pay', order);
  assert.deepEqual(data, { code: 0, data: { orderNo: 'PP-17' } });
  await native.verify('pay', undefined, { equals: order, count: 1, state: 'answered' });
});

test('says that the payment was cancelled', async t => {
  const native = gateway.session(t);
  const { data } = await call(native, 'pay', { orderNo: 'PP-18', channel: 'chat' });
  assert.deepEqual(data, { code: 6001, message: 'You cancelled the payment.' });
  await native.verify('pay', { channel: 'chat' }, { count: 1 });
});

test('knows the user from the login on', async t => {
  const native = gateway.session(t);
  assert.deepEqual((await call(native, 'getUser', {})).data.data, { signedIn: false });
  const { data } = await call(native, 'login', { by: 'phone' });
  assert.match(data.data.token, /^[0-9a-f-]{36}$/);
  assert.deepEqual((await call(native, 'getUser', {})).data.data, { nick: 'Ann', points: 120 });
  await native.verifyOrder(['getUser', 'login', 'getUser']);
});

test('takes another answer of the test alone', async t => {
  const native = gateway.session(t);
  await native.reply('pay', { $error: { code: 1001, message: 'The card was refused.' } });
  const answer = await call(native, 'pay', { channel: 'card' });
  assert.equal(answer.code, 1001);
  assert.equal(answer.message, 'The card was refused.');
  assert.equal((await native.calls({ name: 'pay', state: 'error' })).length, 1);
});

test('is offline', async t => {
  const native = gateway.session(t);
  await native.scenario('offline');
  assert.equal((await call(native, 'getUser', {})).code, -1009);
  await native.scenario('offline', false);
  assert.deepEqual((await call(native, 'getUser', {})).data.data, { signedIn: false });
});

test('asks before it shares', async t => {
  const native = gateway.session(t);
  assert.equal((await call(native, 'share', { title: 'Low tide' })).code, 1001, 'the app is not ready at first');
  assert.deepEqual(await native.questions(), []);
  const shared = call(native, 'share', { title: 'Low tide' });
  await native.choose('share', 'friend');
  assert.deepEqual((await shared).data, { code: 0, data: { with: 'a friend' } });
});
