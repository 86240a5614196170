/// How fast a device's signals are. The numbers are those of Linux's `enum usb_device_speed`.
public enum USBSpeed: UInt32, Hashable, Sendable {
    /// 12 Mbit/s, bulk packets of up to 64 bytes.
    case full = 2
    /// 480 Mbit/s, bulk packets of 512 bytes.
    case high = 3
}
