public import CardSecrets

/// Issuer authentication data (tag 91): the ARPC and its input, in the version's format.
public enum IssuerAuthenticationData {
    /// The transaction data over which the issuer computes the ARPC and with which the card checks it.
    public struct Context: Hashable, Sendable {
        public var version: CryptogramVersion
        public var atc: UInt16
        /// Tag 9F37, 4 bytes.
        public var unpredictableNumber: [UInt8]
        /// The cryptogram sent to the issuer, 8 bytes.
        public var arqc: [UInt8]

        /// Takes the ATC, the terminal's unpredictable number (4 bytes), and the cryptogram of the request (8 bytes).
        public init(version: CryptogramVersion, atc: UInt16, unpredictableNumber: [UInt8], arqc: [UInt8]) {
            (self.version, self.atc) = (version, atc)
            (self.unpredictableNumber, self.arqc) = (unpredictableNumber, arqc)
        }
    }

    /// The content of authentic issuer authentication data.
    public enum Content: Hashable, Sendable {
        /// Method 1: the authorization response code, two ASCII characters.
        case responseCode([UInt8])
        /// Method 2, and method 1 of M/Chip, whose response code has the same instructions except for blocking.
        case cardStatusUpdate(CardStatusUpdate)
    }

    /// Builds the value of tag 91: ARPC (8) and response code (2) by method 1; ARPC (4) and card status update (4) by
    /// method 2. For M/Chip, the response code is ``CardStatusUpdate/mChipResponseCode``. `masterKey` is the ICC master
    /// key for application cryptograms.
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

    /// Builds the value by a method that can differ from that of the card's version.
    static func make(
        _ context: Context, method: CryptogramVersion.ResponseMethod, responseCode: [UInt8],
        cardStatusUpdate: CardStatusUpdate, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        switch method {
        case .one:
            let code = context.version.hasBinaryResponseCode ? cardStatusUpdate.mChipResponseCode : responseCode
            return try arpcOne(context, responseCode: code, masterKey: masterKey) + code
        case .two:
            return try arpcTwo(context, tail: cardStatusUpdate.encoded[...], masterKey: masterKey)
                + cardStatusUpdate.encoded
        }
    }

    /// Checks a value of tag 91 as a card does; returns nil if the ARPC is wrong.
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
            guard arpc.elementsEqual(bytes.prefix(8)) else { return nil }
            return context.version.hasBinaryResponseCode
                ? .cardStatusUpdate(CardStatusUpdate(mChipResponseCode: responseCode)) : .responseCode(responseCode)
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
        try AuthorizationResponseCryptogram.methodOne(
            arqc: context.arqc, responseCode: responseCode, key: try key(context, masterKey: masterKey))
    }

    private static func arpcTwo(
        _ context: Context, tail: ArraySlice<UInt8>, masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        try AuthorizationResponseCryptogram.methodTwo(
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

/// The issuer's instructions to the card in ARPC method 2 (EMV Book 2 §8.2.2; common core definitions, Book 3 annex
/// C10).
public struct CardStatusUpdate: Hashable, Sendable {
    /// The new PIN try counter, 0...15; used if ``updatesPINTryCounter``.
    public var pinTryCounter: UInt8
    public var approves: Bool
    public var blocksCard: Bool
    public var blocksApplication: Bool
    public var updatesPINTryCounter: Bool
    /// Whether the next transaction must go online.
    public var goesOnlineNextTime: Bool
    /// The update of the offline counters.
    public var counters: CounterUpdate

    /// An update of the offline counters.
    public enum CounterUpdate: UInt8, Hashable, Sendable {
        case leave = 0b00
        case setToUpperLimits = 0b01
        case reset = 0b10
        /// Counts this transaction as an offline one.
        case addTransaction = 0b11
    }

    /// By default, an approval resets the counters and any other response leaves them unchanged.
    public init(
        approves: Bool, blocksCard: Bool = false, blocksApplication: Bool = false, pinTryCounter: UInt8? = nil,
        goesOnlineNextTime: Bool = false, counters: CounterUpdate? = nil
    ) {
        (self.approves, self.blocksCard, self.blocksApplication) = (approves, blocksCard, blocksApplication)
        (self.pinTryCounter, updatesPINTryCounter) = (pinTryCounter ?? 0, pinTryCounter != nil)
        self.goesOnlineNextTime = goesOnlineNextTime
        self.counters = counters ?? (approves ? .reset : .leave)
    }

    /// Decodes four bytes; fails for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 4 else { return nil }
        pinTryCounter = bytes[0] & 0x0F
        approves = bytes[1] & 0x80 != 0
        blocksCard = bytes[1] & 0x40 != 0
        blocksApplication = bytes[1] & 0x20 != 0
        updatesPINTryCounter = bytes[1] & 0x10 != 0
        goesOnlineNextTime = bytes[1] & 0x08 != 0
        counters = CounterUpdate(rawValue: bytes[1] & 0x03) ?? .leave
    }

    /// The four encoded bytes.
    public var encoded: [UInt8] {
        var actions: UInt8 = (approves ? 0x80 : 0) | counters.rawValue
        if blocksCard { actions |= 0x40 }
        if blocksApplication { actions |= 0x20 }
        if updatesPINTryCounter { actions |= 0x10 }
        if goesOnlineNextTime { actions |= 0x08 }
        return [min(pinTryCounter, 15), actions, 0, 0]
    }
}

/// The response code of M/Chip's ARPC: byte 1 has the PIN try counter in its low half; byte 2 has 10 for an approval,
/// 08 to update the PIN try counter, 04 to go online with the next transaction, and the update of the counters (M/Chip
/// 4 card application specification, ARPC response code).
extension CardStatusUpdate {
    /// Decodes the two bytes; missing ones count as zero.
    init(mChipResponseCode bytes: [UInt8]) {
        let (tries, actions) = (bytes.first ?? 0, bytes.dropFirst().first ?? 0)
        self.init(
            approves: actions & 0x10 != 0, pinTryCounter: actions & 0x08 != 0 ? tries & 0x0F : nil,
            goesOnlineNextTime: actions & 0x04 != 0, counters: CounterUpdate(rawValue: actions & 0x03))
    }

    /// The two encoded bytes. Blocking has no place in them: an issuer does it with a script.
    public var mChipResponseCode: [UInt8] {
        var actions: UInt8 = (approves ? 0x10 : 0) | counters.rawValue
        if updatesPINTryCounter { actions |= 0x08 }
        if goesOnlineNextTime { actions |= 0x04 }
        return [min(pinTryCounter, 15), actions]
    }
}
