public import Cryptography
public import SmartCard

/// Why a cryptogram could not be made or checked. Carries no card data and no key.
public enum CryptogramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A data object that goes into the cryptogram is not there.
    case missing(BERTag)
    /// A data object that goes into the cryptogram has this many bytes, which is wrong.
    case wrongLength(BERTag, Int)
    /// Issuer application data (tag 9F10) in a layout that is not known.
    case unknownIssuerApplicationData
    /// Issuer authentication data (tag 91) of a length that the cryptogram version does not have.
    case malformedIssuerAuthenticationData(Int)
    /// Enciphered data of an issuer script command that cannot be opened, or too many to encipher.
    case malformedScriptData
    /// A PIN that is not 4 to 12 digits, or a current PIN where the scheme takes none.
    case unusablePIN
    /// A key of the wrong length, or libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .missing(let tag): "no data object \(tag) to make the cryptogram over"
        case .wrongLength(let tag, let count): "data object \(tag) has \(count) bytes, which is wrong"
        case .unknownIssuerApplicationData: "issuer application data in an unknown layout"
        case .malformedIssuerAuthenticationData(let count): "issuer authentication data of \(count) bytes"
        case .malformedScriptData: "the enciphered data of an issuer script command cannot be opened"
        case .unusablePIN: "a PIN that the card cannot take"
        case .cryptography(let error): error.description
        }
    }
}

/// Runs a cryptographic operation and turns its error into a ``CryptogramError``.
func cryptographically<Result: ~Copyable>(
    _ operation: () throws(CryptographyError) -> Result
) throws(CryptogramError) -> Result {
    do throws(CryptographyError) { return try operation() } catch { throw .cryptography(error) }
}
