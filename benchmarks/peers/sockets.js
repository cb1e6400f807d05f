// A server that echoes the frames of WebSockets, as they come: sockets.js PORT
'use strict';
const crypto = require('crypto');

const server = require('http').createServer((request, response) => response.end());
server.on('upgrade', (request, socket, first) => {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  socket.setNoDelay(true);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    + 'Sec-WebSocket-Accept: ' + crypto.createHash('sha1').update(key).digest('base64') + '\r\n\r\n');
  socket.on('error', () => socket.destroy());
  let rest = first;
  socket.on('data', (bytes) => {
    const all = rest.length ? Buffer.concat([rest, bytes]) : bytes;
    let start = 0;
    // Frames of clients that are shorter than 126 bytes: two bytes, a mask of four, the payload.
    const answers = Buffer.allocUnsafe(all.length);
    let end = 0;
    while (all.length - start >= 6) {
      const size = all[start + 1] & 0x7F;
      if (all.length - start < 6 + size) break;
      answers[end] = all[start];
      answers[end + 1] = size;
      for (let i = 0; i < size; i++) answers[end + 2 + i] = all[start + 6 + i] ^ all[start + 2 + (i & 3)];
      end += 2 + size;
      start += 6 + size;
    }
    rest = all.subarray(start);
    if (end) socket.write(answers.subarray(0, end));
  });
});
server.listen(+process.argv[2], '127.0.0.1');
