// Runs a program that sees one USB device, which exists only here.
//
//     cc -o mock MockUSBDevice.c $(pkg-config --cflags --libs umockdev-1.0)
//     umockdev-wrapper ./mock PROGRAM ARGUMENTS...
//
// The program and its libusb are the real ones; umockdev hands their system calls on usbfs to this process. The device
// is CardPresent's test reader 1209:0001, class 0B, with the endpoints 81 (interrupt IN), 82 (bulk IN), 03 (bulk OUT).
// What is written to 03 can be read from 82; a read with nothing to read waits. Vendor requests (bmRequestType 40)
// prepare the rest, see `enum request`; C0/10 returns the counters. The signals SIGUSR2 and SIGUSR1 pull it out and plug
// it in again, at a new address. The exit status is the program's.

#include <errno.h>
#include <glib.h>
#include <linux/usbdevice_fs.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <umockdev.h>
#include <unistd.h>

enum request {
    START_AGAIN = 0,      // forget everything that was prepared and counted; a kernel driver holds the interface
    QUEUE_INTERRUPT = 1,  // the data come from the interrupt endpoint
    HALT = 2,             // the endpoint in wIndex stalls until its halt is cleared
    TRUNCATE = 3,         // the next bulk OUT takes only wValue bytes
    OVERFLOW = 4,         // the next bulk IN brings more than was asked for
    BUSY = 5,             // the next claim fails: another program has the interface
    COUNTERS = 0x10,
};

// What COUNTERS returns, a byte each. PENDING are the transfers that wait now, besides the one that asks.
enum counter { CLAIMS, RELEASES, DETACHES, ATTACHES, CLEARED_HALTS, RESETS, PENDING, COUNTER_COUNT };

typedef struct usbdevfs_urb Urb;

// The handler runs on a thread of umockdev's, plugging on the main thread.
static GMutex lock;
static char *node;
static GList *pending, *ended;  // UMockdevIoctlData * of URBs
static GQueue bulk = G_QUEUE_INIT, interrupt = G_QUEUE_INIT;
static gboolean is_halted[256], has_driver, is_claimed, overflows, is_busy;
static int truncate_to;
static guint8 counters[COUNTER_COUNT];

static void start_again(void) {
    g_queue_clear_full(&bulk, (GDestroyNotify)g_byte_array_unref);
    g_queue_clear_full(&interrupt, (GDestroyNotify)g_byte_array_unref);
    memset(is_halted, 0, sizeof is_halted);
    memset(counters, 0, sizeof counters);
    has_driver = TRUE;
    overflows = is_busy = is_claimed = FALSE;
    truncate_to = -1;
}

static void enqueue(GQueue *queue, const guint8 *data, int length) {
    g_queue_push_tail(queue, g_byte_array_append(g_byte_array_new(), data, length));
}

// The functions below return 0 or a negative errno, which becomes the URB's status; 1 while the device is not ready.

static int control(Urb *urb, UMockdevIoctlData *buffer) {
    const guint8 *setup = buffer->data;
    int value = setup[2] | setup[3] << 8, index = setup[4] | setup[5] << 8, length = setup[6] | setup[7] << 8;
    if (setup[0] == 0xC0 && setup[1] == COUNTERS) {
        counters[PENDING] = g_list_length(pending) - 1;
        urb->actual_length = MIN(length, COUNTER_COUNT);
        umockdev_ioctl_data_update(buffer, 8, counters, urb->actual_length);
        return 0;
    }
    if (setup[0] != 0x40) return -EPIPE;
    switch (setup[1]) {
    case START_AGAIN: start_again(); break;
    case QUEUE_INTERRUPT: enqueue(&interrupt, setup + 8, length); break;
    case HALT: is_halted[index & 0xFF] = TRUE; break;
    case TRUNCATE: truncate_to = value; break;
    case OVERFLOW: overflows = TRUE; break;
    case BUSY: is_busy = TRUE; break;
    default: return -EPIPE;
    }
    urb->actual_length = length;
    return 0;
}

static int take(GQueue *queue, Urb *urb, UMockdevIoctlData *buffer) {
    if (g_queue_is_empty(queue)) return 1;
    GByteArray *bytes = g_queue_pop_head(queue);
    urb->actual_length = MIN((int)bytes->len, urb->buffer_length);
    if (urb->actual_length) umockdev_ioctl_data_update(buffer, 0, bytes->data, urb->actual_length);
    g_byte_array_unref(bytes);
    return 0;
}

