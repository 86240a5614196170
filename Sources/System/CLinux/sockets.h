// epoll(7), timerfd_create(2), and accept4(2), which Swift's module of the C library leaves out.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Watches a file for every change of its readiness, in both directions. Returns 0, or errno.
static inline int epoll_watch(int epoll, int file, uint64_t token) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) < 0 ? errno : 0;
}

static inline void epoll_forget(int epoll, int file) { epoll_ctl(epoll, EPOLL_CTL_DEL, file, NULL); }

// Whether an event tells that the file can be read, or has ended.
static inline int epoll_is_readable(const struct epoll_event *event) {
    return (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

// Whether an event tells that the file can be written, or has failed.
static inline int epoll_is_writable(const struct epoll_event *event) {
    return (event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}

// Accepts a connection as a nonblocking descriptor that children do not inherit. Returns it, or -1 with errno.
static inline int accept_nonblocking(int file, struct sockaddr *address, socklen_t *size) {
    return (int)syscall(SYS_accept4, file, address, size, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Names the calling thread for debuggers and top(1).
static inline void name_calling_thread(const char *name) { prctl(PR_SET_NAME, name); }
