// What Swift cannot call by itself: variadic functions of GNU libmicrohttpd, and a logger that takes a va_list.
#ifndef DRAWBRIDGE_MICROHTTPD_SHIM_H
#define DRAWBRIDGE_MICROHTTPD_SHIM_H

// What the system declares is Glibc's, where Swift reads this: read once more here it would be this module's too, and
// which of both a file of the engine means would depend on the files that the compiler read before it.
#ifdef __swift__
#pragma clang module import SwiftGlibc
#endif

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <microhttpd.h>

// The callbacks of one daemon; `self` is given to each.
struct dbr_callbacks {
    void *self;
    void *(*target)(void *self, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void (*log)(void *self, const char *message);
};

struct dbr_daemon_settings {
    unsigned int connection_limit;
    unsigned int idle_seconds;
    size_t pool_bytes;
    // The library checks heads and chunks itself.
    int is_strict;
    // PEM texts, needed while the daemon starts; NULL for plain HTTP.
    const char *certificates;
    const char *key;
    // A priority string of GnuTLS.
    const char *priorities;
};

static inline int dbr_has_tls(void) { return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }

static inline int dbr_has_upgrade(void) { return MHD_is_feature_supported(MHD_FEATURE_UPGRADE) == MHD_YES; }

static inline void dbr_log(void *callbacks, const char *format, va_list arguments) {
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    struct dbr_callbacks *own = callbacks;
    // In parentheses, as Glibc has a macro of this name.
    (own->log)(own->self, message);
}

// Targets stay as they were sent: decoding is not the engine's business.
static inline size_t dbr_keep_encoded(void *self, struct MHD_Connection *connection, char *text) {
    (void) self; (void) connection;
    size_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

// Starts a daemon that is driven from outside by its epoll descriptor, and given its connections. `callbacks` must
// outlive it.
static inline struct MHD_Daemon *dbr_start(struct dbr_callbacks *callbacks, struct dbr_daemon_settings settings) {
    unsigned int flags =
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET;
    // MHD_USE_NO_THREAD_SAFETY, without which 1.0 takes connections not before its next run, and unseen by those who
    // count them. 0.9 has no such flag, and ignores it.
    flags |= 1U << 19;
    if (dbr_has_upgrade()) flags |= MHD_ALLOW_UPGRADE;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) settings.certificates},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) settings.key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) settings.priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    if (settings.certificates == NULL) tls[0].option = MHD_OPTION_END;
    else flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL,
        callbacks->request, callbacks->self,
        MHD_OPTION_EXTERNAL_LOGGER, dbr_log, callbacks,
        MHD_OPTION_ARRAY, tls,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->self,
        MHD_OPTION_UNESCAPE_CALLBACK, dbr_keep_encoded, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->self,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->self,
        MHD_OPTION_CONNECTION_LIMIT, settings.connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, settings.idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings.pool_bytes,
        // While less than this is free for reading, 0.9.75 widens its buffer, as long as the pool has plenty: a body comes
        // in fewer and larger pieces than of half the pool. 1.0 would take a quarter at most, and complain.
        MHD_OPTION_CONNECTION_MEMORY_INCREMENT,
        strcmp(MHD_get_version(), "0.9.75") == 0 ? settings.pool_bytes / 4 * 3 : (size_t) 0,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        // 1.0 takes this for its discipline level of the same number.
        MHD_OPTION_STRICT_FOR_CLIENT, settings.is_strict,
        MHD_OPTION_END);
}

// Adds a header field whose parts are no C strings. Returns 0 when the library does not take it.
static inline int dbr_add_field(
    struct MHD_Response *response, const void *name, size_t name_size, const void *value, size_t value_size
) {
    char short_text[512];
    size_t size = name_size + value_size + 2;
    char *text = size <= sizeof short_text ? short_text : malloc(size);
    if (text == NULL) return 0;
    memcpy(text, name, name_size);
    text[name_size] = 0;
    memcpy(text + name_size + 1, value, value_size);
    text[size - 1] = 0;
    enum MHD_Result result = MHD_add_response_header(response, text, text + name_size + 1);
    if (text != short_text) free(text);
    return result == MHD_YES;
}

// Adds header fields that stand in memory as C strings, names and values in turn.
static inline void dbr_add_fields(struct MHD_Response *response, const void *text, size_t size) {
    const char *name = text, *end = name + size;
    while (name < end) {
        const char *value = name + strlen(name) + 1;
        MHD_add_response_header(response, name, value);
        name = value + strlen(value) + 1;
    }
}

// Removes header fields that were added so.
static inline void dbr_remove_fields(struct MHD_Response *response, const void *text, size_t size) {
    const char *name = text, *end = name + size;
    while (name < end) {
        const char *value = name + strlen(name) + 1;
        MHD_del_response_header(response, name, value);
        name = value + strlen(value) + 1;
    }
}

static inline int dbr_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

static inline int dbr_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline const struct sockaddr *dbr_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

// A response without a length gets no chunks, and its connection ends with it.
static inline void dbr_end_by_closing(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

static inline size_t dbr_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

static inline int dbr_is_for_page(struct MHD_Connection *connection) {
    const char *accepted = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    return accepted != NULL && strstr(accepted, "text/html") != NULL;
}

static inline void *dbr_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// The session of GnuTLS, which the connection owns; NULL for plain HTTP.
static inline struct gnutls_session_int *dbr_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}

// How long the library lets a connection be silent.
static inline void dbr_set_idle_seconds(struct MHD_Connection *connection, unsigned int seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

// The connection behind an upgrade is done with.
static inline void dbr_end_upgrade(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// Takes a connection and hands it to a daemon, which closes it whatever happens. Returns 0 or errno.
static inline int dbr_accept(struct MHD_Daemon *daemon, int listening) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int socket = accept4(listening, (struct sockaddr *) &address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return errno;
    MHD_add_connection(daemon, socket, (struct sockaddr *) &address, length);
    return 0;
}

// Bytes that the peer has sent, and those of ours that it has acknowledged (RFC 4898).
static inline int dbr_traffic(int socket, uint64_t *received, uint64_t *acknowledged) {
    // The system's own header has these fields from Linux 4.1 on; glibc's is older.
    struct { struct tcp_info base; uint64_t pacing, max_pacing, acked, received; } info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return errno;
    if (length < sizeof info) return ENOTSUP;
    *received = info.received;
    *acknowledged = info.acked;
    return 0;
}

#endif
