import CardSecrets
import Cryptography
import Money
public import SmartCard

/// The state of one transaction. Each phase of the kernel reads and changes it; one transaction is used by one task at
/// a time. It is a class, not a noncopyable struct, because the compiler's ownership checks of a noncopyable struct of
/// this size took most of the module's type-checking time. The secrets in it wipe their own memory, so it needs no
/// `deinit` of its own.
final class Transaction {
    let request: TransactionRequest
    let terminal: TerminalConfiguration
    /// The terminal data of a recording; nil in a payment.
    let recording: (any TerminalDataRecording)?

    var application: SelectedApplication?
    var data = DataObjectStore()
    var profile: ApplicationInterchangeProfile = []
    var fileLocator: ApplicationFileLocator?
    var authenticationInput = OfflineAuthenticationInput()

    /// The data sent with GET PROCESSING OPTIONS and GENERATE AC, in this order, which CDA signatures cover. Secret,
    /// because it may contain card data.
    var sentData = SensitiveBytes([])
    /// The recovered keys, or the reason for the failure; nil until first used.
    var issuerKey: Result<IssuerPublicKey, OfflineAuthenticationError>?
    var iccKey: Result<ICCPublicKey, OfflineAuthenticationError>?
    /// The card's key for XDA; nil until the certificates were verified.
    var extendedKey: ExtendedAuthentication.CardKey?
    var offlineAuthentication = OfflineAuthenticationSummary.notPerformed(.none)

    var verificationResults: TerminalVerificationResults = []
    var statusInformation: TransactionStatusInformation = []
    var cvmResults = CVMResults.notPerformed
    var onlinePINBlock: EncipheredPINBlock?
    /// The PIN tries left after the last offline PIN, if it was wrong.
    var triesLeftAfterWrongPIN: UInt8?

    /// Whether the cardholder was asked for an account.
    var wasAccountOffered = false
    var cryptogram: CardCryptogram?
    var responseCode: AuthorizationResponseCode?
    var authorizationCode: String?
    var scriptResults: [IssuerScriptResult] = []
    /// Whether an authorization request was passed to the authorizer, whatever the answer.
    var wasSentOnline = false
    /// Whether the issuer approved, or may have, and the payment is not complete.
    var isReversalRequired = false

    init(
        request: TransactionRequest, terminal: TerminalConfiguration, recording: (any TerminalDataRecording)? = nil
    ) {
        (self.request, self.terminal, self.recording) = (request, terminal, recording)
    }

    /// Starts with `application` and an initial TVR and TSI (EMV Book 3 §10.1). The unpredictable number (9F37) has
    /// four bytes.
    init(
        request: TransactionRequest, terminal: TerminalConfiguration, application: SelectedApplication,
        unpredictableNumber: [UInt8], recording: (any TerminalDataRecording)? = nil
    ) {
        (self.request, self.terminal, self.recording) = (request, terminal, recording)
        self.application = application
        for (tag, value) in TerminalData.values(of: terminal, application.candidate, request) { data.set(tag, value) }
        data.set(EMVTag.unpredictableNumber, unpredictableNumber)
    }

    /// The terminal's settings for the selected application.
    var terminalApplication: TerminalApplication? { application?.candidate.terminalApplication }

    /// The card's preferred languages (5F2D), by ISO 639-1 code, the first one most.
    var languagePreference: [String] { application?.languagePreference ?? [] }

    /// Tag 5F34 as a number, 0...99.
    var panSequenceNumber: UInt8? {
        data[EMVTag.panSequenceNumber].flatMap(BinaryCodedDecimal.decode).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Returns the value of a data object that is not secret, including computed ones.
    func value(_ tag: BERTag) -> [UInt8]? {
        switch tag {
        case EMVTag.verificationResults: verificationResults.bytes
        case EMVTag.statusInformation: statusInformation.bytes
        case EMVTag.cvmResults: cvmResults.bytes
        case EMVTag.responseCode: responseCode?.bytes
        case EMVTag.dfName: application?.candidate.dfName
        case EMVTag.issuerScriptResults: scriptResults.isEmpty ? nil : scriptResults.flatMap(\.bytes)
        default: data[tag]
        }
    }

    /// Returns a copy of the static data to be authenticated. Wipe it after use.
    func copyStaticData() throws(OfflineAuthenticationError) -> [UInt8] {
        if let defect = authenticationInput.defect { throw .staticData(defect) }
        return authenticationInput.records.withUnsafeBytes { Array($0) } + authenticationInput.rest
    }

    /// Appends a filled list to the data sent to the card.
    func recordSent(_ data: [UInt8]) {
        var all = sentData.withUnsafeBytes { Array($0) }
        all += data
        sentData = SensitiveBytes(all)
        all.wipe()
    }

    /// Returns the data for the list with `tag`. It may contain card data: wipe it after use.
    func fill(_ list: DataObjectList, _ tag: BERTag) -> [UInt8] {
        let recorded = recording?.values(for: tag) ?? [:]
        for (tag, value) in recorded { data.set(tag, value) }
        var values: [BERTag: [UInt8]] = [:]
        for entry in list.entries { values[entry.tag] = value(entry.tag) ?? data.copyForCard(entry.tag) }
        let filled = list.filled(recorded: recorded) { values[$0] }
        for entry in list.entries { values[entry.tag]?.wipe() }
        return filled
    }

    /// Parses a data object list from the card.
    func list(_ tag: BERTag, limit: Int = 255) throws(KernelStop) -> DataObjectList {
        do throws(DataObjectListError) {
            return try DataObjectList(data[tag] ?? [], limit: limit)
        } catch {
            throw .failed(.dataObjectList(tag, error))
        }
    }
}

/// The terminal data of a recorded transaction, for a replay.
public protocol TerminalDataRecording: Sendable {
    /// Returns the values that the terminal sent for the data object list `list`: PDOL (9F38), DDOL (9F49), CDOL1 (8C),
    /// or CDOL2 (8D). They replace those of the terminal's configuration, also for tags that the kernel does not know.
    func values(for list: BERTag) -> [BERTag: [UInt8]]
}
