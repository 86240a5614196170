#include "CMultiLoop.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n"
                             "{\"success\": true}";

// Requests come one after the other on a connection and have no body, so each ends with an empty line.
static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument, matched = 0;
    static const char end[] = "\r\n\r\n";
    char buffer[4096];
    ssize_t count;
    while ((count = recv(connection, buffer, sizeof buffer, 0)) > 0) {
        for (ssize_t index = 0; index < count; index++) {
            matched = buffer[index] == end[matched] ? matched + 1 : buffer[index] == end[0] ? 1 : 0;
            if (matched < 4) continue;
            matched = 0;
            if (send(connection, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0) break;
        }
    }
    close(connection);
    return NULL;
}

static void *accept_all(void *argument) {
    int listener = (int)(intptr_t)argument, connection, one = 1;
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) == 0) pthread_detach(thread);
    }
    return NULL;
}

int http_server_start(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t thread;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 64) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
        pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener) != 0)
        return 0;
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

static size_t discard(char *data, size_t size, size_t count, void *user) {
    (void)data, (void)user;
    return size * count;
}

int multi_loop_run(const char *url, int count, int width) {
    CURLM *multi = curl_multi_init();
    int started = 0, done = 0, good = 0, running = 0, left;
    for (; started < width && started < count; started++) {
        CURL *handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_URL, url);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_multi_add_handle(multi, handle);
    }
    while (done < count) {
        CURLMsg *message;
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            long status = 0;
            curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            good += message->data.result == CURLE_OK && status == 200;
            done++;
            curl_multi_remove_handle(multi, handle);
            if (started < count) {
                started++;
                curl_multi_add_handle(multi, handle);
            } else {
                curl_easy_cleanup(handle);
            }
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(multi);
    return good;
}
