// The least that a WebSocket's message costs on its way to a server and back: a thread for each socket, and no loop.
#include "echo.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// RFC 6455, section 4.2.2: the answer to Sec-WebSocket-Key.
static int shake_hands(int connection) {
    char head[8192], answer[512];
    size_t length = 0;
    while (strstr((head[length] = 0, head), "\r\n\r\n") == NULL) {
        ssize_t count = recv(connection, head + length, sizeof head - 1 - length, 0);
        if (count <= 0) return -1;
        length += (size_t) count;
    }
    const char *name = strcasestr(head, "\r\nSec-WebSocket-Key:");
    char text[128];
    unsigned char hash[20];
    if (name == NULL || sscanf(name + 20, " %64s", text) != 1) return -1;
    strcat(text, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    gnutls_datum_t encoded, hashed = {.data = hash, .size = sizeof hash};
    if (gnutls_hash_fast(GNUTLS_DIG_SHA1, text, strlen(text), hash) != 0) return -1;
    if (gnutls_base64_encode2(&hashed, &encoded) != 0) return -1;
    int size = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %.*s\r\n\r\n",
        (int) encoded.size, encoded.data);
    gnutls_free(encoded.data);
    return send(connection, answer, (size_t) size, MSG_NOSIGNAL) == size ? 0 : -1;
}

// A client sends one frame of less than 126 bytes, and waits for it: two bytes, a mask of four, the payload.
static void *echo(void *argument) {
    int connection = (int) (intptr_t) argument;
    unsigned char frame[256];
    size_t length = 0;
    if (shake_hands(connection) != 0) goto end;
    for (;;) {
        ssize_t count = recv(connection, frame + length, sizeof frame - length, 0);
        if (count <= 0) goto end;
        length += (size_t) count;
        if (length < 6) continue;
        size_t size = frame[1] & 0x7F;
        if (size > 125) goto end;
        if (length < 6 + size) continue;
        for (size_t place = 0; place < size; place++) frame[6 + place] ^= frame[2 + (place & 3)];
        frame[4] = frame[0];
        frame[5] = (unsigned char) size;
        if (send(connection, frame + 4, 2 + size, MSG_NOSIGNAL) != (ssize_t) (2 + size)) goto end;
        length = 0;
    }
end:
    close(connection);
    return NULL;
}

int echo_all(int listening) {
    for (;;) {
        int connection = accept(listening, NULL, NULL), yes = 1;
        if (connection < 0) return 1;
        pthread_t thread;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (pthread_create(&thread, NULL, echo, (void *) (intptr_t) connection) != 0) return 1;
        pthread_detach(thread);
    }
}
