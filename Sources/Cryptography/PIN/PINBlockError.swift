/// Why a PIN block could not be made or read. Carries no digit of the PIN.
public enum PINBlockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The PIN has this many digits, and must have 4...12.
    case pinLength(Int)
    /// The PIN is not made of bytes 0...9.
    case notDigits
    /// The block is not of the format: wrong key, wrong PAN, or no PIN block at all.
    case malformed
    /// The random fill has this many bytes, and must have eight.
    case randomLength(Int)
    /// A key of the wrong length, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .pinLength(let count): "a PIN of \(count) digits: it must have 4 to 12"
        case .notDigits: "a PIN with something else than digits"
        case .malformed: "not a PIN block: the key or the account number is another one"
        case .randomLength(let count): "a PIN block takes 8 random bytes, not \(count)"
        case .cryptography(let error): error.description
        }
    }
}
