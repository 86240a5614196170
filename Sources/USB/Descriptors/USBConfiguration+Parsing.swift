extension USBConfiguration {
    /// Reads a configuration as a device sends it: its descriptor and wTotalLength bytes in all (USB 2.0 §9.6.3).
    /// Bytes after them are not looked at.
    ///
    /// Lengths must fit one into the other. Counts (bNumInterfaces, bNumEndpoints) are not believed: what is there
    /// counts. A class-specific descriptor belongs to the interface before it, wherever it stands: some readers put
    /// the CCID descriptor after the endpoints.
    ///
    /// - Throws: ``USBError/malformedDescriptor(_:)`` with the place of the fault.
    public init(parsing bytes: [UInt8]) throws(USBError) {
        let header = try Self.header(in: bytes, at: 0)
        let end = Int(header.word(2))
        guard end <= bytes.count else {
            throw .malformedDescriptor("byte 2: configuration of \(end) bytes, but \(bytes.count) are there")
        }
        self.init(value: header.bytes[5], interfaces: [])
        var offset = header.end
        while offset < end {
            let raw = try RawDescriptor(in: bytes, at: offset, end: end)
            try add(raw)
            offset = raw.end
        }
    }

    /// Finds the configuration numbered `value` in a device descriptor that is followed by every configuration, which
    /// is how Linux keeps them. Nil when it is not among them.
    ///
    /// - Throws: ``USBError/malformedDescriptor(_:)``; places count from the beginning of the configuration.
    static func find(_ value: UInt8, after device: Int, in bytes: [UInt8]) throws(USBError) -> USBConfiguration? {
        var offset = device
        while offset < bytes.count {
            let header = try header(in: bytes, at: offset)
            if header.bytes[5] == value { return try USBConfiguration(parsing: Array(bytes[offset...])) }
            offset += Int(header.word(2))
        }
        return nil
    }

    private static func header(in bytes: [UInt8], at offset: Int) throws(USBError) -> RawDescriptor {
        let raw = try RawDescriptor(in: bytes, at: offset, end: bytes.count)
        try raw.require(RawDescriptor.Kind.configuration, length: 9, "configuration descriptor")
        guard Int(raw.word(2)) >= raw.bytes.count else {
            throw .malformedDescriptor("byte \(offset + 2): configuration of \(raw.word(2)) bytes, its head is longer")
        }
        return raw
    }

    private mutating func add(_ raw: RawDescriptor) throws(USBError) {
        switch raw.kind {
        case RawDescriptor.Kind.interface:
            try raw.require(RawDescriptor.Kind.interface, length: 9, "interface descriptor")
            interfaces.append(
                USBInterface(
                    number: raw.bytes[2], alternateSetting: raw.bytes[3], classCode: raw.bytes[5],
                    subclassCode: raw.bytes[6], protocolCode: raw.bytes[7], endpoints: []))
        case RawDescriptor.Kind.endpoint:
            try raw.require(RawDescriptor.Kind.endpoint, length: 7, "endpoint descriptor")
            guard let last = interfaces.indices.last else {
                throw .malformedDescriptor("byte \(raw.offset): endpoint before the first interface")
            }
            // Two bits have four values, and every one is a kind.
            let kind = USBEndpoint.Kind(rawValue: raw.bytes[3] & 0x03) ?? .control
            interfaces[last].endpoints.append(
                USBEndpoint(
                    address: raw.bytes[2], kind: kind, maximumPacketSize: raw.word(4) & 0x07FF, interval: raw.bytes[6]))
        case RawDescriptor.Kind.configuration, RawDescriptor.Kind.device:
            throw .malformedDescriptor("byte \(raw.offset): type \(raw.kind) inside a configuration")
        case RawDescriptor.Kind.interfaceAssociation:
            // It groups the interfaces that follow, so it is no part of the one before.
            break
        default:
            // What stands before the first interface describes the configuration, which no driver here asks about.
            if let last = interfaces.indices.last { interfaces[last].classDescriptors.append(raw.bytes) }
        }
    }
}
