#include "CHostLine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { longest_frame = 65537, silence = 30 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int connected(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = silence};
    int one = 1, file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return -1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(file, (struct sockaddr *)&address, sizeof address) < 0) {
        close(file);
        return -1;
    }
    return file;
}

static int send_all(int file, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(file, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        bytes += sent, count -= (size_t)sent;
    }
    return 0;
}

// The echo

static int listener(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0 || bind(file, (struct sockaddr *)&address, size) < 0 || listen(file, 512) < 0 ||
        getsockname(file, (struct sockaddr *)&address, &size) < 0)
        return -1;
    *port = ntohs(address.sin_port);
    return file;
}

static SSL_CTX *echo_context;

static void *echo_over_tls(void *argument) {
    int file = (int)(intptr_t)argument, count;
    static _Thread_local uint8_t buffer[16384];
    SSL *session = SSL_new(echo_context);
    if (session != NULL && SSL_set_fd(session, file) == 1 && SSL_accept(session) == 1) {
        while ((count = SSL_read(session, buffer, sizeof buffer)) > 0) {
            if (SSL_write(session, buffer, count) != count) break;
        }
    }
    SSL_free(session);
    close(file);
    return NULL;
}

static void *accept_over_tls(void *argument) {
    int listening = (int)(intptr_t)argument, file, one = 1;
    while ((file = accept(listening, NULL, NULL)) >= 0) {
        pthread_t thread;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (pthread_create(&thread, NULL, echo_over_tls, (void *)(intptr_t)file) == 0) {
            pthread_detach(thread);
        } else {
            close(file);
        }
    }
    return NULL;
}

// One thread for all connections, as few system calls as can be.
static int echo_over_tcp(int listening) {
    static uint8_t buffer[65536];
    int one = 1, waiting = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listening}, events[64];
    if (waiting < 0 || epoll_ctl(waiting, EPOLL_CTL_ADD, listening, &event) < 0) return 1;
    for (;;) {
        int ready = epoll_wait(waiting, events, 64, -1);
        for (int index = 0; index < ready; index++) {
            int file = events[index].data.fd;
            if (file == listening) {
                if ((file = accept(listening, NULL, NULL)) < 0) continue;
                setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                event.data.fd = file;
                if (epoll_ctl(waiting, EPOLL_CTL_ADD, file, &event) < 0) close(file);
                continue;
            }
            ssize_t count = recv(file, buffer, sizeof buffer, 0);
            if (count <= 0 || send_all(file, buffer, (size_t)count) < 0) close(file);
        }
    }
}

int host_echo_run(const char *certificate, const char *key) {
    int plain_port = 0, tls_port = 0, plain = listener(&plain_port), tls = listener(&tls_port);
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    echo_context = SSL_CTX_new(TLS_server_method());
    if (plain < 0 || tls < 0 || echo_context == NULL ||
        SSL_CTX_use_certificate_chain_file(echo_context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(echo_context, key, SSL_FILETYPE_PEM) != 1 ||
        pthread_create(&thread, NULL, accept_over_tls, (void *)(intptr_t)tls) != 0)
        return 1;
    pthread_detach(thread);
    printf("listening at %d %d\n", plain_port, tls_port);
    fflush(stdout);
    return echo_over_tcp(plain);
}

// One client

struct host_client {
    int file;
    SSL_CTX *context;
    SSL *session;
};

struct host_client *host_client_open(int port, const char *authorities) {
    struct host_client *client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    client->file = connected(port);
    if (client->file >= 0 && authorities == NULL) return client;
    // libssl writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN);
    if (client->file >= 0 && (client->context = SSL_CTX_new(TLS_client_method())) != NULL &&
        SSL_CTX_load_verify_locations(client->context, authorities, NULL) == 1) {
        SSL_CTX_set_verify(client->context, SSL_VERIFY_PEER, NULL);
        if ((client->session = SSL_new(client->context)) != NULL && SSL_set_fd(client->session, client->file) == 1 &&
            SSL_connect(client->session) == 1)
            return client;
    }
    host_client_close(client);
    return NULL;
}

void host_client_close(struct host_client *client) {
    if (client == NULL) return;
    if (client->session != NULL) SSL_shutdown(client->session);
    SSL_free(client->session);
    SSL_CTX_free(client->context);
    if (client->file >= 0) close(client->file);
    free(client);
}

static int receive(struct host_client *client, uint8_t *bytes, size_t room) {
    for (;;) {
        ssize_t count = client->session != NULL ? SSL_read(client->session, bytes, (int)room)
                                                : recv(client->file, bytes, room, 0);
        if (count < 0 && client->session == NULL && errno == EINTR) continue;
        return (int)count;
    }
}

int64_t host_client_exchange(struct host_client *client, const uint8_t *request, size_t count, uint8_t *answer,
                             size_t room, size_t *answered) {
    int64_t start = now();
    size_t have = 0, wanted = 2;
    if (client->session != NULL ? SSL_write(client->session, request, (int)count) != (int)count
                                : send_all(client->file, request, count) < 0)
        return -1;
    while (have < wanted) {
        int read = have < room ? receive(client, answer + have, room - have) : -1;
        if (read <= 0) return -1;
        have += (size_t)read;
        if (have >= 2) wanted = 2 + ((size_t)answer[0] << 8 | answer[1]);
    }
    *answered = have;
    return now() - start;
}

// Many clients

struct load_connection {
    int file;
    int sent, answered;
    size_t have, last;
    uint8_t bytes[longest_frame];
    uint8_t answer[longest_frame];
};

struct host_load {
    int count, waiting;
    struct load_connection *connections;
};

struct host_load *host_load_open(int port, int count) {
    struct host_load *load = calloc(1, sizeof *load);
    if (load == NULL) return NULL;
    load->waiting = epoll_create1(EPOLL_CLOEXEC);
    load->connections = calloc((size_t)count, sizeof *load->connections);
    for (; load->connections != NULL && load->waiting >= 0 && load->count < count; load->count++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)load->count};
        int file = connected(port);
        load->connections[load->count].file = file;
        if (file < 0) break;
        if (epoll_ctl(load->waiting, EPOLL_CTL_ADD, file, &event) < 0) {
            close(file);
            break;
        }
    }
    if (load->count == count) return load;
    host_load_close(load);
    return NULL;
}