static int carry_out(Urb *urb, UMockdevIoctlData *buffer) {
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL) return control(urb, buffer);
    if (is_halted[urb->endpoint]) return -EPIPE;
    switch (urb->endpoint) {
    case 0x03:
        urb->actual_length = truncate_to < 0 ? urb->buffer_length : MIN(truncate_to, urb->buffer_length);
        truncate_to = -1;
        enqueue(&bulk, buffer ? buffer->data : NULL, urb->actual_length);
        return 0;
    case 0x82:
        if (overflows) return overflows = FALSE, -EOVERFLOW;
        return take(&bulk, urb, buffer);
    case 0x81: return take(&interrupt, urb, buffer);
    default: return -EPIPE;
    }
}

static gboolean finish(UMockdevIoctlData *data) {
    Urb *urb = (Urb *)data->data;
    UMockdevIoctlData *buffer = NULL;
    if (urb->buffer_length)
        buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(Urb, buffer), urb->buffer_length, NULL);
    int status = carry_out(urb, buffer);
    if (buffer) g_object_unref(buffer);
    if (status <= 0) urb->status = status;
    return status <= 0;
}

static UMockdevIoctlData *reap(void) {
    GList *link = ended;
    if (link) {
        UMockdevIoctlData *data = link->data;
        ended = g_list_delete_link(ended, link);
        return data;
    }
    for (link = pending; link; link = link->next) {
        UMockdevIoctlData *data = link->data;
        if (!finish(data)) continue;
        pending = g_list_remove(pending, data);
        return data;
    }
    return NULL;
}

static void end(GList *link, int status) {
    ((Urb *)((UMockdevIoctlData *)link->data)->data)->status = status;
    ended = g_list_append(ended, link->data);
    pending = g_list_delete_link(pending, link);
}

// Returns what the ioctl returns, or a negative errno.
static long answer(unsigned long request, UMockdevIoctlData *argument, gboolean is_gone) {
    if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY) {
        UMockdevIoctlData *urb = reap();
        if (!urb) return is_gone ? -ENODEV : -EAGAIN;
        g_autoptr(UMockdevIoctlData) pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
        umockdev_ioctl_data_set_ptr(pointer, 0, urb);
        g_object_unref(urb);
        return 0;
    }
    if (is_gone) return -ENODEV;
    switch (request) {
    case USBDEVFS_GET_SPEED: return 2;
    case USBDEVFS_CONNECTINFO: {
        struct usbdevfs_connectinfo info = {.devnum = 2};
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof info, NULL);
        umockdev_ioctl_data_update(data, 0, (guint8 *)&info, sizeof info);
        return 0;
    }
    case USBDEVFS_CONTROL: {  // libusb asks for the active configuration, and for nothing else, in this way
        struct usbdevfs_ctrltransfer transfer;
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof transfer, NULL);
        memcpy(&transfer, data->data, sizeof transfer);
        if (transfer.bRequest != 8) return -EPIPE;
        g_autoptr(UMockdevIoctlData) value = umockdev_ioctl_data_resolve(
            data, G_STRUCT_OFFSET(struct usbdevfs_ctrltransfer, data), 1, NULL);
        umockdev_ioctl_data_update(value, 0, (guint8[]){1}, 1);
        return 1;
    }
    case USBDEVFS_GET_CAPABILITIES: {
        guint32 value = USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_ZERO_PACKET;
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof value, NULL);
        umockdev_ioctl_data_update(data, 0, (guint8 *)&value, sizeof value);
        return 0;
    }
    case USBDEVFS_GETDRIVER: {
        struct usbdevfs_getdriver driver = {0};
        if (!has_driver && !is_claimed) return -ENODATA;
        strcpy(driver.driver, has_driver ? "other" : "usbfs");
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof driver, NULL);
        umockdev_ioctl_data_update(data, 0, (guint8 *)&driver, sizeof driver);
        return 0;
    }
    case USBDEVFS_IOCTL: {
        struct usbdevfs_ioctl command;
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof command, NULL);
        memcpy(&command, data->data, sizeof command);
        gboolean attach = (unsigned)command.ioctl_code == USBDEVFS_CONNECT;
        if (!attach && !has_driver) return -ENODATA;
        if (attach && is_claimed) return -EBUSY;
        has_driver = attach;
        counters[attach ? ATTACHES : DETACHES]++;
        return 1;
    }
    case USBDEVFS_CLAIMINTERFACE:
        if (has_driver || is_busy) return is_busy = FALSE, -EBUSY;
        is_claimed = TRUE;
        counters[CLAIMS]++;
        return 0;
    case USBDEVFS_RELEASEINTERFACE:
        is_claimed = FALSE;
        counters[RELEASES]++;
        return 0;
    case USBDEVFS_CLEAR_HALT: {
        guint32 endpoint;
        g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(argument, 0, sizeof endpoint, NULL);
        memcpy(&endpoint, data->data, sizeof endpoint);
        is_halted[endpoint & 0xFF] = FALSE;
        counters[CLEARED_HALTS]++;
        return 0;
    }
    case USBDEVFS_RESET: counters[RESETS]++; return 0;
    case USBDEVFS_SUBMITURB:
        pending = g_list_append(pending, umockdev_ioctl_data_resolve(argument, 0, sizeof(Urb), NULL));
        return 0;
    case USBDEVFS_DISCARDURB:
        for (GList *link = pending; link; link = link->next)
            if (((UMockdevIoctlData *)link->data)->client_addr == *(gulong *)argument->data)
                return end(link, -ENOENT), 0;
        return -EINVAL;
    default: return -ENOTTY;
    }
}

