/// A DUKPT key serial number. It identifies the device, the transaction and thus the key.
///
/// Ten bytes for triple DES (ANSI X9.24-1: 59 bits for the device, 21 for the counter), twelve for AES
/// (ANSI X9.24-3: 64 bits for the initial key, 32 for the counter).
public struct DUKPTKeySerialNumber: Hashable, Sendable {
    /// The standard of the key serial number.
    public enum Scheme: Hashable, Sendable {
        case tripleDES
        case aes

        /// Bits of the transaction counter.
        var counterBits: Int { self == .tripleDES ? 21 : 32 }
        /// The most one bits in a transaction counter, which limits the work of a derivation.
        var mostOnes: Int { self == .tripleDES ? 10 : 16 }
    }

    public let scheme: Scheme
    /// 10 bytes for triple DES, 12 for AES.
    public let bytes: [UInt8]

    /// Reads a key serial number in a message. The length determines the scheme.
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

    /// The transaction counter.
    public var counter: UInt32 { bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } & mask }

    /// Returns the key serial number with a different counter. Bits beyond its width are dropped.
    public func with(counter: UInt32) -> DUKPTKeySerialNumber {
        let kept = bytes.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) } & ~mask
        let word = kept | counter & mask
        let tail = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        return DUKPTKeySerialNumber(scheme: scheme, bytes: bytes.dropLast(4) + tail)
    }

    /// Returns the key serial number of the next transaction: the next counter without more one bits than the standard
    /// allows.
    ///
    /// - Throws: ``DUKPTError/keysUsedUp``
    public func next() throws(DUKPTError) -> DUKPTKeySerialNumber {
        var counter = UInt64(counter) + 1
        // Adding the lowest one bit skips every counter with too many one bits.
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

/// The reason why a DUKPT key could not be derived.
public enum DUKPTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key serial number has this number of bytes instead of 10 for triple DES or 12 for AES.
    case keySerialNumberLength(Int)
    /// The transaction counter is zero or has more one bits than the standard allows.
    case counterNotAllowed(UInt32)
    /// The device has used all its keys: it needs a new initial key.
    case keysUsedUp
    /// A key of the wrong length, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .keySerialNumberLength(let count): "a DUKPT key serial number of \(count) bytes"
        case .counterNotAllowed(let counter): "DUKPT has no transaction counter \(counter)"
        case .keysUsedUp: "the PIN pad has used all its keys: load a new initial key"
        case .cryptography(let error): error.description
        }
    }
}

/// Runs a cryptographic operation and converts its error to a ``DUKPTError``.
func deriving<Result: ~Copyable>(_ operation: () throws(CryptographyError) -> Result) throws(DUKPTError) -> Result {
    do throws(CryptographyError) { return try operation() } catch { throw .cryptography(error) }
}
