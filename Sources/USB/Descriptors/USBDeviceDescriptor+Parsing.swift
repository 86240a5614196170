extension USBDeviceDescriptor {
    /// Bytes in a device descriptor.
    static let length = 18

    /// Reads a device descriptor as a device sends it (USB 2.0 §9.6.1). Bytes after it are not looked at.
    ///
    /// - Throws: ``USBError/malformedDescriptor(_:)`` with the place of the fault.
    public init(parsing bytes: [UInt8]) throws(USBError) {
        let raw = try RawDescriptor(in: bytes, at: 0, end: bytes.count)
        try raw.require(RawDescriptor.Kind.device, length: Self.length, "device descriptor")
        self.init(vendorID: raw.word(8), productID: raw.word(10), release: raw.word(12), deviceClass: raw.bytes[4])
    }
}
