/// One descriptor as the device sent it: its length, its type and what follows (USB 2.0 §9.5).
struct RawDescriptor {
    /// The descriptor types that a configuration is built of (USB 2.0 table 9-5).
    enum Kind {
        static let device: UInt8 = 0x01
        static let configuration: UInt8 = 0x02
        static let interface: UInt8 = 0x04
        static let endpoint: UInt8 = 0x05
        static let interfaceAssociation: UInt8 = 0x0B
    }

    /// Where the descriptor begins in the bytes that it was read from.
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

    /// Makes sure that the descriptor is a `name` of at least `length` bytes.
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
