/// A key serial number of DUKPT: names device and transaction, and so the key.
///
/// Ten bytes for triple DES (ANSI X9.24-1: 59 bits name the device, 21 count), twelve for AES
/// (ANSI X9.24-3: 64 bits name the initial key, 32 count).
public struct DUKPTKeySerialNumber: Hashable, Sendable {
    /// Which of the two standards the key serial number is of.
    public enum Scheme: Hashable, Sendable {
        case tripleDES
        case aes

        /// Bits of the transaction counter.
        var counterBits: Int { self == .tripleDES ? 21 : 32 }
        /// Ones that a transaction counter may have: bounds the work of a derivation.
        var mostOnes: Int { self == .tripleDES ? 10 : 16 }
    }

    public let scheme: Scheme
    /// 10 bytes for triple DES, 12 for AES.
    public let bytes: [UInt8]

    /// Reads a key serial number as it stands in a message. The length tells the scheme.
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``
    public init(_ bytes: [UInt8]) throws(DUKPTError) {
        switch bytes.count {
        case 10: scheme = .tripleDES
        case 12: scheme = .aes
        default: throw .keySerialNumberLength(bytes.count)
        }
        self.bytes = bytes
    }

    /// The number of the transaction.
    public var counter: UInt32 { bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } & mask }

    /// The same device with another counter; bits beyond the counter's width are left out.
    public func with(counter: UInt32) -> DUKPTKeySerialNumber {
        let kept = bytes.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) } & ~mask
        let word = kept | counter & mask
        let tail = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        return DUKPTKeySerialNumber(scheme: scheme, bytes: bytes.dropLast(4) + tail)
    }

    /// The key serial number of the device's next transaction: the next counter that has no more ones
    /// than the standard allows.
    ///
    /// - Throws: ``DUKPTError/keysUsedUp``
    public func next() throws(DUKPTError) -> DUKPTKeySerialNumber {
        var counter = UInt64(counter) + 1
        // Adding the lowest one carries it upwards and so skips every counter with as many ones.
        while counter.nonzeroBitCount > scheme.mostOnes { counter += counter & (~counter &+ 1) }
        guard let counter = UInt32(exactly: counter), counter <= mask else { throw .keysUsedUp }
        return with(counter: counter)
    }

    /// The set bits of the counter, the highest first.
    ///
    /// - Throws: ``DUKPTError/counterNotAllowed(_:)``
    func counterSteps() throws(DUKPTError) -> [UInt32] {
        let counter = counter
        guard counter != 0, counter.nonzeroBitCount <= scheme.mostOnes else { throw .counterNotAllowed(counter) }
        return (0..<scheme.counterBits).reversed().map { 1 << UInt32($0) }.filter { counter & $0 != 0 }
    }

    private var mask: UInt32 { scheme == .tripleDES ? 0x1F_FFFF : .max }

    private init(scheme: Scheme, bytes: [UInt8]) { (self.scheme, self.bytes) = (scheme, bytes) }
}
