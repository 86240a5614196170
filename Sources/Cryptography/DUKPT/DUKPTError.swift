/// Why a DUKPT key could not be derived.
public enum DUKPTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key serial number has this many bytes: it must have 10 for triple DES and 12 for AES.
    case keySerialNumberLength(Int)
    /// The transaction counter is zero, or has more ones than the standard allows.
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

/// Runs a cryptographic operation and turns its error into a ``DUKPTError``.
func deriving<Result: ~Copyable>(_ operation: () throws(CryptographyError) -> Result) throws(DUKPTError) -> Result {
    do throws(CryptographyError) { return try operation() } catch { throw .cryptography(error) }
}
