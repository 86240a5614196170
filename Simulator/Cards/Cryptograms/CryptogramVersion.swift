public import CardSecrets
import Cryptography

/// The session key, padding, input data, and ARPC method that a card and its issuer use.
public enum CryptogramVersion: String, Hashable, Sendable, CaseIterable, Codable {
    /// Visa cryptogram version number 10 (0A): no session key, zero padding.
    case cvn10
    /// Visa cryptogram version number 18 (12): EMV common session key, ARPC method 2.
    case cvn18
    /// M/Chip cryptogram version number 10 (hexadecimal): Mastercard's own session key derivation.
    case mChip
    /// M/Chip cryptogram version number 14 (hexadecimal): EMV common session key.
    case mChipCommonSessionKey
    /// M/Chip cryptogram version number 12 (hexadecimal): EMV 2000 session key tree with branch factor four and
    /// height eight.
    case mChipEMV2000
    /// Common core definitions, cryptogram version 6 (common core identifier A6): AES and CMAC.
    case aes

    /// The cipher of all keys of the card.
    public enum Cipher: Hashable, Sendable { case tripleDES, aes }

    /// The cipher of all keys of the card.
    public var cipher: Cipher { self == .aes ? .aes : .tripleDES }

    /// The method of issuer authentication (EMV Book 2 §8.2).
    public enum ResponseMethod: Hashable, Sendable {
        /// An eight-byte ARPC over ARQC and response code, which is two binary bytes for M/Chip.
        case one
        /// A four-byte MAC over ARQC and card status update.
        case two
    }

    /// The method of issuer authentication.
    public var responseMethod: ResponseMethod {
        switch self {
        case .cvn10, .mChip, .mChipCommonSessionKey, .mChipEMV2000: .one
        case .cvn18, .aes: .two
        }
    }

    /// Whether the response code in an ARPC by method 1 is binary: instructions to the card, as in M/Chip, instead of
    /// the two characters of the authorization response code.
    var hasBinaryResponseCode: Bool {
        switch self {
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000: true
        case .cvn10, .cvn18, .aes: false
        }
    }

    /// Derives the ICC master key: EMV Book 2 annex A1.4 option A for triple DES, option B for version 18, which
    /// differs only for a PAN of more than 16 digits, and option C for AES.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public func masterKey(
        issuerMasterKey: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, panSequenceNumber: UInt8?
    ) throws(CryptogramError) -> SensitiveBytes {
        try ICCMasterKey.derive(
            issuerMasterKey: issuerMasterKey, pan: pan, panSequenceNumber: panSequenceNumber,
            option: masterKeyOption)
    }

    private var masterKeyOption: ICCMasterKey.Option {
        switch self {
        case .cvn18: .b
        case .aes: .c
        case .cvn10, .mChip, .mChipCommonSessionKey, .mChipEMV2000: .a
        }
    }

    /// Returns the key of the application cryptogram: the ICC master key for application cryptograms, or a session
    /// key.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public func sessionKey(
        masterKey: borrowing SensitiveBytes, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        switch self {
        case .cvn10: masterKey.duplicate()
        case .mChip:
            try SessionKey.mastercard(masterKey: masterKey, atc: atc, unpredictableNumber: unpredictableNumber)
        case .mChipEMV2000: try SessionKey.tree(masterKey: masterKey, atc: atc)
        case .cvn18, .mChipCommonSessionKey, .aes: try SessionKey.common(masterKey: masterKey, atc: atc, cipher: cipher)
        }
    }

    /// Returns the key of the ARPC: the session key of the ARQC, or the ICC master key for Visa's version 10 and
    /// Mastercard's proprietary session keys.
    func responseKey(
        masterKey: borrowing SensitiveBytes, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        switch self {
        case .cvn10, .mChip: masterKey.duplicate()
        case .cvn18, .mChipCommonSessionKey, .mChipEMV2000, .aes:
            try sessionKey(masterKey: masterKey, atc: atc, unpredictableNumber: unpredictableNumber)
        }
    }

    /// Returns the key for MACs or confidential data of issuer script commands, derived from the ICC master key for
    /// secure messaging. Visa diversifies the master key by the ATC; EMV 2000 uses its key tree; the others derive
    /// the common session key from the first application cryptogram, 8 bytes.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public func scriptKey(
        masterKey: borrowing SensitiveBytes, atc: UInt16, applicationCryptogram: [UInt8]
    ) throws(CryptogramError) -> SensitiveBytes {
        switch self {
        case .cvn10, .cvn18: SessionKey.visaScript(masterKey: masterKey, atc: atc)
        case .mChipEMV2000: try SessionKey.tree(masterKey: masterKey, atc: atc)
        case .mChip, .mChipCommonSessionKey, .aes:
            try SessionKey.derive(masterKey: masterKey, diversifier: applicationCryptogram, cipher: cipher)
        }
    }

    /// Computes a MAC with the version's cipher: an 8-byte retail MAC, or the leftmost 8 bytes of a CMAC.
    func mac(_ message: [UInt8], key: borrowing SensitiveBytes, padding: MACPadding) throws(CryptogramError) -> [UInt8]
    {
        switch cipher {
        case .tripleDES:
            try cryptographically { () throws(CryptographyError) in
                try RetailMAC.mac(message, key: key, padding: padding)
            }
        case .aes:
            Array(
                try cryptographically { () throws(CryptographyError) in try AESCMAC.mac(message, key: key) }.prefix(8))
        }
    }
}