static gboolean handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
    g_mutex_lock(&lock);
    gboolean is_gone = !node || strcmp(node, umockdev_ioctl_client_get_devnode(client)) != 0;
    long result = answer(umockdev_ioctl_client_get_request(client), umockdev_ioctl_client_get_arg(client), is_gone);
    g_mutex_unlock(&lock);
    umockdev_ioctl_client_complete(client, result < 0 ? -1 : result, result < 0 ? -result : 0);
    return TRUE;
}

static const char *const DEVICE = "/sys/devices/pci0000:00/usb1/1-1";
static const char *const INTERFACE = "/sys/devices/pci0000:00/usb1/1-1/1-1:1.0";

// A device descriptor, a configuration, an interface, its endpoints and, after them, a CCID descriptor of 54 bytes.
#define DESCRIPTORS \
    "12010002000000400912010000010102030109025D00010100803209040000030B000000" \
    "0705810308001007058202400000070503024000003621" \
    "10010007030000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"

static gboolean plug(UMockdevTestbed *bed, UMockdevIoctlBase *handler, int address) {
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup_printf("/dev/bus/usb/001/%03d", address);
    g_autofree char *description = g_strdup_printf(
        "P: /devices/pci0000:00/usb1/1-1\nN: bus/usb/001/%03d=" DESCRIPTORS "\n"
        "E: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM=%03d\nE: DEVNAME=/dev/bus/usb/001/%03d\n"
        "A: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum=%d\\n\nA: speed=12\\n\n"
        "A: manufacturer=CardPresent\\n\nA: product=Mock Reader\\n\nA: serial=0001\\n\n"
        "H: descriptors=" DESCRIPTORS "\n\n"
        "P: /devices/pci0000:00/usb1/1-1/1-1:1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\n"
        "A: bInterfaceNumber=00\\n\n\n",
        address, address, address, address);
    g_mutex_lock(&lock);
    start_again();
    node = g_strdup(path);
    g_mutex_unlock(&lock);
    if (umockdev_testbed_attach_ioctl(bed, path, handler, &error)
        && umockdev_testbed_add_from_string(bed, description, &error)) return TRUE;
    fprintf(stderr, "mock device: %s\n", error->message);
    return FALSE;
}

static void pull_out(UMockdevTestbed *bed) {
    g_mutex_lock(&lock);
    g_clear_pointer(&node, g_free);
    while (pending) end(pending, -ESHUTDOWN);
    g_mutex_unlock(&lock);
    umockdev_testbed_uevent(bed, DEVICE, "remove");
    umockdev_testbed_remove_device(bed, INTERFACE);
    umockdev_testbed_remove_device(bed, DEVICE);
}

int main(int count, char **arguments) {
    if (count < 2) return fprintf(stderr, "usage: umockdev-wrapper %s PROGRAM ARGUMENTS...\n", arguments[0]), 2;
    // Blocked before umockdev starts its threads, so that they come to this one.
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigprocmask(SIG_BLOCK, &signals, &before);

    UMockdevTestbed *bed = umockdev_testbed_new();
    UMockdevIoctlBase *handler = umockdev_ioctl_base_new();
    g_signal_connect(handler, "handle-ioctl", G_CALLBACK(handle), NULL);
    int address = 2, status = 0;
    if (!plug(bed, handler, address)) return 3;

    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        g_setenv("CARDPRESENT_MOCK_USB_DEVICE", "1", TRUE);
        execvp(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(127);
    }
    for (int signal; sigwait(&signals, &signal) == 0;) {
        if (signal == SIGUSR2) pull_out(bed);
        if (signal == SIGUSR1 && !plug(bed, handler, ++address)) break;
        if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child) break;
    }
    g_object_unref(handler);
    g_object_unref(bed);  // removes its files
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
