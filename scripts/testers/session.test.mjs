// What thirty testers do at once with Node, in a session for each round, while scripts/shared deploys the gateways
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect } from '../../clients/node/index.mjs';

const testers = 30, rounds = 5, calls = 20;
const gateway = connect();

async function call(native, name, input) {
  const answer = await fetch(`${native.address}/__jsbridge__/${name}`, {
    method: 'POST',
    headers: { ...native.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  return (await answer.json()).data;
}

describe('testers', { concurrency: testers }, () => {
  for (let tester = 0; tester < testers; tester++) {
    for (let round = 0; round < rounds; round++) {
      test(`tester ${tester}, round ${round}`, async t => {
        const native = gateway.session(t);
        await native.reply('pay', { paid: native.session });
        await native.reply('steps', { $sequence: ['one', 'two', 'three', 'last'] });
        for (let place = 0; place < calls; place++) {
          assert.deepEqual(await call(native, 'pay', { place }), { paid: native.session });
          await setTimeout(50);
        }
        for (const step of ['one', 'two', 'three', 'last', 'last']) assert.equal(await call(native, 'steps', {}), step);
        await native.wait('pay', { count: calls });
        const places = (await native.calls({ name: 'pay' })).map(({ input }) => input.place);
        assert.deepEqual(places, [...Array(calls).keys()]);
        await native.verify('pay', undefined, { count: calls });
        await assert.rejects(native.verify('pay', undefined, { count: calls - 1 }));
        await native.reset();
      });
    }
  }
});
