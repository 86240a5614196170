// The system calls on an open device, as in the kernel's usbfs (drivers/usb/core/devio.c): claims belong to the file
// that made them, and each file reaps its own URBs.

#include "Bridge.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

// A program waits for a device by poll, which a file of the testbed always answers at once: it would call REAPURB
// in a loop. So a call that finds nothing is answered late, except while transfers are active.
enum { PATIENCE_MS = 1, CONVERSATION_US = 3000 };

// Of the thread that answers all calls.
static GMainContext *context;

static gboolean forget(gpointer client) {
    g_object_unref(client);
    return G_SOURCE_REMOVE;
}

void file_complete(UMockdevIoctlClient *client, long result) {
    umockdev_ioctl_client_complete(client, result < 0 ? -1 : result, result < 0 ? -result : 0);
    // Later, and without the lock, which the caller may hold: the program has its answer and may close the file before
    // this thread goes on, and then this is the last reference, whose end takes the lock (`closed`).
    g_autoptr(GSource) later = g_idle_source_new();
    g_source_set_priority(later, G_PRIORITY_DEFAULT);
    g_source_set_callback(later, forget, client, NULL);
    g_source_attach(later, context);
}

// MARK: Claims

static long claim(File *file, Interface *interface) {
    if (!interface) return -ENOENT;
    if (interface->owner == file) return 0;
    if (interface->owner || interface->is_taken || *interface->driver) return -EBUSY;
    if (interface->is_refused) return interface->is_refused = FALSE, -EBUSY;
    interface->owner = file;
    file->device->counters[CLAIMS]++;
    node_show_driver(file->device, interface, "usbfs");
    return 0;
}

void file_flush(Device *device, Interface *interface) {
    // Start over each time: the end of one may end others.
    for (GList *link = device->transfers.head; link;) {
        Transfer *transfer = link->data;
        Interface *its = node_interface_of(device, transfer->endpoint);
        link = link->next;
        if (!its || (interface && its != interface) || transfer->unlink_sequence) continue;
        transfer_take_back(transfer, -ESHUTDOWN);
        link = device->transfers.head;
    }
}

static void release(File *file, Interface *interface) {
    interface->owner = NULL;
    file->device->counters[RELEASES]++;
    node_show_driver(file->device, interface, NULL);
    file_flush(file->device, interface);
}

// usbfs loses its claims in a reset: an interface that still has an owner loses it.
static void forget_claims(Device *device) {
    file_flush(device, NULL);
    for (guint index = 0; index < device->interfaces->len; index++) {
        Interface *interface = g_ptr_array_index(device->interfaces, index);
        if (!interface->owner) continue;
        interface->owner = NULL;
        node_show_driver(device, interface, NULL);
    }
}

static long detach_or_attach(File *file, UMockdevIoctlData *argument) {
    struct usbdevfs_ioctl command;
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof command, NULL);
    memcpy(&command, data->data, sizeof command);
    Interface *interface = node_interface(file->device, command.ifno);
    if (!interface) return -EINVAL;
    if ((unsigned)command.ioctl_code == USBDEVFS_DISCONNECT) {
        if (!*interface->driver) return -ENODATA;
        strcpy(interface->detached, interface->driver);
        *interface->driver = 0;
        file->device->counters[DETACHES]++;
    } else {
        if (*interface->driver || interface->owner || interface->is_taken) return -EBUSY;
        strcpy(interface->driver, interface->detached);
        file->device->counters[ATTACHES]++;
    }
    node_show_driver(file->device, interface, interface->driver);
    return 1;
}

// MARK: URBs

static long submit(File *file, UMockdevIoctlData *argument) {
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof(Urb), NULL);
    Urb *urb = (Urb *)data->data;
    gboolean is_control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
    if (urb->type == USBDEVFS_URB_TYPE_ISO || (is_control && urb->buffer_length < 8)) return -EINVAL;
    // Like the kernel, claim the interface of a used endpoint.
    long result = is_control ? 0 : claim(file, node_interface_of(file->device, urb->endpoint));
    if (result) return result;

    int head = is_control ? 8 : 0;
    guint8 *bytes = NULL;
    if (urb->buffer_length && (is_control || !(urb->endpoint & 0x80))) {
        g_autoptr(UMockdevIoctlData) buffer =
            umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(Urb, buffer), urb->buffer_length, NULL);
        bytes = g_memdup2(buffer->data, urb->buffer_length);
    }
    Transfer *transfer = transfer_new(file, is_control ? bytes[0] & 0x80 : urb->endpoint);
    transfer->file = file;
    transfer->flags = urb->flags;
    transfer->length = urb->buffer_length - head;
    if (is_control) {
        memcpy(transfer->setup, bytes, 8);
        transfer->length = MIN(transfer->length, bytes[6] | bytes[7] << 8);
    }
    if (!transfer->is_input) transfer->bytes = g_memdup2(bytes ? bytes + head : NULL, transfer->length);
    g_free(bytes);
    transfer->urb = g_steal_pointer(&data);
    return transfer_start(transfer);
}

