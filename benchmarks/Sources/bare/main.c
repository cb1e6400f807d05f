// The yardstick: C on GNU libmicrohttpd, driven in the best way known, from an epoll loop of its own. It answers with
// the same bytes as the gateway does, but decides nothing: `bare PORT [--root FOLDER] [--pool BYTES] [--plain] [--keep]`,
// or `bare PORT --echo`. With `--plain` it leaves out the fields that the gateway adds for safety and for tracing. With
// `--keep` it keeps a body until its answer, as a handler needs it, where it else counts the bytes. With `--echo` it does
// nothing but echo the frames of WebSockets.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "echo.h"

static const char greeting[] = "{\"code\":200,\"data\":{\"message\":\"hello\"},\"message\":\"\"}";
static const char typed[] =
    "{\"code\":200,\"data\":{\"greeting\":\"hello ann\",\"next\":43,\"tags\":[\"one\",\"two\",\"three\"]},"
    "\"message\":\"\"}";

static const char *root;
static int is_plain, is_echo, keeps_bodies;
static unsigned long requests;

struct request {
    size_t received, room;
    char *body;
    struct MHD_Connection *connection;
    struct request *next;
    int is_back;
};

// MARK: Another thread, for the handler that waits

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct request *outbox, *inbox;
static int wakeup;

static void *other_thread(void *nothing) {
    (void) nothing;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (outbox == NULL) pthread_cond_wait(&news, &lock);
        struct request *all = outbox;
        outbox = NULL;
        int was_empty = inbox == NULL;
        while (all != NULL) {
            struct request *next = all->next;
            all->next = inbox;
            inbox = all;
            all = next;
        }
        pthread_mutex_unlock(&lock);
        uint64_t one = 1;
        if (was_empty && write(wakeup, &one, 8) != 8) return NULL;
    }
}

// MARK: Answers

static enum MHD_Result answer(struct MHD_Connection *connection, struct MHD_Response *response, const char *type) {
    if (response == NULL) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    if (!is_plain) {
        char text[64];
        MHD_add_response_header(response, "Cache-Control", "no-store");
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
        MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
        snprintf(text, sizeof text, "handler;desc=\"Bare\";dur=%d.%02d", 0, (int) (requests % 100));
        MHD_add_response_header(response, "Server-Timing", text);
        snprintf(text, sizeof text, "bare-%lx", requests++);
        MHD_add_response_header(response, "X-Request-Id", text);
    }
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, const char *text, size_t length, const char *type) {
    return answer(
        connection, MHD_create_response_from_buffer(length, (void *) text, MHD_RESPMEM_MUST_COPY), type);
}

static enum MHD_Result answer_file(struct MHD_Connection *connection, const char *url) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s%s", root == NULL ? "/nonexistent" : root, url);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file >= 0) close(file);
        return MHD_NO;
    }
    return answer(connection, MHD_create_response_from_fd64(status.st_size, file), "application/octet-stream");
}

static int keep(struct request *request, struct MHD_Connection *connection, const char *data, size_t size) {
    if (request->received + size > request->room) {
        const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
        request->room = length != NULL ? strtoul(length, NULL, 10) : 2 * (request->received + size);
        request->body = realloc(request->body, request->room);
        if (request->body == NULL) return 0;
    }
    memcpy(request->body + request->received, data, size);
    return 1;
}

static enum MHD_Result serve(
    void *self, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *data, size_t *size, void **context
) {
    (void) self; (void) method; (void) version; (void) data;
    struct request *request = *context;
    if (request == NULL) {
        *context = request = calloc(1, sizeof *request);
        request->connection = connection;
        return MHD_YES;
    }
    if (*size > 0) {
        if (keeps_bodies && !keep(request, connection, data, *size)) return MHD_NO;
        request->received += *size;
        *size = 0;
        return MHD_YES;
    }
    if (strcmp(url, "/typed") == 0) return answer_text(connection, typed, sizeof typed - 1, "text/json");
    if (strcmp(url, "/upload") == 0) {
        char text[32];
        int length = snprintf(text, sizeof text, "%zu\n", request->received);
        return answer_text(connection, text, (size_t) length, "text/plain; charset=utf-8");
    }
    if (strncmp(url, "/file", 5) == 0) return answer_file(connection, url);
    if (strcmp(url, "/wait") == 0 && !request->is_back) {
        MHD_suspend_connection(connection);
        pthread_mutex_lock(&lock);
        request->next = outbox;
        outbox = request;
        pthread_cond_signal(&news);
        pthread_mutex_unlock(&lock);
        return MHD_YES;
    }
    if (strcmp(url, "/hold") == 0) {
        MHD_suspend_connection(connection);
        return MHD_YES;
    }
    return answer_text(connection, greeting, sizeof greeting - 1, "text/json");
}

static void completed(
    void *self, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode code
) {
    (void) self; (void) connection; (void) code;
    struct request *request = *context;
    if (request != NULL) free(request->body);
    free(request);
    *context = NULL;
}

// MARK: The loop

static void resume_all(void) {
    uint64_t count;
    if (read(wakeup, &count, 8) != 8) return;
    pthread_mutex_lock(&lock);
    struct request *all = inbox;
    inbox = NULL;
    pthread_mutex_unlock(&lock);
    while (all != NULL) {
        struct request *next = all->next;
        all->is_back = 1;
        MHD_resume_connection(all->connection);
        all = next;
    }
}

int main(int count, char **arguments) {
    unsigned int pool = 32 << 10;
    for (int place = 2; place < count; place++) {
        if (strcmp(arguments[place], "--root") == 0) root = arguments[++place];
        else if (strcmp(arguments[place], "--pool") == 0) pool = (unsigned int) atoi(arguments[++place]);
        else if (strcmp(arguments[place], "--plain") == 0) is_plain = 1;
        else if (strcmp(arguments[place], "--keep") == 0) keeps_bodies = 1;
        else if (strcmp(arguments[place], "--echo") == 0) is_echo = 1;
    }
    if (count < 2) return 64;
    signal(SIGPIPE, SIG_IGN);
    if (keeps_bodies) {
        // As in the gateway: what is freed is taken again, and not given back to the system.
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 64 << 20);
    }

    int listening = socket(AF_INET, SOCK_STREAM | (is_echo ? 0 : SOCK_NONBLOCK), 0), yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t) atoi(arguments[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listening, (struct sockaddr *) &address, sizeof address) != 0 || listen(listening, 4096) != 0) {
        perror("bare");
        return 1;
    }
    if (is_echo) return echo_all(listening);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, serve, NULL,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
        MHD_OPTION_CONNECTION_LIMIT, 15000u, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) pool,
        // As much of the pool as the library spares for what it reads (0.9.75).
        MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t) pool / 4 * 3, MHD_OPTION_END);
    if (daemon == NULL) return 1;

    pthread_t thread;
    wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_create(&thread, NULL, other_thread, NULL);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int library = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = library};
    epoll_ctl(epoll, EPOLL_CTL_ADD, library, &event);
    event.data.fd = wakeup;
    epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event);
    int is_due = 0;
    for (;;) {
        struct epoll_event events[16];
        MHD_UNSIGNED_LONG_LONG timeout;
        int wait = is_due ? 0 : MHD_get_timeout(daemon, &timeout) == MHD_YES ? (int) (timeout > 1000 ? 1000 : timeout) : 1000;
        int ready = epoll_wait(epoll, events, 16, wait);
        is_due = 0;
        for (int place = 0; place < ready; place++) {
            if (events[place].data.fd != wakeup) continue;
            resume_all();
            is_due = 1;
        }
        MHD_run(daemon);
    }
}
