public import CardSecrets
internal import Cryptography

/// The MAC of an issuer script command (EMV Book 2 §9.2, format 2).
public enum ScriptMAC {
    /// Bytes of the MAC at the end of a command's data, when nothing else is agreed.
    public static let length = 8
    /// The lengths that a card takes here: the leftmost 4 bytes, or all of the MAC (EMV Book 2 §9.2.1).
    public static let lengths = [4, 8]

    /// Makes the MAC.
    ///
    /// It goes over CLA, INS, P1, P2 and Lc (which counts the MAC), the ATC, the cryptogram of the
    /// first GENERATE AC, and the data before the MAC.
    ///
    /// - Parameters:
    ///   - header: CLA, INS, P1, P2, Lc.
    ///   - data: the command's data without the MAC.
    ///   - atc: the application transaction counter of the transaction.
    ///   - applicationCryptogram: the answer to the first GENERATE AC, 8 bytes.
    ///   - version: which key is derived how, and the cipher.
    ///   - masterKey: the ICC master key for secure messaging with integrity.
    ///   - length: 4...8
    /// - Returns: `length` bytes.
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func compute(
        header: [UInt8], data: [UInt8], atc: UInt16, applicationCryptogram: [UInt8], version: CryptogramVersion,
        masterKey: borrowing SensitiveBytes, length: Int = Self.length
    ) throws(CryptogramError) -> [UInt8] {
        let key = try version.scriptKey(masterKey: masterKey, atc: atc, applicationCryptogram: applicationCryptogram)
        let mac = try version.mac(
            header + atc.bigEndianBytes + applicationCryptogram + data, key: key, padding: .markerAndZeros)
        return Array(mac.prefix(length))
    }
}
