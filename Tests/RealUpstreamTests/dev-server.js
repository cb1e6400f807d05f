// A small dev server, as pages have one: node dev-server.js [PORT]
'use strict';
const crypto = require('crypto');
const http = require('http');
const zlib = require('zlib');

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A page under development</title>
<script>
    const visits = Number(sessionStorage.visits || 0) + 1;
    sessionStorage.visits = visits;
    const asked = new XMLHttpRequest();
    asked.open('GET', '/add?_mobile_bridge=1&a=1&b=2');
    asked.onload = () => {
        const isWithRuntime = Boolean(document.querySelector('script[src*="__drawbridge__"]'));
        const said = 'native said ' + JSON.parse(asked.responseText).data;
        fetch('/report', {method: 'POST', body: 'visit ' + visits + ': ' + said + ', runtime ' + isWithRuntime});
    };
    asked.send();
    if (location.search === '?hot') {
        const socket = new WebSocket('ws://' + location.host + '/hot', 'hot-reload');
        socket.onmessage = ({data}) => data === 'reload' && location.reload();
    }
</script>
<h1>Under development</h1>
</html>
`;

/** Event streams, and sockets of hot reload, that are open now. */
const watchers = new Set();
const hot = new Set();
const reports = [];

const routes = {
    '/': (request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(page);
    },
    '/chunked': (request, response) => {
        response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2', 'a=3']);
        for (let piece = 0; piece < 20; piece += 1) response.write('piece ' + piece + '\n');
        response.end();
    },
    '/gzip': (request, response) => {
        response.setHeader('Content-Encoding', 'gzip');
        response.setHeader('Vary', 'Accept-Encoding');
        response.end(zlib.gzipSync('the same again and again, '.repeat(1000)));
    },
    '/fields': (request, response) => {
        response.setHeader('X-MiXeD-case', ['first', 'second']);
        response.setHeader('X-Latin', 'Gr\u00fc\u00dfe');
        for (let field = 0; field < 6; field += 1) {
            response.setHeader('X-Large-' + field, String(field).repeat(1000));
        }
        response.end('fields');
    },
    '/empty': (request, response) => {
        response.statusCode = 204;
        response.end();
    },
    '/teapot': (request, response) => {
        response.writeHead(418, 'Short and stout');
        response.end('no coffee');
    },
    '/broken': (request, response) => {
        response.statusCode = 500;
        response.setHeader('Content-Type', 'text/html');
        response.end('<pre>TypeError: x is undefined</pre>');
    },
    // What came, counted and hashed.
    '/sum': (request, response) => {
        const hash = crypto.createHash('sha256');
        let count = 0;
        request.on('data', piece => {
            count += piece.length;
            hash.update(piece);
        });
        request.on('end', () => response.end(request.method + ' ' + count + ' ' + hash.digest('hex') + '\n'));
    },
    // Answers never.
    '/silence': () => {},
    // Ends never.
    '/endless': (request, response) => {
        const timer = setInterval(() => response.write('on and on\n'), 5);
        response.on('close', () => clearInterval(timer));
    },
    '/events': (request, response) => {
        response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache'});
        response.flushHeaders();
        watchers.add(response);
        response.on('close', () => watchers.delete(response));
    },
    '/say': (request, response, url) => {
        for (const watcher of watchers) watcher.write('data: ' + url.searchParams.get('text') + '\n\n');
        response.end();
    },
    '/watchers': (request, response) => response.end(String(watchers.size)),
    '/reload': (request, response) => {
        for (const socket of hot) socket.write(frame(1, Buffer.from('reload')));
        response.end(String(hot.size));
    },
    // What the page has said; each line is given once.
    '/report': (request, response) => {
        if (request.method === 'GET') return response.end(reports.splice(0).join('\n'));
        let text = '';
        request.on('data', piece => { text += piece; });
        request.on('end', () => {
            reports.push(text);
            response.end();
        });
    },
};

const server = http.createServer((request, response) => {
    const url = new URL(request.url.replace(/^\/*/, '/'), 'http://localhost');
    const route = routes[url.pathname];
    if (route) return route(request, response, url);
    response.statusCode = 404;
    response.end('nothing at ' + request.url + '\n');
});
server.keepAliveTimeout = 60000;

// WebSockets, RFC 6455: just what the tests need, by hand.

/** A message in one frame of a server's. */
function frame(opcode, payload) {
    const head = [0x80 | opcode];
    if (payload.length < 126) {
        head.push(payload.length);
    } else if (payload.length < 65536) {
        head.push(126, payload.length >> 8, payload.length & 255);
    } else {
        head.push(127, 0, 0, 0, 0);
        for (const shift of [24, 16, 8, 0]) head.push(payload.length >>> shift & 255);
    }
    return Buffer.concat([Buffer.from(head), payload]);
}

/** The first frame of what came, or null while it is not whole. */
function parse(bytes) {
    if (bytes.length < 2) return null;
    let length = bytes[1] & 127;
    let start = 2;
    if (length === 126) {
        if (bytes.length < 4) return null;
        length = bytes.readUInt16BE(2);
        start = 4;
    } else if (length === 127) {
        if (bytes.length < 10) return null;
        length = Number(bytes.readBigUInt64BE(2));
        start = 10;
    }
    const end = start + 4 + length;
    if (bytes.length < end) return null;
    const mask = bytes.subarray(start, start + 4);
    const payload = Buffer.from(bytes.subarray(start + 4, end));
    for (let place = 0; place < length; place += 1) payload[place] ^= mask[place & 3];
    return {isFinal: bytes[0] >= 128, opcode: bytes[0] & 15, payload, end};
}

/** Echoes whole messages; `?close=CODE` closes at the first, with that code. */
function echo(socket, first, code) {
    let pieces = [first];
    let count = first.length;
    let message = [];
    let opcode = 0;
    const take = single => {
        switch (single.opcode) {
        case 8:
            socket.end(frame(8, single.payload));
            break;
        case 9:
            socket.write(frame(10, single.payload));
            break;
        case 10:
            break;
        default:
            if (single.opcode) opcode = single.opcode;
            message.push(single.payload);
            if (!single.isFinal) break;
            if (code) {
                socket.write(frame(8, Buffer.from([code >> 8, code & 255])));
            } else {
                socket.write(frame(opcode, Buffer.concat(message)));
            }
            message = [];
        }
    };
    const read = () => {
        let bytes = Buffer.concat(pieces);
        for (let single = parse(bytes); single; single = parse(bytes)) {
            bytes = bytes.subarray(single.end);
            take(single);
        }
        pieces = [bytes];
        count = bytes.length;
    };
    socket.on('data', piece => {
        pieces.push(piece);
        count += piece.length;
        read();
    });
    if (count) read();
}

server.on('upgrade', (request, socket, first) => {
    const url = new URL(request.url, 'http://localhost');
    socket.on('error', () => {});
    socket.setNoDelay(true);
    if (url.searchParams.has('refuse')) {
        return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\nX-Why: rules\r\n\r\nno way\n');
    }
    const key = request.headers['sec-websocket-key'];
    const accept = crypto.createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade',
        'Sec-WebSocket-Accept: ' + accept];
    const protocols = request.headers['sec-websocket-protocol'];
    // The last that was offered, which no list taken for one name would be.
    if (protocols) head.push('Sec-WebSocket-Protocol: ' + protocols.split(/,\s*/).pop());
    let answer = Buffer.from(head.join('\r\n') + '\r\n\r\n');
    if (url.searchParams.has('greet')) {
        answer = Buffer.concat([answer, frame(1, Buffer.from('hello')), frame(2, Buffer.alloc(70000, 7))]);
    }
    socket.write(answer);
    if (url.pathname === '/hot') {
        hot.add(socket);
        socket.on('close', () => hot.delete(socket));
        socket.resume();
    } else if (url.searchParams.has('half')) {
        // Speaks when the other side has said its last.
        let count = first.length;
        socket.on('data', piece => { count += piece.length; });
        socket.on('end', () => socket.end(frame(1, Buffer.from('after ' + count + ' bytes'))));
    } else {
        echo(socket, first, Number(url.searchParams.get('close')));
    }
});

server.listen(Number(process.argv[2] || 0), '127.0.0.1', () => {
    console.log('listening on http://127.0.0.1:' + server.address().port);
});
