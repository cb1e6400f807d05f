import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from 'drawbridge-gateway';

/** Starts a gateway as a person does, until the test is over; gives what the environment says of it. */
export async function running(t, ...words) {
  const DRAWBRIDGE_TOKEN = 't'.repeat(32);
  const child = spawn(program, ['-p', '0', '-q', ...words], { env: { ...process.env, DRAWBRIDGE_TOKEN } });
  t.after(() => child.kill());
  const [line] = await once(child.stderr, 'data');
  return { DRAWBRIDGE_URL: String(line).match(/http:\S+/)[0], DRAWBRIDGE_TOKEN };
}
