import CCID
import USB

extension FuzzTarget {
    /// Data of card readers.
    static let readers: [FuzzTarget] = [messages, descriptors]

    /// Notifications of a reader. (The driver's own tests randomize its responses.)
    private static let messages = FuzzTarget(
        "ccid-messages", longestInput: 64,
        seeds: { ["5003", "500F", "51000120", "510102"].map(bytes) },
        run: { bytes in
            let notification = try CCIDNotification(bytes: bytes)
            same(notification.bytes, bytes, "a notification is written as it was read")
        })

    private static let descriptors = FuzzTarget(
        "usb-descriptors", longestInput: 512,
        seeds: {
            let ccid =
                "3621 1001 00 07 03000000 A00F0000 A00F0000 00 002A0000 002A0000 00 FE000000 00000000"
                + "00000000 B2070200 0F010000 FF FF 0000 00 01"
            let endpoints = "0705810308 0010 07058202400000 07050302400000"
            let interface = "090400000 30B000000"
            return [
                bytes("0902 5D00 01 01 00 A0 32" + interface + ccid + endpoints),
                bytes("0902 6600 01 01 00 A0 32" + interface + ccid + endpoints + "0904010000FF000000"),
                bytes("12 01 0002 00 00 00 40 4F07 3120 0001 01 02 00 01"), bytes(ccid),
            ]
        },
        run: { bytes in
            if let descriptor = try? CCIDClassDescriptor(bytes: bytes) {
                same(descriptor.bytes, bytes, "a class descriptor is written as it was read")
                hold((271...65_554).contains(descriptor.usableMessageLength), "a message length")
                hold((1...254).contains(descriptor.usableIFSD), "an information field size")
            }
            _ = try? USBDeviceDescriptor(parsing: bytes)
            let configuration = try USBConfiguration(parsing: bytes)
            let device = USBDevice(
                bus: 1, address: 1, descriptor: USBDeviceDescriptor(vendorID: 1, productID: 1, release: 1),
                configuration: configuration)
            for interface in try CCIDInterface.all(in: device) {
                hold(interface.bulkIn.isInput && !interface.bulkOut.isInput, "endpoints by their direction")
            }
        })
}
