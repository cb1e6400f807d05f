// Node's own http module with the same answers: node.js PORT [--root FOLDER].
const http = require('http');
const fs = require('fs');
const path = require('path');

const greeting = '{"code":200,"data":{"message":"hello"},"message":""}';
const root = process.argv[3] === '--root' ? process.argv[4] : null;
const counter = { count: 0, async greet() { this.count += 1; return greeting; } };

function json(response, text) {
  response.writeHead(200, { 'Content-Type': 'text/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function collect(request, then) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => then(Buffer.concat(chunks)));
}

const routes = {
  '/sync': (request, response) => json(response, greeting),
  '/async': async (request, response) => json(response, await Promise.resolve(greeting)),
  '/actor': async (request, response) => json(response, await counter.greet()),
  '/wait': (request, response) => setImmediate(() => json(response, greeting)),
  '/typed': (request, response) => collect(request, (body) => {
    const input = JSON.parse(body);
    json(response, JSON.stringify({
      code: 200,
      data: { greeting: `hello ${input.user}`, next: input.age + 1, tags: input.tags },
      message: '',
    }));
  }),
  '/upload': (request, response) => collect(request, (body) => json(response, `${body.length}\n`)),
  '/hold': () => {},
};

const server = http.createServer((request, response) => {
  const place = request.url.split('?')[0];
  const route = routes[place];
  if (route) return route(request, response);
  if (!root || !place.startsWith('/file')) { response.writeHead(404); return response.end(); }
  const file = path.join(root, path.normalize(place));
  fs.stat(file, (error, status) => {
    if (error) { response.writeHead(404); return response.end(); }
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': status.size });
    fs.createReadStream(file).pipe(response);
  });
});
server.keepAliveTimeout = 60000;
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4096 });
