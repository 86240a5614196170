// The declarations that the parts of the bridge share. USBIPBridge.c describes the bridge.

#pragma once

#include <glib.h>
#include <linux/usbdevice_fs.h>
#include <umockdev.h>

typedef struct usbdevfs_urb Urb;
typedef struct File File;
typedef struct Device Device;

// The counters of a device. TRANSFERS and FILES are current numbers.
enum counter { CLAIMS, RELEASES, DETACHES, ATTACHES, CLEARED_HALTS, RESETS, TRANSFERS, FILES, HELD, COUNTER_COUNT };

typedef struct {
    guint8 number;
    GByteArray *endpoints;  // addresses
    char driver[USBDEVFS_MAXDRIVERNAME + 1], detached[USBDEVFS_MAXDRIVERNAME + 1];  // the kernel's; empty: none
    File *owner;            // who claimed it
    gboolean is_taken;      // another program has it
    gboolean is_refused;    // the next claim fails
} Interface;

// The fault of the next transfer on an endpoint.
typedef struct {
    guint8 endpoint;
    enum { FAIL, SHORTEN, HOLD, DENY } kind;
    int value;  // the errno; the bytes that are left
} Fault;

// A device imported from a USB/IP server, shared by the testbed and every open file.
struct Device {
    int socket;
    guint32 id, last_sequence;
    int address, port;
    char *node, *place;        // /dev/bus/usb/001/002, /devices/pci0000:00/usb1/1-1
    GByteArray *descriptors;   // the device's, and those of its configuration
    char *strings[3];          // manufacturer, product, serial number
    GPtrArray *interfaces;     // Interface *
    GQueue transfers;          // Transfer *, in the order of arrival
    GQueue faults;             // Fault *
    guint short_reads;         // a bit for each endpoint whose last read was not filled
    gboolean is_gone;
    guint counters[COUNTER_COUNT];
};

// A device that a program has opened.
struct File {
    UMockdevIoctlClient *client;
    Device *device;
    GQueue ended;       // Transfer *, to be reaped
    GSource *patience;  // not NULL while a REAPURB waits
};

// A transfer in progress. It belongs to a file's URB, or to a waiting system call.
typedef struct {
    Device *device;
    File *file;                   // NULL after it was closed
    UMockdevIoctlData *urb;
    UMockdevIoctlClient *caller;  // the waiting client
    UMockdevIoctlData *into;      // where the caller wants the data
    guint32 sequence, unlink_sequence;
    int unlink_status;            // the result after an unlink
    guint8 endpoint, setup[8];
    gboolean is_input, is_sent;
    int length, flags;
    int status, count;            // the result
    guint8 *bytes;                // the data
} Transfer;

// The result of a system call that is answered later.
#define LATER G_MAXLONG

// This lock protects everything below and the testbed.
extern GMutex lock;
extern UMockdevTestbed *testbed;
extern UMockdevIoctlBase *handler;
// The time of the last start or end of a transfer, in microseconds.
extern gint64 last_activity;

// USBIPLink.c: the connection to the server.

// Imports a device and reads its descriptors; takes no lock. NULL, and the reason, when that fails.
Device *link_import(const char *host, const char *port, const char *bus_id, char **reason);
void link_submit(Device *, Transfer *);
void link_unlink(Device *, guint32 sequence, guint32 victim);
// Hands every answer to `transfer_ended` until the connection ends; takes the lock.
void link_listen(Device *);

// USBDeviceNode.c: the device as the kernel shows it.

// Gives the device an address and shows it. FALSE, and the reason, when that fails.
gboolean node_add(Device *, char **reason);
void node_remove(Device *);
// The device that is plugged in at an address, or that has a node; NULL when there is none.
Device *node_find(int address, const char *node);
Interface *node_interface(Device *, int number);
Interface *node_interface_of(Device *, int endpoint);
// Returns the owner of an interface; NULL without one.
void node_show_driver(Device *, Interface *, const char *name);

// USBTransfer.c: transfers from their beginning to their end.

// A transfer of a device, to be filled in. Its file is set when it belongs to an URB.
Transfer *transfer_new(File *, guint8 endpoint);
void transfer_destroy(Transfer *);
// Begins. Returns 0 or a negative errno.
long transfer_start(Transfer *);
// Makes a request on the default endpoint for which the file's program waits. Returns LATER.
long transfer_request(
    File *, guint8 type, guint8 number, int value, int index, UMockdevIoctlData *into, int length);
// It ends with a negative errno, unless the device was faster.
void transfer_take_back(Transfer *, int status);
// A transfer ended: with 0 or a negative errno, and the bytes that came in or the count of those that went out. Its
// bytes become the transfer's.
void transfer_ended(Transfer *, int status, int count, guint8 *bytes);

// USBDeviceFile.c: the system calls on an open device.

void file_listen(UMockdevIoctlBase *);
// Answers the system call that a program waits for, with its result or a negative errno.
void file_complete(UMockdevIoctlClient *, long result);
// What is under way on an interface ends as if the device were gone; on all of them when there is none.
void file_flush(Device *, Interface *);
// Everything under way ends, and nothing more can be done.
void file_unplugged(Device *);
