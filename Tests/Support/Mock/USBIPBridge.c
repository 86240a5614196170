// Runs a program with USB devices from USB/IP servers.
//
//     cc -o bridge *.c $(pkg-config --cflags --libs umockdev-1.0)
//     umockdev-wrapper ./bridge PROGRAM ARGUMENTS...
//
// The program and its libusb are the real ones, and no kernel takes part: umockdev passes the system calls on usbfs to
// this process, which forwards them to the server of the device. CARDPRESENT_USB_BRIDGE names a socket for commands,
// one line each, answered by a line that begins with `ok` or `error`:
//
//     plug HOST PORT BUSID        import a device and plug it in: ok ADDRESS
//     unplug ADDRESS              pull it out; so does a server that closes the connection
//     driver ADDRESS NAME         a kernel driver has the first interface, or none has: -
//     taken ADDRESS yes|no        another program has it
//     refuse ADDRESS              the next claim of it fails: another program was faster
//     counters ADDRESS            ok CLAIMS RELEASES DETACHES ATTACHES CLEARED_HALTS RESETS TRANSFERS FILES HELD
//     fail ADDRESS EP ERRNO       the next transfer on the endpoint fails before the device sees it
//     shorten ADDRESS EP COUNT    the next transfer ends after so many bytes; the device does not see it
//     hold ADDRESS EP             the next transfer never ends
//     deny ADDRESS EP ERRNO       the submission of the next transfer fails
//     suspend ADDRESS             the machine suspends and resumes with the device still plugged in
//
// Endpoints are in hexadecimal: 00 and 80 are the default endpoint, out and in. The exit status is the program's.

#define _GNU_SOURCE
#include "Bridge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

GMutex lock;
UMockdevTestbed *testbed;
UMockdevIoctlBase *handler;

// The device's life: until the server closes the connection.
static gpointer live(gpointer user) {
    Device *device = user;
    link_listen(device);
    g_mutex_lock(&lock);
    node_remove(device);
    file_unplugged(device);
    g_mutex_unlock(&lock);
    close(device->socket);
    return NULL;
}

static char *plug(char **words) {
    char *reason = NULL;
    Device *device = link_import(words[1], words[2], words[3], &reason);
    if (device) {
        g_mutex_lock(&lock);
        gboolean is_added = node_add(device, &reason);
        g_mutex_unlock(&lock);
        if (is_added) {
            int address = device->address;
            g_thread_unref(g_thread_new("device", live, device));
            return g_strdup_printf("ok %d", address);
        }
    }
    char *answer = g_strdup_printf("error %s", reason);
    g_free(reason);
    return answer;
}

static char *ok(void) { return g_strdup("ok"); }

static char *add_fault(Device *device, const char *endpoint, int kind, const char *value) {
    Fault *fault = g_new0(Fault, 1);
    fault->endpoint = strtoul(endpoint, NULL, 16);
    fault->kind = kind;
    fault->value = value ? atoi(value) : 0;
    g_queue_push_tail(&device->faults, fault);
    return ok();
}

static char *obey(char **words) {
    guint count = g_strv_length(words);
    if (count == 4 && !strcmp(words[0], "plug")) return plug(words);
    g_mutex_lock(&lock);
    Device *device = count > 1 ? node_find(atoi(words[1]), NULL) : NULL;
    Interface *interface = device ? g_ptr_array_index(device->interfaces, 0) : NULL;
    char *answer = NULL;
    if (!device) {
        answer = g_strdup("error no such device");
    } else if (!strcmp(words[0], "unplug")) {
        shutdown(device->socket, SHUT_RDWR);
        answer = ok();
    } else if (count == 3 && !strcmp(words[0], "driver")) {
        g_strlcpy(interface->driver, strcmp(words[2], "-") ? words[2] : "", sizeof interface->driver);
        node_show_driver(device, interface, interface->driver);
        answer = ok();
    } else if (count == 3 && !strcmp(words[0], "taken")) {
        interface->is_taken = !strcmp(words[2], "yes");
        node_show_driver(device, interface, interface->is_taken ? "usbfs" : NULL);
        answer = ok();
    } else if (!strcmp(words[0], "refuse")) {
        interface->is_refused = TRUE;
        answer = ok();
    } else if (!strcmp(words[0], "counters")) {
        GString *text = g_string_new("ok");
        device->counters[TRANSFERS] = g_queue_get_length(&device->transfers);
        for (int index = 0; index < COUNTER_COUNT; index++)
            g_string_append_printf(text, " %u", device->counters[index]);
        answer = g_string_free(text, FALSE);
    } else if (count == 4 && !strcmp(words[0], "fail")) {
        answer = add_fault(device, words[2], FAIL, words[3]);
    } else if (count == 4 && !strcmp(words[0], "shorten")) {
        answer = add_fault(device, words[2], SHORTEN, words[3]);
    } else if (count == 3 && !strcmp(words[0], "hold")) {
        answer = add_fault(device, words[2], HOLD, NULL);
    } else if (count == 4 && !strcmp(words[0], "deny")) {
        answer = add_fault(device, words[2], DENY, words[3]);
    } else if (!strcmp(words[0], "suspend")) {
        file_flush(device, NULL);
        answer = ok();
    } else {
        answer = g_strdup("error unknown order");
    }
    g_mutex_unlock(&lock);
    return answer;
}

static gpointer take_orders(gpointer user) {
    int listener = GPOINTER_TO_INT(user);
    for (int connection; (connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        char line[512];
        // The client sends one line and waits.
        for (ssize_t length; (length = recv(connection, line, sizeof line - 1, 0)) > 0;) {
            line[length] = 0;
            g_auto(GStrv) words = g_strsplit(g_strchomp(line), " ", -1);
            g_autofree char *answer = obey(words);
            g_autofree char *text = g_strconcat(answer, "\n", NULL);
            send(connection, text, strlen(text), MSG_NOSIGNAL);
        }
        close(connection);
    }
    return NULL;
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_strlcpy(address.sun_path, path, sizeof address.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!bind(listener, (struct sockaddr *)&address, sizeof address) && !listen(listener, 8)) return listener;
    perror(path);
    exit(3);
}

int main(int count, char **arguments) {
    if (count < 2) return fprintf(stderr, "usage: umockdev-wrapper %s PROGRAM ARGUMENTS...\n", arguments[0]), 2;
    testbed = umockdev_testbed_new();
    handler = umockdev_ioctl_base_new();
    file_listen(handler);
    g_autofree char *directory = g_dir_make_tmp("usb-bridge-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "orders", NULL);
    int listener = listen_at(path);
    g_setenv("CARDPRESENT_USB_BRIDGE", path, TRUE);

    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(127);
    }
    g_thread_unref(g_thread_new("orders", take_orders, GINT_TO_POINTER(listener)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    g_mutex_lock(&lock);
    unlink(path);
    rmdir(directory);
    g_object_unref(testbed);  // removes its files
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
