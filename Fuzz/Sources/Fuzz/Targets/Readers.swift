internal import CCID
internal import USB

extension FuzzTarget {
    /// What comes from a card reader.
    static let readers: [FuzzTarget] = [messages, descriptors]

    private static let messages = FuzzTarget(
        "ccid-messages", longestInput: 600,
        seeds: {
            [
                "80 0F000000 00 01 00 00 00 3B6A00000031C173C8211064419000", "81 00000000 00 02 01 00 00",
                "82 07000000 00 03 00 00 01 11104D4D00FE00", "82 05000000 00 03 00 00 00 1100000A00",
                "83 02000000 00 04 00 00 00 AABB", "84 08000000 00 05 00 00 00 A00F000000260000", "5003", "51000120",
                "80 00000000 00 06 40 FE 00", "80 00000000 00 07 80 02 00",
                "6F 05000000 00 08 00 0000 00B2010C00", "62 00000000 00 09 01 0000", "63 00000000 00 0A 000000",
                "61 07000000 00 0B 01 0000 11104D4D00FE00", "69 0A000000 00 0C 00 0000 00821904080000040D0409",
                "73 08000000 00 0D 000000 A00F000000260000", "6A 00000000 00 0E 08 0000", "6E 00000000 00 0F 00 0000",
            ].map(bytes)
        },
        run: { bytes in
            if let response = try? CCIDResponseMessage(bytes: bytes) {
                same(try CCIDResponseMessage(bytes: response.bytes), response, "a response is read as it is written")
            }
            if let notification = try? CCIDNotification(bytes: bytes) {
                same(notification.bytes, bytes, "a notification is written as it was read")
            }
            let message = try CCIDCommandMessage(bytes: bytes)
            same(try CCIDCommandMessage(bytes: message.bytes), message, "a command is read as it is written")
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
