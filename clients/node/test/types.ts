// What the types of the package take and refuse: tsc --noEmit
import { connect, start, type Call, type Gateway } from 'drawbridge-gateway';
import { expect, test } from 'drawbridge-gateway/playwright';

const gateway: Gateway = await start(['my-page'], { cwd: '.' });
const native = gateway.session('pays');
await native.reply('pay', { code: 6001, list: [1, null] });
const calls: Call[] = await native.verify('pay', { orderNo: 17 }, { count: 1 });
await native.verify('pay', undefined, { equals: 17, state: 'answered' });
await native.event('push', { page: '/cart' });
await native.callPage('onPaid', undefined, { page: '7f3a', seconds: 1 });
await native.calls({ kind: ['call', 'push'], since: calls[0].number });
const [question] = await native.questions();
await native.choose(question.number, question.choices?.[0] ?? 'cancel');
await native.choose('share', 'post', { seconds: 10 });
await native.fill('login', { user: 'ann' });
await native.setAsk('page');
await start('my-page');
connect();
test.use({ drawbridge: ['my-page'] });
test('pays', async ({ native, page, gateway }) => {
  await page.goto(native.page());
  expect(gateway.address).toBe(native.address);
});

// @ts-expect-error
await native.verify('pay', { orderNo: 17 }, { coutn: 1 });
// @ts-expect-error
await native.calls({ state: 'mended' });
// @ts-expect-error
await native.setAsk('never');
// @ts-expect-error
await native.choose('share', 'post', 10);
// @ts-expect-error
await native.reply('pay', () => 1);
// @ts-expect-error
await native.call();
