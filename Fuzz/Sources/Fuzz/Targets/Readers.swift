internal import CCID
internal import USB

extension FuzzTarget {
    /// What comes from a card reader.
    static let readers: [FuzzTarget] = [messages, descriptors]

    /// The driver opens a reader, powers its card and sends commands; the reader's answers and notices are the input.
    private static let messages = FuzzTarget(
        "ccid-messages", longestInput: 600,
        seeds: {
            // Each answer: how it is made, its length, status, error and last byte of the header, then its data.
            let activation = "0000010000 0000010000 0004000000 3B600000 0005000000 1100000A00"
            return [
                activation + "0002000000 9000", activation + "0002000000 6102 0004000000 AABB9000",
                activation + "0000800200 0002000000 9000", activation + "0000 40FE00", activation + "0000 40FF00",
                activation + "02 05 8000000000", activation + "03 0000000000 0000010000", "03 03",
            ].map(bytes) + [bytes("5003"), bytes("51000120")]
        },
        run: { bytes in
            if let notification = try? CCIDNotification(bytes: bytes) {
                same(notification.bytes, bytes, "a notification is written as it was read")
            }
            Waiting.wait { await FuzzedReader(Choices(bytes)).use() }
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