static long discard(File *file, UMockdevIoctlData *argument) {
    gulong address = *(gulong *)argument->data;
    for (GList *link = file->device->transfers.head; link; link = link->next) {
        Transfer *transfer = link->data;
        if (transfer->file != file || transfer->urb->client_addr != address) continue;
        transfer_take_back(transfer, -ENOENT);
        return 0;
    }
    return -EINVAL;
}

static long reap(File *file, UMockdevIoctlData *argument) {
    Transfer *transfer = g_queue_pop_head(&file->ended);
    if (!transfer) return file->device->is_gone ? -ENODEV : -EAGAIN;
    Urb *urb = (Urb *)transfer->urb->data;
    urb->status = transfer->status;
    urb->actual_length = transfer->count;
    if (transfer->is_input && transfer->count && transfer->bytes) {
        g_autoptr(UMockdevIoctlData) buffer =
            umockdev_ioctl_data_resolve(transfer->urb, G_STRUCT_OFFSET(Urb, buffer), urb->buffer_length, NULL);
        int head = urb->type == USBDEVFS_URB_TYPE_CONTROL ? 8 : 0;
        umockdev_ioctl_data_update(buffer, head, transfer->bytes, transfer->count);
    }
    g_autoptr(UMockdevIoctlData) pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
    umockdev_ioctl_data_set_ptr(pointer, 0, transfer->urb);
    transfer_destroy(transfer);
    return 0;
}

static gboolean lose_patience(gpointer user) {
    File *file = user;
    g_mutex_lock(&lock);
    g_clear_pointer(&file->patience, g_source_unref);
    long result = reap(file, umockdev_ioctl_client_get_arg(file->client));
    g_mutex_unlock(&lock);
    file_complete(file->client, result);
    return G_SOURCE_REMOVE;
}

static long reap_or_wait(File *file, UMockdevIoctlData *argument) {
    gboolean is_talking = g_get_monotonic_time() - last_activity < CONVERSATION_US;
    if (!g_queue_is_empty(&file->ended) || (is_talking && !file->device->is_gone)) return reap(file, argument);
    file->patience = g_timeout_source_new(PATIENCE_MS);
    g_source_set_callback(file->patience, lose_patience, file, NULL);
    g_source_attach(file->patience, g_main_context_get_thread_default());
    return LATER;
}

// MARK: All calls

static long give(UMockdevIoctlData *argument, const void *value, size_t length) {
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, length, NULL);
    umockdev_ioctl_data_update(data, 0, (guint8 *)value, length);
    return 0;
}

static guint32 number(UMockdevIoctlData *argument) {
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof(guint32), NULL);
    return *(guint32 *)data->data;
}

static long get_driver(File *file, UMockdevIoctlData *argument) {
    struct usbdevfs_getdriver answer;
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof answer, NULL);
    memcpy(&answer, data->data, sizeof answer);
    Interface *interface = node_interface(file->device, answer.interface);
    if (!interface) return -EINVAL;
    if (!*interface->driver && !interface->owner && !interface->is_taken) return -ENODATA;
    strcpy(answer.driver, *interface->driver ? interface->driver : "usbfs");
    umockdev_ioctl_data_update(data, 0, (guint8 *)&answer, sizeof answer);
    return 0;
}

static long control(File *file, UMockdevIoctlData *argument) {
    struct usbdevfs_ctrltransfer transfer;
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof transfer, NULL);
    memcpy(&transfer, data->data, sizeof transfer);
    // libusb requests the active configuration this way, without sending anything.
    if (!(transfer.bRequestType & 0x80)) return -EINVAL;
    return transfer_request(
        file, transfer.bRequestType, transfer.bRequest, transfer.wValue, transfer.wIndex,
        umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_ctrltransfer, data), transfer.wLength, NULL),
        transfer.wLength);
}

