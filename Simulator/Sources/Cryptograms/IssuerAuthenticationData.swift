public import CardSecrets

/// Issuer authentication data (tag 91): the ARPC and what it is made over, as the version has it.
public enum IssuerAuthenticationData {
    /// What the issuer makes its answer over, and the card checks it with.
    public struct Context: Hashable, Sendable {
        public var version: CryptogramVersion
        public var atc: UInt16
        /// Tag 9F37, 4 bytes.
        public var unpredictableNumber: [UInt8]
        /// The cryptogram that was sent to the issuer, 8 bytes.
        public var arqc: [UInt8]

        public init(version: CryptogramVersion, atc: UInt16, unpredictableNumber: [UInt8], arqc: [UInt8]) {
            (self.version, self.atc) = (version, atc)
            (self.unpredictableNumber, self.arqc) = (unpredictableNumber, arqc)
        }
    }

    /// What genuine issuer authentication data tells the card.
    public enum Content: Hashable, Sendable {
        /// Method 1: the authorisation response code, two ASCII characters.
        case responseCode([UInt8])
        /// Method 2.
        case cardStatusUpdate(CardStatusUpdate)
    }

    /// Makes the value of tag 91: ARPC (8) and response code (2) by method 1; ARPC (4) and card status
    /// update (4) by method 2. `masterKey` is the ICC master key for application cryptograms.
    ///
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func make(
        _ context: Context, responseCode: [UInt8], cardStatusUpdate: CardStatusUpdate,
        masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        try make(
            context, method: context.version.responseMethod, responseCode: responseCode,
            cardStatusUpdate: cardStatusUpdate, masterKey: masterKey)
    }

    /// The same by a method that need not be the one of the card's version.
    static func make(
        _ context: Context, method: CryptogramVersion.ResponseMethod, responseCode: [UInt8],
        cardStatusUpdate: CardStatusUpdate, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        switch method {
        case .one: try arpcOne(context, responseCode: responseCode, masterKey: masterKey) + responseCode
        case .two:
            try arpcTwo(context, tail: cardStatusUpdate.encoded[...], masterKey: masterKey) + cardStatusUpdate.encoded
        }
    }

    /// Checks a value of tag 91 as a card does; nil when the ARPC is wrong.
    ///
    /// - Throws: ``CryptogramError/malformedIssuerAuthenticationData(_:)``, ``CryptogramError/cryptography(_:)``
    public static func verify(
        _ bytes: [UInt8], _ context: Context, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> Content? {
        switch context.version.responseMethod {
        case .one:
            guard bytes.count == 10 else { throw .malformedIssuerAuthenticationData(bytes.count) }
            let responseCode = Array(bytes.suffix(2))
            let arpc = try arpcOne(context, responseCode: responseCode, masterKey: masterKey)
            return arpc.elementsEqual(bytes.prefix(8)) ? .responseCode(responseCode) : nil
        case .two:
            guard (8...16).contains(bytes.count), let update = CardStatusUpdate(bytes[4..<8]) else {
                throw .malformedIssuerAuthenticationData(bytes.count)
            }
            let arpc = try arpcTwo(context, tail: bytes[4...], masterKey: masterKey)
            return arpc.elementsEqual(bytes.prefix(4)) ? .cardStatusUpdate(update) : nil
        }
    }

    private static func arpcOne(
        _ context: Context, responseCode: [UInt8], masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        try AuthorisationResponseCryptogram.methodOne(
            arqc: context.arqc, responseCode: responseCode, key: try key(context, masterKey: masterKey))
    }

    private static func arpcTwo(
        _ context: Context, tail: ArraySlice<UInt8>, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        try AuthorisationResponseCryptogram.methodTwo(
            arqc: context.arqc, cardStatusUpdate: Array(tail.prefix(4)), proprietaryData: Array(tail.dropFirst(4)),
            key: try key(context, masterKey: masterKey), version: context.version)
    }

    private static func key(
        _ context: Context, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        try context.version.responseKey(
            masterKey: masterKey, atc: context.atc, unpredictableNumber: context.unpredictableNumber)
    }
}
