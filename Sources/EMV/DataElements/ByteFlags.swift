/// A data element whose bits each mean something, kept exactly as on the wire.
///
/// EMV counts bytes from 1 on the left and bits from 8 (0x80) down to 1 (0x01).
public protocol ByteFlags: OptionSet, Hashable, Sendable, CustomStringConvertible
where RawValue == UInt64, Element == Self {
    /// The length of the data element in bytes, 1...8.
    static var byteCount: Int { get }
}

extension ByteFlags {
    /// - Returns: nil when `bytes` are not exactly ``byteCount``.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// One or more bits of one byte.
    ///
    /// - Parameters:
    ///   - byte: 1...``byteCount``, from the left.
    ///   - mask: the bits, 0x80 for b8.
    init(byte: Int, _ mask: UInt8) {
        self.init(rawValue: UInt64(mask) << UInt64((Self.byteCount - byte) * 8))
    }

    /// The data element's value field.
    public var bytes: [UInt8] {
        (1...Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt64((Self.byteCount - $0) * 8)) }
    }

    /// Upper-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }
}
