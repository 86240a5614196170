// The client's side of USB/IP (Documentation/usb/usbip_protocol.rst of the kernel). Numbers have the highest byte
// first.

#include "Bridge.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { SUBMIT = 1, UNLINK, SUBMITTED, UNLINKED };
enum { VERSION = 0x0111, IMPORT = 0x8003, RECORD_LENGTH = 312 };

// The header of every message about a transfer. The words are, of
// SUBMIT: flags, length, first frame, packets, interval, setup; UNLINK: the victim's sequence number;
// SUBMITTED: status, length; UNLINKED: status.
typedef struct {
    guint32 command, sequence, device, is_input, endpoint, words[7];
} Header;

static gboolean send_all(int socket, const void *bytes, size_t length) {
    for (ssize_t count; length; bytes = (const char *)bytes + count, length -= count)
        if ((count = send(socket, bytes, length, MSG_NOSIGNAL)) <= 0) return FALSE;
    return TRUE;
}

static gboolean receive_all(int socket, void *bytes, size_t length) {
    return !length || recv(socket, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

static guint32 word(const guint8 *bytes) {
    guint32 value;
    memcpy(&value, bytes, sizeof value);
    return ntohl(value);
}

void link_submit(Device *device, Transfer *transfer) {
    Header header = {
        .command = htonl(SUBMIT),
        .sequence = htonl(transfer->sequence = ++device->last_sequence),
        .device = htonl(device->id),
        .is_input = htonl(transfer->is_input),
        .endpoint = htonl(transfer->endpoint & 0x0F),
        .words = {htonl(transfer->flags), htonl(transfer->length)},
    };
    memcpy(&header.words[5], transfer->setup, sizeof transfer->setup);
    transfer->is_sent = TRUE;
    // A failed send gets no answer either: the listener sees the end of the connection.
    if (send_all(device->socket, &header, sizeof header) && !transfer->is_input)
        send_all(device->socket, transfer->bytes, transfer->length);
}

void link_unlink(Device *device, guint32 sequence, guint32 victim) {
    Header header = {
        .command = htonl(UNLINK),
        .sequence = htonl(sequence),
        .device = htonl(device->id),
        .words = {htonl(victim)},
    };
    send_all(device->socket, &header, sizeof header);
}

static Transfer *find(Device *device, guint32 sequence, gboolean is_unlinking) {
    for (GList *link = device->transfers.head; link; link = link->next) {
        Transfer *transfer = link->data;
        if (transfer->is_sent && sequence == (is_unlinking ? transfer->unlink_sequence : transfer->sequence))
            return transfer;
    }
    return NULL;
}

void link_listen(Device *device) {
    for (Header header; receive_all(device->socket, &header, sizeof header);) {
        int status = (gint32)ntohl(header.words[0]), count = ntohl(header.words[1]);
        gboolean is_unlinked = header.command == htonl(UNLINKED);
        g_mutex_lock(&lock);
        Transfer *transfer = find(device, ntohl(header.sequence), is_unlinked);
        // Only this thread ends transfers of a plugged-in device.
        g_mutex_unlock(&lock);
        guint8 *bytes = NULL;
        if (!is_unlinked && transfer && transfer->is_input && count > 0) {
            if (count > transfer->length) break;
            bytes = g_malloc(count);
            if (!receive_all(device->socket, bytes, count)) {
                g_free(bytes);
                break;
            }
        }
        g_mutex_lock(&lock);
        // A transfer that ended before its unlink is not found.
        if (transfer && is_unlinked && status) transfer_ended(transfer, transfer->unlink_status, 0, NULL);
        if (transfer && !is_unlinked) transfer_ended(transfer, status, count, bytes);
        g_mutex_unlock(&lock);
    }
}

// One request and its answer, before other users of the connection. Returns the number of bytes received, or -1 for a
// stall.
static int control(Device *device, const guint8 setup[8], guint8 *bytes, int room) {
    Transfer transfer = {.is_input = TRUE, .length = room};
    memcpy(transfer.setup, setup, 8);
    link_submit(device, &transfer);
    Header header;
    if (!receive_all(device->socket, &header, sizeof header) || header.words[0]) return -1;
    int count = ntohl(header.words[1]);
    return count >= 0 && count <= room && receive_all(device->socket, bytes, count) ? count : -1;
}

static int get_descriptor(Device *device, int kind, int index, guint8 *bytes, int room) {
    // Strings have a language; 0409 (US English) is the common one.
    guint8 language[2] = {kind == 3 && index ? 0x09 : 0, kind == 3 && index ? 0x04 : 0};
    guint8 setup[8] = {0x80, 6, index, kind, language[0], language[1], room, room >> 8};
    return control(device, setup, bytes, room);
}

static gboolean read_descriptors(Device *device) {
    guint8 bytes[4096];
    if (get_descriptor(device, 1, 0, bytes, 18) != 18) return FALSE;
    guint8 strings[3] = {bytes[14], bytes[15], bytes[16]};
    device->descriptors = g_byte_array_append(g_byte_array_new(), bytes, 18);
    if (get_descriptor(device, 2, 0, bytes, 9) != 9) return FALSE;
    int length = MIN(bytes[2] | bytes[3] << 8, (int)sizeof bytes);
    if (get_descriptor(device, 2, 0, bytes, length) != length) return FALSE;
    g_byte_array_append(device->descriptors, bytes, length);
    for (int index = 0; index < 3; index++) {
        int count = strings[index] ? get_descriptor(device, 3, strings[index], bytes, 255) : -1;
        if (count < 2) continue;
        device->strings[index] = g_utf16_to_utf8((gunichar2 *)(bytes + 2), count / 2 - 1, NULL, NULL, NULL);
    }
    return TRUE;
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo *address, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    if (getaddrinfo(host, port, &hints, &address)) return -1;
    int connection = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, address->ai_addr, address->ai_addrlen)) {
        close(connection);
        connection = -1;
    }
    freeaddrinfo(address);
    return connection;
}

// The time for the next bytes of a server; 0: no limit.
static void limit(int connection, int seconds) {
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = seconds}, sizeof(struct timeval));
}

Device *link_import(const char *host, const char *port, const char *bus_id, char **reason) {
    int connection = connect_to(host, port);
    if (connection < 0) return *reason = g_strdup_printf("no server at %s %s", host, port), NULL;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    // The connection of a server that accepts no more is never answered, and all orders would wait for it.
    limit(connection, 30);
    guint8 request[40] = {VERSION >> 8, VERSION & 0xFF, IMPORT >> 8, IMPORT & 0xFF}, answer[8], record[RECORD_LENGTH];
    g_strlcpy((char *)request + 8, bus_id, 32);
    Device *device = g_new0(Device, 1);
    device->socket = connection;
    if (!send_all(connection, request, sizeof request) || !receive_all(connection, answer, sizeof answer)) {
        *reason = g_strdup("the server closed the connection, or does not answer");
    } else if (word(answer + 4)) {
        *reason = g_strdup_printf("the server refused %s: status %u", bus_id, word(answer + 4));
    } else if (!receive_all(connection, record, sizeof record)) {
        *reason = g_strdup("the server sent no device");
    } else {
        // The number of the bus and that of the device on it.
        device->id = word(record + 288) << 16 | word(record + 292);
        if (read_descriptors(device)) {
            limit(connection, 0);
            return device;
        }
        *reason = g_strdup("the device gives no descriptors");
    }
    close(connection);
    g_free(device);
    return NULL;
}
