// Transfers from start to end, and their requested faults.

#include "Bridge.h"

#include <errno.h>
#include <string.h>

gint64 last_activity;

void transfer_destroy(Transfer *transfer) {
    g_clear_pointer(&transfer->urb, umockdev_ioctl_data_unref);
    g_clear_pointer(&transfer->into, umockdev_ioctl_data_unref);
    g_free(transfer->bytes);
    g_free(transfer);
}

static Fault *take_fault(Device *device, guint8 endpoint) {
    for (GList *link = device->faults.head; link; link = link->next) {
        Fault *fault = link->data;
        if (fault->endpoint != endpoint) continue;
        g_queue_delete_link(&device->faults, link);
        return fault;
    }
    return NULL;
}

static gboolean is_part(Transfer *transfer) {
    return transfer->is_input && (transfer->flags & USBDEVFS_URB_BULK_CONTINUATION);
}

// Returns whether there is another transfer on the same endpoint.
static int in_front(gconstpointer other, gconstpointer transfer) {
    return other == transfer || ((Transfer *)other)->endpoint != ((Transfer *)transfer)->endpoint;
}

// Returns the first transfer on the endpoint that was not forwarded yet: a part of a long read, which may only run when
// the part before it was filled.
static Transfer *next_part(Device *device, guint8 endpoint) {
    for (GList *link = device->transfers.head; link; link = link->next) {
        Transfer *transfer = link->data;
        if (transfer->endpoint == endpoint && !transfer->is_sent && is_part(transfer)) return transfer;
    }
    return NULL;
}

void transfer_ended(Transfer *transfer, int status, int count, guint8 *bytes) {
    Device *device = transfer->device;
    guint8 endpoint = transfer->endpoint;
    gboolean is_filled = !status && count == transfer->length;
    g_queue_remove(&device->transfers, transfer);
    last_activity = g_get_monotonic_time();
    transfer->status = status;
    transfer->count = count;
    if (bytes) {
        g_free(transfer->bytes);
        transfer->bytes = bytes;
    }
    if (transfer->caller) {
        if (bytes && transfer->into) umockdev_ioctl_data_update(transfer->into, 0, bytes, count);
        file_complete(transfer->caller, status ? status : transfer->into ? count : 0);
        transfer_destroy(transfer);
    } else if (transfer->file) {
        g_queue_push_tail(&transfer->file->ended, transfer);
        // Answer the waiting call on the thread that answers all calls.
        if (transfer->file->patience) g_source_set_ready_time(transfer->file->patience, 0);
    } else {
        transfer_destroy(transfer);
    }
    if (!(endpoint & 0x80) || !(endpoint & 0x0F)) return;
    if (!is_filled) device->short_reads |= 1 << (endpoint & 0x0F);
    Transfer *next = next_part(device, endpoint);
    if (next && is_filled) link_submit(device, next);
    if (next && !is_filled) transfer_ended(next, -ECONNRESET, 0, NULL);
}

// Starts a prepared transfer. Returns 0 or a negative errno.
long transfer_start(Transfer *transfer) {
    Device *device = transfer->device;
    guint bit = 1 << (transfer->endpoint & 0x0F);
    gboolean is_waiting = is_part(transfer) && g_queue_find_custom(&device->transfers, transfer, in_front);
    if (is_part(transfer) && (device->short_reads & bit)) {
        g_queue_remove(&device->transfers, transfer);
        transfer_destroy(transfer);
        return -EREMOTEIO;
    }
    if (transfer->is_input && !is_part(transfer)) device->short_reads &= ~bit;
    last_activity = g_get_monotonic_time();
    g_autofree Fault *fault = take_fault(device, transfer->endpoint);
    if (fault && fault->kind == DENY) {
        g_queue_remove(&device->transfers, transfer);
        transfer_destroy(transfer);
        return -fault->value;
    }
    if (fault && fault->kind == FAIL) {
        transfer_ended(transfer, -fault->value, 0, NULL);
    } else if (fault && fault->kind == SHORTEN) {
        transfer_ended(transfer, 0, MIN(fault->value, transfer->length), NULL);
    } else if (fault) {
        device->counters[HELD]++;
    } else if (!is_waiting) {
        link_submit(device, transfer);
    }
    return 0;
}

void transfer_take_back(Transfer *transfer, int status) {
    if (transfer->unlink_sequence) return;
    if (!transfer->is_sent) return transfer_ended(transfer, status, 0, NULL);
    transfer->unlink_status = status;
    transfer->unlink_sequence = ++transfer->device->last_sequence;
    link_unlink(transfer->device, transfer->unlink_sequence, transfer->sequence);
}

Transfer *transfer_new(File *file, guint8 endpoint) {
    Transfer *transfer = g_new0(Transfer, 1);
    transfer->device = file->device;
    transfer->endpoint = endpoint;
    transfer->is_input = (endpoint & 0x80) != 0;
    g_queue_push_tail(&file->device->transfers, transfer);
    return transfer;
}

// Starts a request on the default endpoint, for a waiting caller.
long transfer_request(
    File *file, guint8 type, guint8 number, int value, int index, UMockdevIoctlData *into, int length) {
    Transfer *transfer = transfer_new(file, type & 0x80);
    guint8 setup[8] = {type, number, value, value >> 8, index, index >> 8, length, length >> 8};
    memcpy(transfer->setup, setup, sizeof setup);
    transfer->caller = file->client;
    transfer->into = into;
    transfer->length = length;
    link_submit(file->device, transfer);
    return LATER;
}
