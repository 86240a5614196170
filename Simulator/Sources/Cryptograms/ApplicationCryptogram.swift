public import CardSecrets
internal import Cryptography
public import SmartCard

/// The application cryptogram (tag 9F26: ARQC, TC or AAC): the card's MAC over the transaction.
public enum ApplicationCryptogram {
    /// What a cryptogram is made over (EMV Book 2 §8.1.1): the terminal's data, then the card's.
    public struct Input: Hashable, Sendable {
        /// The values of 9F02, 9F03, 9F1A, 95, 5F2A, 9A, 9C and 9F37 in this order, 29 bytes.
        public let terminalData: [UInt8]
        /// Tag 9F37, 4 bytes.
        public let unpredictableNumber: [UInt8]
        /// Tag 82, 2 bytes.
        public let applicationInterchangeProfile: [UInt8]
        /// Tag 9F36.
        public let atc: UInt16
        /// Tag 9F10.
        public let issuerApplicationData: IssuerApplicationData

        /// Gathers the data objects by tag. A card gives the values that it got by its CDOL and its
        /// own; an issuer those of the ICC data in the message.
        ///
        /// - Throws: ``CryptogramError/missing(_:)``, ``CryptogramError/wrongLength(_:_:)``,
        ///   ``CryptogramError/unknownIssuerApplicationData``
        public init(_ value: (BERTag) -> [UInt8]?) throws(CryptogramError) {
            func take(_ tag: BERTag, count: Int) throws(CryptogramError) -> [UInt8] {
                guard let bytes = value(tag) else { throw .missing(tag) }
                guard bytes.count == count else { throw .wrongLength(tag, bytes.count) }
                return bytes
            }
            var terminalData: [UInt8] = []
            for (tag, count) in Self.terminalDataObjects { terminalData += try take(tag, count: count) }
            self.terminalData = terminalData
            unpredictableNumber = Array(terminalData.suffix(4))
            applicationInterchangeProfile = try take(0x82, count: 2)
            atc = try take(0x9F36, count: 2).reduce(0) { $0 << 8 | UInt16($1) }
            guard let application = value(0x9F10) else { throw .missing(0x9F10) }
            issuerApplicationData = try IssuerApplicationData(decoding: application)
        }

        /// Tags and lengths of the terminal's data objects, in the order of the cryptogram.
        public static let terminalDataObjects: [(tag: BERTag, count: Int)] = [
            (0x9F02, 6), (0x9F03, 6), (0x9F1A, 2), (0x95, 5), (0x5F2A, 2), (0x9A, 3), (0x9C, 1), (0x9F37, 4),
        ]
    }

    /// Makes the cryptogram that the version in the issuer application data asks for, 8 bytes.
    /// `masterKey` is the ICC master key for application cryptograms.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func compute(
        _ input: Input, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        let version = input.issuerApplicationData.version
        let key = try version.sessionKey(
            masterKey: masterKey, atc: input.atc, unpredictableNumber: input.unpredictableNumber)
        let tail =
            switch version {
            case .cvn10, .mChip, .mChipCommonSessionKey, .mChipEMV2000:
                input.issuerApplicationData.cardVerificationResults
            case .cvn18, .aes: input.issuerApplicationData.encoded
            }
        return try version.mac(
            input.terminalData + input.applicationInterchangeProfile + input.atc.bigEndianBytes + tail, key: key,
            padding: version == .cvn10 ? .zeros : .markerAndZeros)
    }
}
