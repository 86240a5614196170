/// The names of the bits of a data element.
struct BitTable: Sendable {
    enum Field: Sendable {
        /// Eight bits from b8; nil for a reserved bit. Listed if set.
        case bits(byte: Int, [String?])
        /// Bits with one of several values; always listed.
        case choice(byte: Int, mask: UInt8, [UInt8: String])
        /// Bits with a number; always listed.
        case number(byte: Int, mask: UInt8, String)
    }

    let byteCount: Int
    let fields: [Field]

    init(byteCount: Int, _ fields: [Field]) { (self.byteCount, self.fields) = (byteCount, fields) }

    /// Creates a table of single bits, eight names per byte.
    init(_ names: [[String?]]) {
        self.init(byteCount: names.count, names.enumerated().map { .bits(byte: $0.offset + 1, $0.element) })
    }

    /// Returns the bits set in `value`, byte by byte; undefined bits are listed as reserved. Missing bytes are skipped.
    func flags(of value: some Collection<UInt8>) -> [DecodedValue.Flag] {
        var flags: [DecodedValue.Flag] = []
        for (index, bits) in value.prefix(byteCount).enumerated() {
            var rest = bits
            for field in fields { field.read(bits, byte: index + 1, &rest, &flags) }
            for shift in (0..<8).reversed() where rest & 1 << UInt8(shift) != 0 {
                flags.append(.init(byte: index + 1, mask: 1 << UInt8(shift), name: "reserved"))
            }
        }
        return flags
    }
}

extension BitTable.Field {
    /// Describes `bits` of byte `byte`, and clears the bits described in `rest`.
    fileprivate func read(_ bits: UInt8, byte: Int, _ rest: inout UInt8, _ flags: inout [DecodedValue.Flag]) {
        switch self {
        case .bits(byte, let names):
            for (position, name) in names.prefix(8).enumerated() {
                let mask: UInt8 = 0x80 >> UInt8(position)
                guard bits & mask != 0, let name else { continue }
                rest &= ~mask
                flags.append(.init(byte: byte, mask: mask, name: name))
            }
        case .choice(byte, let mask, let meanings):
            rest &= ~mask
            flags.append(.init(byte: byte, mask: mask, name: meanings[bits & mask] ?? "reserved"))
        case .number(byte, let mask, let name):
            rest &= ~mask
            let number = (bits & mask) >> UInt8(mask.trailingZeroBitCount)
            flags.append(.init(byte: byte, mask: mask, name: "\(name): \(number)"))
        case .bits, .choice, .number: break
        }
    }
}
