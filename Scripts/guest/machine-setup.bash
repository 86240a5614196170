# Loads the kernel features for the scenes. Sourced by scripts in the guest.

load_modules() {
    mkdir -p /lib/modules
    ln -sfn "$KERNEL_MODULES" "/lib/modules/$(uname -r)"
    case "$CONTROLLER" in
    xhci) busybox modprobe xhci_pci ;;
    uhci) busybox modprobe uhci_hcd ;;
    esac
    busybox modprobe -a virtio_net vhci_hcd usbhid hid_generic
    busybox ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
}