void host_load_close(struct host_load *load) {
    if (load == NULL) return;
    for (int index = 0; index < load->count; index++) close(load->connections[index].file);
    if (load->waiting >= 0) close(load->waiting);
    free(load->connections);
    free(load);
}

// Counts the whole frames of a connection, and keeps the last one.
static void take_frames(struct load_connection *connection) {
    size_t start = 0;
    while (connection->have - start >= 2) {
        const uint8_t *frame = connection->bytes + start;
        size_t size = (size_t)frame[0] << 8 | frame[1];
        if (connection->have - start < 2 + size) break;
        memcpy(connection->answer, frame + 2, size);
        connection->last = size;
        connection->answered++;
        start += 2 + size;
    }
    connection->have -= start;
    if (start > 0) memmove(connection->bytes, connection->bytes + start, connection->have);
}

// Sends as many frames as the window allows, in one call.
static int send_frames(struct load_connection *connection, const uint8_t *frames, size_t size, int count, int window) {
    int more = window - (connection->sent - connection->answered), left = count - connection->sent;
    if (more > left) more = left;
    if (more <= 0) return 0;
    const uint8_t *first = frames + (size_t)connection->sent * size;
    connection->sent += more;
    return send_all(connection->file, first, (size_t)more * size);
}

int64_t host_load_run(struct host_load *load, const uint8_t *frames, size_t size, int count, int window) {
    struct epoll_event events[64];
    int64_t start = now();
    int open = load->count;
    for (int index = 0; index < load->count; index++) {
        struct load_connection *connection = &load->connections[index];
        connection->sent = connection->answered = 0;
        connection->have = connection->last = 0;
        if (send_frames(connection, frames + (size_t)index * (size_t)count * size, size, count, window) < 0) return -1;
    }
    while (open > 0) {
        int ready = epoll_wait(load->waiting, events, 64, silence * 1000);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return -1;
        for (int event = 0; event < ready; event++) {
            int index = (int)events[event].data.u32;
            struct load_connection *connection = &load->connections[index];
            ssize_t read = recv(connection->file, connection->bytes + connection->have,
                                sizeof connection->bytes - connection->have, MSG_DONTWAIT);
            if (read < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (read <= 0) return -1;
            int before = connection->answered;
            connection->have += (size_t)read;
            take_frames(connection);
            if (connection->answered == count && before < count) open--;
            if (send_frames(connection, frames + (size_t)index * (size_t)count * size, size, count, window) < 0)
                return -1;
        }
    }
    return now() - start;
}

size_t host_load_last(struct host_load *load, int connection, uint8_t *answer, size_t room) {
    if (connection < 0 || connection >= load->count || load->connections[connection].last > room) return 0;
    memcpy(answer, load->connections[connection].answer, load->connections[connection].last);
    return load->connections[connection].last;
}
