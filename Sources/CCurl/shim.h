// What Swift cannot call by itself: libcurl's variadic functions.
#ifndef DRAWBRIDGE_CURL_SHIM_H
#define DRAWBRIDGE_CURL_SHIM_H

#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <curl/curl.h>

// The type checks of curl/typecheck-gcc.h want constants.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

static inline CURLcode dbc_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode dbc_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode dbc_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode dbc_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

struct dbc_callbacks {
    size_t (*header)(char *bytes, size_t size, size_t count, void *self);
    size_t (*write)(char *bytes, size_t size, size_t count, void *self);
    size_t (*read)(char *bytes, size_t size, size_t count, void *self);
    int (*seek)(void *self, curl_off_t offset, int origin);
    curl_socket_t (*open)(void *self, curlsocktype purpose, struct curl_sockaddr *address);
    int (*prepared)(void *self, char *address, char *own_address, int port, int own_port);
};

// Gives a handle its callbacks, each of which gets `self`, and room for the words of an error.
static inline void dbc_set_callbacks(CURL *easy, struct dbc_callbacks callbacks, void *self, char *words) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks.header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, self);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks.write);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, self);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, callbacks.read);
    curl_easy_setopt(easy, CURLOPT_READDATA, self);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callbacks.seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, self);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callbacks.open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, self);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks.prepared);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, self);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, self);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, words);
}

// Closes a handle's sockets by `close`, also when the handle is gone.
static inline void dbc_set_closing(CURL *easy, int (*close)(void *self, curl_socket_t socket), void *self) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, self);
}

static inline void dbc_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *self
) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, self);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, self);
}

static inline void dbc_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}

// What belongs to a handle: the `self` of its callbacks.
static inline void *dbc_owner(CURL *easy) {
    char *self = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
    return self;
}

// The socket of a handle that only connects; -1 for none.
static inline int dbc_active_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
    return socket;
}

// The errno of a connection that failed; 0 for none.
static inline int dbc_system_error(CURL *easy) {
    long code = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &code);
    return (int) code;
}

// The next transfer that is over; NULL for none.
static inline CURL *dbc_next_done(CURLM *multi, CURLcode *code) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif
