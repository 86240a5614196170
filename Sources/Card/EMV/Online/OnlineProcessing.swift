public import CardSecrets
public import SmartCard

/// Online processing (EMV Book 3 §10.9).
struct OnlineProcessing {
    let authorizer: any OnlineAuthorizer
    let observe: @Sendable (KernelState) -> Void

    /// The issuer's answer as the kernel understands it.
    enum Answer: Hashable, Sendable {
        case decided(AuthorizationResponseCode, IssuerAnswer)
        case unableToGoOnline
        /// The answer has no valid response code, so the issuer's decision is unknown.
        case unusable
    }

    func perform(_ transaction: Transaction) async throws(KernelStop) -> Answer {
        guard transaction.terminal.type.connectivity != .offlineOnly else { return .unableToGoOnline }
        let pan: PrimaryAccountNumber
        do throws(DataObjectError) { pan = try transaction.data.primaryAccountNumber() } catch {
            throw .failed(.data(error))
        }
        let request = OnlineAuthorizationRequest(
            pan: pan, trackTwo: transaction.data.duplicateSecret(EMVTag.trackTwo),
            panSequenceNumber: transaction.panSequenceNumber,
            expiry: Array((transaction.data[EMVTag.expirationDate] ?? []).prefix(2)),
            iccData: ICCData.collect(ICCData.request, of: transaction), pinBlock: transaction.onlinePINBlock)
        // The last point at which the payment can be canceled without a reversal.
        guard !Task.isCancelled else { throw .canceled(.caller) }
        observe(.online)
        transaction.wasSentOnline = true
        switch await authorizer.authorize(request) {
        case .unableToGoOnline: return .unableToGoOnline
        case .answered(let answer):
            guard let code = AuthorizationResponseCode(bytes: answer.authorizationResponseCode) else {
                return .unusable
            }
            transaction.authorizationCode = answer.authorizationCode
            return .decided(code, answer)
        }
    }
}

/// Sends the kernel's online authorization requests to the issuer.
public protocol OnlineAuthorizer: Sendable {
    /// Sends the card's request (ARQC) to the issuer and waits for the answer.
    ///
    /// Does not throw: if there is no answer, returns `.unableToGoOnline`, and the kernel continues with the second
    /// GENERATE AC (EMV Book 3 §10.9).
    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult
}

/// An authorization request to the issuer: card data with a single owner, and the ICC data of DE 55.
public struct OnlineAuthorizationRequest: ~Copyable, Sendable {
    /// Tag 5A
    public let pan: PrimaryAccountNumber
    /// Tag 57 as read from the card; nil if the card has none.
    public let trackTwo: SensitiveBytes?
    /// Tag 5F34
    public let panSequenceNumber: UInt8?
    /// Tag 5F24, YYMM in BCD, two bytes: DE 14.
    public let expiry: [UInt8]
    /// The ICC data of DE 55 as data objects: the cryptogram and the data that it covers. Never contains 5A or 57.
    public let iccData: [BERTLV]
    /// The enciphered PIN block if the CVM is online PIN.
    public let pinBlock: EncipheredPINBlock?
    /// Whether the card was read without contacts.
    public let isContactless: Bool

    /// Takes the card data over. `expiry` is YYMM in BCD, two bytes; `pinBlock` is that of an online PIN.
    public init(
        pan: consuming PrimaryAccountNumber, trackTwo: consuming SensitiveBytes?, panSequenceNumber: UInt8?,
        expiry: [UInt8], iccData: [BERTLV], pinBlock: EncipheredPINBlock?, isContactless: Bool = false
    ) {
        self.pan = pan
        self.trackTwo = trackTwo
        self.panSequenceNumber = panSequenceNumber
        self.expiry = expiry
        self.iccData = iccData
        self.pinBlock = pinBlock
        self.isContactless = isContactless
    }
}

/// A PIN block enciphered under a key of the acquirer (ISO 9564-1), with the key serial number.
///
/// Never printed: with the key, a PIN block reveals the PIN.
public struct EncipheredPINBlock: Hashable, Sendable, CustomStringConvertible {
    /// 8 bytes with TDES (format 0), 16 bytes with AES (format 4).
    public let block: [UInt8]
    /// The DUKPT key serial number: 10 bytes for TDES, 12 for AES.
    public let keySerialNumber: [UInt8]

    /// Takes an enciphered block, 8 bytes under TDES or 16 under AES, and the serial number of the key.
    public init(block: [UInt8], keySerialNumber: [UInt8]) {
        (self.block, self.keySerialNumber) = (block, keySerialNumber)
    }

    public var description: String { "EncipheredPINBlock(masked)" }
}

/// The ICC data of a message to the host (ISO 8583 DE 55), without PAN and track data.
enum ICCData {
    /// The tags of an authorization request, in the order in which they are sent.
    static let request: [BERTag] = [
        EMVTag.applicationCryptogram, EMVTag.cryptogramInformation, EMVTag.issuerApplicationData,
        EMVTag.unpredictableNumber, EMVTag.transactionCounter, EMVTag.verificationResults, EMVTag.date,
        EMVTag.transactionType, EMVTag.amount, EMVTag.currency, EMVTag.interchangeProfile, EMVTag.terminalCountry,
        EMVTag.amountOther, EMVTag.capabilities, EMVTag.cvmResults, EMVTag.terminalType,
        EMVTag.interfaceDeviceSerial, EMVTag.dfName, EMVTag.terminalVersion, EMVTag.sequenceCounter,
        EMVTag.terminalAID, EMVTag.panSequenceNumber,
    ]

    /// The tags of a contactless kernel's messages: also the form factor (9F6E), customer exclusive data (9F7C), and
    /// the code of a decision without the issuer.
    static let contactless: [BERTag] = request + [0x9F6E, 0x9F7C, EMVTag.responseCode]

    /// The tags of an advice or a reversal, which also contain the result.
    static let final: [BERTag] =
        request + [EMVTag.responseCode, EMVTag.statusInformation, EMVTag.issuerScriptResults]

    /// Returns the data objects that have a value.
    static func collect(_ tags: [BERTag], of transaction: Transaction) -> [BERTLV] {
        var objects: [BERTLV] = []
        for tag in tags {
            if let value = transaction.value(tag) { objects.append(BERTLV(tag, value)) }
        }
        return objects
    }
}

/// The authorization response code, two characters (tag 8A; EMV Book 4 annex A6; ISO 8583 DE 39).
public struct AuthorizationResponseCode: Hashable, Sendable, CustomStringConvertible {
    /// Two ASCII letters or digits.
    public let bytes: [UInt8]

    /// - Returns: nil unless `bytes` are two ASCII letters or digits.
    public init?(bytes: [UInt8]) {
        let isAlphanumeric = bytes.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard bytes.count == 2, isAlphanumeric else { return nil }
        self.bytes = bytes
    }

    private init(letter: Character, digit: Character) {
        bytes = Array("\(letter)\(digit)".utf8)
    }

    public static let offlineApproved = Self(letter: "Y", digit: "1")
    public static let offlineDeclined = Self(letter: "Z", digit: "1")
    public static let unableToGoOnlineApproved = Self(letter: "Y", digit: "3")
    public static let unableToGoOnlineDeclined = Self(letter: "Z", digit: "3")

    /// The meaning of an issuer's code to the terminal.
    public enum Meaning: Hashable, Sendable { case approval, referral, decline }

    /// 00, 10, and 11 approve, 01 and 02 refer to voice authorization, all others decline.
    public var meaning: Meaning {
        switch description {
        case "00", "10", "11": .approval
        case "01", "02": .referral
        default: .decline
        }
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// The result of going online.
public enum OnlineAuthorizationResult: Hashable, Sendable {
    /// The issuer answered.
    case answered(IssuerAnswer)
    /// No answer arrived, or nothing could be sent (EMV Book 3 §10.9: "unable to go online").
    case unableToGoOnline
}

/// The issuer's answer (DE 39, DE 38, and the ICC data of DE 55).
public struct IssuerAnswer: Hashable, Sendable {
    /// Tag 8A, two ASCII characters: `00`, `10`, `11` approve; `01`, `02` refer; others decline.
    public var authorizationResponseCode: [UInt8]
    /// DE 38, up to six characters; nil when declined.
    public var authorizationCode: String?
    /// Tag 91, 8...16 bytes: issuer authentication data.
    public var issuerAuthenticationData: [UInt8]?
    /// The value fields of the issuer script templates 71, in order of arrival.
    public var scriptsBeforeFinal: [[UInt8]]
    /// The value fields of the issuer script templates 72.
    public var scriptsAfterFinal: [[UInt8]]

    /// Takes the code as two characters of ASCII, and the value fields of the other data objects, without tag and
    /// length.
    public init(
        authorizationResponseCode: [UInt8], authorizationCode: String? = nil, issuerAuthenticationData: [UInt8]? = nil,
        scriptsBeforeFinal: [[UInt8]] = [], scriptsAfterFinal: [[UInt8]] = []
    ) {
        (self.authorizationResponseCode, self.authorizationCode) = (authorizationResponseCode, authorizationCode)
        self.issuerAuthenticationData = issuerAuthenticationData
        (self.scriptsBeforeFinal, self.scriptsAfterFinal) = (scriptsBeforeFinal, scriptsAfterFinal)
    }
}
