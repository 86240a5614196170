public import CardSecrets
internal import Cryptography

/// The authorisation response cryptogram (ARPC): the issuer's MAC, by which the card knows it
/// (EMV Book 2 §8.2).
public enum AuthorisationResponseCryptogram {
    /// Method 1: ARQC exclusive-or response code, under triple DES: 8 bytes.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func methodOne(
        arqc: [UInt8], responseCode: [UInt8], key: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        let padded = responseCode + [UInt8](repeating: 0, count: max(0, arqc.count - responseCode.count))
        return try cryptographically { () throws(CryptographyError) in
            try TripleDES.encrypt(zip(arqc, padded).map { $0 ^ $1 }, key: key)
        }
    }

    /// Method 2: the leftmost 4 bytes of a MAC over ARQC, card status update and proprietary data.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func methodTwo(
        arqc: [UInt8], cardStatusUpdate: [UInt8], proprietaryData: [UInt8], key: borrowing SensitiveBytes,
        version: CryptogramVersion = .cvn18
    ) throws(CryptogramError) -> [UInt8] {
        Array(
            try version.mac(arqc + cardStatusUpdate + proprietaryData, key: key, padding: .markerAndZeros).prefix(4))
    }
}
