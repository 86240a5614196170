/// One raw descriptor: its length, its type, and its content (USB 2.0 §9.5).
struct RawDescriptor {
    /// The descriptor types in a configuration (USB 2.0 table 9-5).
    enum Kind {
        static let device: UInt8 = 0x01
        static let configuration: UInt8 = 0x02
        static let interface: UInt8 = 0x04
        static let endpoint: UInt8 = 0x05
        static let interfaceAssociation: UInt8 = 0x0B
    }

    /// The offset of the descriptor in the parsed bytes.
    let offset: Int
    /// The whole descriptor, length byte first; at least two bytes.
    let bytes: [UInt8]
    /// bDescriptorType
    let kind: UInt8

    /// Reads the descriptor that begins at `offset` and ends before `end`.
    ///
    /// - Throws: ``USBError/malformedDescriptor(_:)`` when its length is below two or reaches beyond `end`.
    init(in source: [UInt8], at offset: Int, end: Int) throws(USBError) {
        let end = min(end, source.count)
        guard offset >= 0, end - offset >= 2 else {
            let left = max(0, end - offset)
            throw .malformedDescriptor("byte \(offset): \(left) bytes are left, a descriptor has 2 or more")
        }
        let length = Int(source[offset])
        guard length >= 2 else {
            throw .malformedDescriptor("byte \(offset): length \(length), a descriptor has 2 or more bytes")
        }
        guard length <= end - offset else {
            throw .malformedDescriptor("byte \(offset): length \(length), but \(end - offset) bytes are left")
        }
        self.offset = offset
        bytes = Array(source[offset..<offset + length])
        kind = source[offset + 1]
    }

    /// The place after the descriptor.
    var end: Int { offset + bytes.count }

    /// Throws unless the descriptor is a `name` of at least `length` bytes.
    func require(_ kind: UInt8, length: Int, _ name: String) throws(USBError) {
        guard self.kind == kind else {
            throw .malformedDescriptor("byte \(offset): type \(self.kind), expected \(name) (\(kind))")
        }
        guard bytes.count >= length else {
            throw .malformedDescriptor("byte \(offset): \(name) of \(bytes.count) bytes, needs \(length)")
        }
    }

    /// The two bytes at `index`, low byte first; zero where the descriptor has ended.
    func word(_ index: Int) -> UInt16 {
        guard index >= 0, index + 1 < bytes.count else { return 0 }
        return UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
    }
}

extension USBDeviceDescriptor {
    /// Bytes in a device descriptor.
    static let length = 18

    /// Reads a device descriptor as a device sends it (USB 2.0 §9.6.1). Ignores the bytes after it.
    ///
    /// - Throws: ``USBError/malformedDescriptor(_:)`` with the place of the fault.
    public init(parsing bytes: [UInt8]) throws(USBError) {
        let raw = try RawDescriptor(in: bytes, at: 0, end: bytes.count)
        try raw.require(RawDescriptor.Kind.device, length: Self.length, "device descriptor")
        self.init(vendorID: raw.word(8), productID: raw.word(10), release: raw.word(12), deviceClass: raw.bytes[4])
    }
}

extension USBConfiguration {
    /// Reads a configuration as a device sends it: its descriptor and wTotalLength bytes in all (USB 2.0 §9.6.3).
    /// Ignores the bytes after them.
    ///
    /// Lengths must be consistent. The counts bNumInterfaces and bNumEndpoints are ignored in favor of the descriptors
    /// present. A class-specific descriptor belongs to the interface before it, wherever it stands: some readers put
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
            // Descriptors before the first interface describe the configuration; no driver here needs them.
            if let last = interfaces.indices.last { interfaces[last].classDescriptors.append(raw.bytes) }
        }
    }
}