// Returns what the call returns, a negative errno, or LATER.
static long answer(File *file, unsigned long call, UMockdevIoctlData *argument) {
    Device *device = file->device;
    if (!device) return -ENODEV;
    if (call == USBDEVFS_REAPURBNDELAY) return reap_or_wait(file, argument);
    if (device->is_gone) return -ENODEV;
    switch (call) {
    case USBDEVFS_GET_SPEED: return 2;
    case USBDEVFS_CONNECTINFO: return give(argument, &(struct usbdevfs_connectinfo){device->address, 0}, 8);
    case USBDEVFS_GET_CAPABILITIES:
        return give(argument, &(guint32){USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_ZERO_PACKET}, 4);
    case USBDEVFS_CONTROL: return control(file, argument);
    case USBDEVFS_GETDRIVER: return get_driver(file, argument);
    case USBDEVFS_IOCTL: return detach_or_attach(file, argument);
    case USBDEVFS_CLAIMINTERFACE: return claim(file, node_interface(device, number(argument)));
    case USBDEVFS_RELEASEINTERFACE: {
        Interface *interface = node_interface(device, number(argument));
        if (!interface || interface->owner != file) return -EINVAL;
        release(file, interface);
        return 0;
    }
    case USBDEVFS_CLEAR_HALT: {
        guint32 endpoint = number(argument);
        long result = claim(file, node_interface_of(device, endpoint));
        if (result) return result;
        device->counters[CLEARED_HALTS]++;
        return transfer_request(file, 0x02, 1, 0, endpoint, NULL, 0);
    }
    case USBDEVFS_RESET:
        device->counters[RESETS]++;
        forget_claims(device);
        // After a reset the device is configured again.
        return transfer_request(file, 0x00, 9, device->descriptors->data[18 + 5], 0, NULL, 0);
    case USBDEVFS_SUBMITURB: return submit(file, argument);
    case USBDEVFS_DISCARDURB: return discard(file, argument);
    default: return -ENOTTY;
    }
}

static gboolean handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
    File *file = g_object_get_data(G_OBJECT(client), "file");
    // Until the call is answered; nothing else holds the client then.
    g_object_ref(client);
    g_mutex_lock(&lock);
    long result = answer(file, umockdev_ioctl_client_get_request(client), umockdev_ioctl_client_get_arg(client));
    g_mutex_unlock(&lock);
    if (result != LATER) file_complete(client, result);
    return TRUE;
}

// MARK: Files

void file_unplugged(Device *device) {
    for (Transfer *transfer; (transfer = g_queue_peek_head(&device->transfers));)
        transfer_ended(transfer, transfer->caller ? -ENODEV : -ESHUTDOWN, 0, NULL);
    for (guint index = 0; index < device->interfaces->len; index++)
        ((Interface *)g_ptr_array_index(device->interfaces, index))->owner = NULL;
}

// The end of a client: it is freed when its connection has ended.
static void closed(gpointer user) {
    File *file = user;
    g_mutex_lock(&lock);
    Device *device = file->device;
    if (device) {
        device->counters[FILES]--;
        for (guint index = 0; index < device->interfaces->len; index++) {
            Interface *interface = g_ptr_array_index(device->interfaces, index);
            if (interface->owner == file) release(file, interface);
        }
        for (GList *link = device->transfers.head; link;) {
            Transfer *transfer = link->data;
            link = link->next;
            if (transfer->file != file) continue;
            transfer->file = NULL;
            transfer_take_back(transfer, -ENOENT);
            link = device->transfers.head;
        }
    }
    g_queue_clear_full(&file->ended, (GDestroyNotify)transfer_destroy);
    g_mutex_unlock(&lock);
    g_free(file);
}

static void opened(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
    File *file = g_new0(File, 1);
    file->client = client;
    g_mutex_lock(&lock);
    context = g_main_context_get_thread_default();
    file->device = node_find(0, umockdev_ioctl_client_get_devnode(client));
    if (file->device) file->device->counters[FILES]++;
    g_mutex_unlock(&lock);
    g_object_set_data_full(G_OBJECT(client), "file", file, closed);
}

void file_listen(UMockdevIoctlBase *base) {
    g_signal_connect(base, "client-connected", G_CALLBACK(opened), NULL);
    g_signal_connect(base, "handle-ioctl", G_CALLBACK(handle), NULL);
}
