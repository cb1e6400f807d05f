// A page with a WebSocket of the package ws, which is opened to pages of the server's own addresses alone: sockets.js PORT
const http = require('http');
const { WebSocketServer } = require('ws');

const port = Number(process.argv[2]);
const origins = ['http://127.0.0.1:' + port, 'http://localhost:' + port];
const page = `<!doctype html><meta charset=utf-8><title>sockets</title>
<meta name=socket content="ws://127.0.0.1:${port}/cable"><p id=said>nothing</p><script>
const { content } = document.querySelector('meta[name=socket]');
const socket = new WebSocket(content);
socket.onopen = () => socket.send('hello');
socket.onmessage = ({ data }) => { document.getElementById('said').textContent = data; };
socket.onclose = ({ code }) => { document.getElementById('said').textContent = 'closed ' + code; };
</script>`;
const server = http.createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Content-Security-Policy', `default-src 'self' 'unsafe-inline'; connect-src ws://127.0.0.1:${port}`);
    response.end(page);
});
const sockets = new WebSocketServer({ server, path: '/cable', verifyClient: ({ origin }) => origins.includes(origin) });
sockets.on('connection', socket => socket.on('message', text => socket.send('heard ' + text)));
server.listen(port, '127.0.0.1', () => console.log('ready'));
