// A device in the testbed: its directory in sysfs, its node, and the owners of its interfaces.

#include "Bridge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static GList *plugged;  // Device *
static int last_address = 1;

Device *node_find(int address, const char *node) {
    for (GList *link = plugged; link; link = link->next) {
        Device *device = link->data;
        if (node ? !strcmp(device->node, node) : device->address == address) return device;
    }
    return NULL;
}

Interface *node_interface(Device *device, int number) {
    for (guint index = 0; index < device->interfaces->len; index++) {
        Interface *interface = g_ptr_array_index(device->interfaces, index);
        if (interface->number == number) return interface;
    }
    return NULL;
}

Interface *node_interface_of(Device *device, int endpoint) {
    for (guint index = 0; index < device->interfaces->len; index++) {
        Interface *interface = g_ptr_array_index(device->interfaces, index);
        if (memchr(interface->endpoints->data, endpoint, interface->endpoints->len)) return interface;
    }
    return NULL;
}

// Each descriptor begins with its length and its type: 4 is an interface, 5 an endpoint of it.
static void find_interfaces(Device *device) {
    const guint8 *bytes = device->descriptors->data;
    device->interfaces = g_ptr_array_new();
    Interface *current = NULL;
    for (guint at = 0; at + 2 < device->descriptors->len && bytes[at] >= 2; at += bytes[at]) {
        if (bytes[at + 1] == 4 && !node_interface(device, bytes[at + 2])) {
            current = g_new0(Interface, 1);
            current->number = bytes[at + 2];
            current->endpoints = g_byte_array_new();
            g_ptr_array_add(device->interfaces, current);
        }
        if (bytes[at + 1] == 5 && current) g_byte_array_append(current->endpoints, bytes + at + 2, 1);
    }
}

static char *interface_place(Device *device, Interface *interface) {
    // The configuration's number is at byte 5 of its descriptor.
    return g_strdup_printf(
        "%s/1-%d:%d.%d", device->place, device->port, device->descriptors->data[18 + 5], interface->number);
}

void node_show_driver(Device *device, Interface *interface, const char *name) {
    if (device->is_gone) return;
    g_autofree char *place = interface_place(device, interface);
    g_autofree char *root = umockdev_testbed_get_root_dir(testbed);
    g_autofree char *link = g_strdup_printf("%s/sys%s/driver", root, place);
    unlink(link);
    if (!name || !*name) return;
    g_autofree char *path = g_strconcat("/sys", place, NULL);
    g_autofree char *target = g_strconcat("../../../../../bus/usb/drivers/", name, NULL);
    umockdev_testbed_set_attribute_link(testbed, path, "driver", target);
}

static void describe(Device *device, GString *text) {
    const guint8 *bytes = device->descriptors->data;
    g_autoptr(GString) descriptors = g_string_new(NULL);
    for (guint index = 0; index < device->descriptors->len; index++)
        g_string_append_printf(descriptors, "%02X", bytes[index]);
    g_string_append_printf(
        text,
        "P: %s\nN: bus/usb/001/%03d=%s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM=%03d\n"
        "E: DEVNAME=%s\nA: busnum=1\\n\nA: devnum=%d\\n\nA: speed=12\\n\nA: bConfigurationValue=%d\\n\n"
        "A: idVendor=%02x%02x\\n\nA: idProduct=%02x%02x\\n\nH: descriptors=%s\n",
        device->place, device->address, descriptors->str, device->address, device->node, device->address,
        bytes[18 + 5], bytes[9], bytes[8], bytes[11], bytes[10], descriptors->str);
    const char *names[] = {"manufacturer", "product", "serial"};
    for (int index = 0; index < 3; index++)
        if (device->strings[index]) g_string_append_printf(text, "A: %s=%s\\n\n", names[index], device->strings[index]);
    for (guint index = 0; index < device->interfaces->len; index++) {
        Interface *interface = g_ptr_array_index(device->interfaces, index);
        g_autofree char *place = interface_place(device, interface);
        g_string_append_printf(
            text, "\nP: %s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nA: bInterfaceNumber=%02x\\n\n", place,
            interface->number);
    }
    g_string_append_c(text, '\n');
}

gboolean node_add(Device *device, char **reason) {
    // As on a real bus: the port stays with the socket, the address is never the last one again.
    do last_address = last_address % 127 + 1;
    while (node_find(last_address, NULL));
    device->address = last_address;
    gboolean is_used;
    do {
        device->port++;
        is_used = FALSE;
        for (GList *link = plugged; link; link = link->next) is_used |= ((Device *)link->data)->port == device->port;
    } while (is_used);
    device->node = g_strdup_printf("/dev/bus/usb/001/%03d", device->address);
    device->place = g_strdup_printf("/devices/pci0000:00/usb1/1-%d", device->port);
    find_interfaces(device);

    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    describe(device, text);
    plugged = g_list_append(plugged, device);
    if (umockdev_testbed_attach_ioctl(testbed, device->node, handler, &error)
        && umockdev_testbed_add_from_string(testbed, text->str, &error)) return TRUE;
    plugged = g_list_remove(plugged, device);
    *reason = g_strdup(error->message);
    return FALSE;
}

void node_remove(Device *device) {
    if (device->is_gone) return;
    device->is_gone = TRUE;
    plugged = g_list_remove(plugged, device);
    g_autofree char *path = g_strconcat("/sys", device->place, NULL);
    umockdev_testbed_uevent(testbed, path, "remove");
    for (guint index = 0; index < device->interfaces->len; index++) {
        g_autofree char *place = interface_place(device, g_ptr_array_index(device->interfaces, index));
        g_autofree char *interface = g_strconcat("/sys", place, NULL);
        umockdev_testbed_remove_device(testbed, interface);
    }
    umockdev_testbed_remove_device(testbed, path);
    umockdev_testbed_detach_ioctl(testbed, device->node, NULL);
    // The testbed keeps the node, and a program could open it before the next device of this address arrives.
    g_autofree char *root = umockdev_testbed_get_root_dir(testbed);
    g_autofree char *node = g_strconcat(root, device->node, NULL);
    unlink(node);
}
