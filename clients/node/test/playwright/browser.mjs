// A browser of Debian's, driven by what it has itself: Chromium by its WebDriver, Firefox by Marionette.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chromium = {
  program: (port, home) => ['chromedriver', `--port=${port}`],
  capabilities: home => ({
    'goog:chromeOptions': {
      args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server', `--user-data-dir=${home}/profile`],
    },
  }),
  async connect(port) {
    const commands = {
      NewSession: ['POST', ''], Navigate: ['POST', '/url'], FindElement: ['POST', '/element'], DeleteSession: ['DELETE', ''],
      ElementClick: ['POST', '/element/:id/click'], GetElementText: ['GET', '/element/:id/text'],
    };
    let session = '';
    return async (command, parameters) => {
      const [method, path] = commands[command];
      const url = `http://127.0.0.1:${port}/session${session}${path.replace(':id', parameters.id)}`;
      const answer = await fetch(url, { method, body: method === 'POST' ? JSON.stringify(parameters) : undefined });
      const { value } = await answer.json();
      if (value?.error) throw new Error(`${command}: ${value.message}`);
      if (command === 'NewSession') session = `/${value.sessionId}`;
      return value;
    };
  },
};

const firefox = {
  program: (port, home) => {
    writeFileSync(join(home, 'user.js'), `user_pref("marionette.port", ${port});\nuser_pref("network.proxy.type", 0);\n`);
    return ['firefox-esr', '-headless', '-no-remote', '-profile', home, '-marionette'];
  },
  capabilities: () => ({}),
  // Messages are `length:[0, number, name, parameters]` and `length:[1, number, error, value]`.
  async connect(port) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const waiting = [];
    let rest = Buffer.alloc(0);
    socket.on('data', bytes => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const colon = rest.indexOf(':');
        const last = colon + 1 + Number(rest.subarray(0, colon));
        if (colon < 0 || rest.length < last) return;
        waiting.shift()(JSON.parse(rest.subarray(colon + 1, last)));
        rest = rest.subarray(last);
      }
    });
    const heard = () => new Promise(resolve => { waiting.push(resolve); });
    await heard();
    let number = 0;
    return async (command, parameters) => {
      number += 1;
      const message = JSON.stringify([0, number, `WebDriver:${command}`, parameters]);
      socket.write(`${Buffer.byteLength(message)}:${message}`);
      const [, , error, value] = await heard();
      if (error) throw new Error(`${command}: ${error.message}`);
      return value?.value ?? value;
    };
  },
};

/** Opens a browser with a profile of its own. */
export async function openBrowser(name) {
  const kind = { chromium, firefox }[name];
  const home = mkdtempSync(join(tmpdir(), 'browser-'));
  const port = await freePort();
  const [program, ...words] = kind.program(port, home);
  const child = spawn(program, words, { stdio: 'ignore', env: { ...process.env, HOME: home, TMPDIR: home } });
  while (!await listens(port)) if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`);
  const send = await kind.connect(port);
  await send('NewSession', { capabilities: { alwaysMatch: kind.capabilities(home) } });
  return {
    send,
    async close() {
      await send('DeleteSession', {}).catch(() => {});
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function listens(port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
    socket.on('error', () => setTimeout(() => resolve(false), 50));
  });
}
