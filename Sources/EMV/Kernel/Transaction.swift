internal import Amounts
internal import CardSecrets
internal import Cryptography
internal import SmartCard

/// All that one transaction knows, from the selected application on. The phases of the kernel read and
/// change it in turn.
struct Transaction: ~Copyable {
    let request: TransactionRequest
    let terminal: TerminalConfiguration

    var application: SelectedApplication?
    var data = DataObjectStore()
    var profile: ApplicationInterchangeProfile = []
    var fileLocator: ApplicationFileLocator?
    var authenticationInput = OfflineAuthenticationInput(staticData: SensitiveBytes([]), defect: .record)

    /// What GET PROCESSING OPTIONS and GENERATE AC carried, in this order: CDA signatures cover it. It may hold card
    /// data, so it is secret.
    var sentData = SensitiveBytes([])
    /// Keys that were recovered, or why not; nil when nobody has asked yet.
    var issuerKey: Result<IssuerPublicKey, OfflineAuthenticationError>?
    var iccKey: Result<ICCPublicKey, OfflineAuthenticationError>?
    var offlineAuthentication = OfflineAuthenticationSummary.notPerformed(.none)

    var verificationResults: TerminalVerificationResults = []
    var statusInformation: TransactionStatusInformation = []
    var cvmResults = CVMResults.notPerformed
    var onlinePINBlock: EncipheredPINBlock?

    var cryptogram: CardCryptogram?
    var responseCode: AuthorisationResponseCode?
    var authorisationCode: String?
    var scriptResults: [IssuerScriptResult] = []
    /// Whether the issuer was asked, whatever came back.
    var wasSentOnline = false
    /// Whether the issuer approved and the payment was not made.
    var isReversalRequired = false

    init(request: TransactionRequest, terminal: TerminalConfiguration) {
        (self.request, self.terminal) = (request, terminal)
    }

    /// Begins with `application`: TVR, TSI and all card data are as new (EMV Book 3 §10.1). The
    /// unpredictable number (9F37) has four bytes.
    init(
        request: TransactionRequest, terminal: TerminalConfiguration, application: SelectedApplication,
        unpredictableNumber: [UInt8]
    ) {
        self.init(request: request, terminal: terminal)
        self.application = application
        for (tag, value) in TerminalData.values(of: terminal, application.candidate, request) { data.set(tag, value) }
        data.set(EMVTag.unpredictableNumber, unpredictableNumber)
    }

    /// Settings for the selected application.
    var terminalApplication: TerminalApplication? { application?.candidate.terminalApplication }

    /// Tag 5F34 as a number, 0...99.
    var panSequenceNumber: UInt8? {
        data[EMVTag.panSequenceNumber].flatMap(BinaryCodedDecimal.decode).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// The value of a data object that is not secret, computed ones included.
    borrowing func value(_ tag: BERTag) -> [UInt8]? {
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

    /// A copy of the static data to be authenticated. Wipe it after use.
    borrowing func copyStaticData() throws(OfflineAuthenticationError) -> [UInt8] {
        if let defect = authenticationInput.defect { throw .staticData(defect) }
        return authenticationInput.staticData.withUnsafeBytes { Array($0) }
    }

    /// Keeps a filled list that goes to the card.
    mutating func recordSent(_ data: [UInt8]) {
        var all = sentData.withUnsafeBytes { Array($0) }
        all += data
        sentData = SensitiveBytes(all)
        all.wipe()
    }

    /// Fills a list of the card. The bytes may hold card data: wipe them after use.
    borrowing func fill(_ list: DataObjectList) -> [UInt8] {
        var values: [BERTag: [UInt8]] = [:]
        for entry in list.entries { values[entry.tag] = value(entry.tag) ?? data.copyForCard(entry.tag) }
        let filled = list.filled { values[$0] }
        for entry in list.entries { values[entry.tag]?.wipe() }
        return filled
    }

    /// Reads a list that the card gave.
    borrowing func list(_ tag: BERTag, limit: Int = 255) throws(KernelStop) -> DataObjectList {
        do throws(DataObjectListError) {
            return try DataObjectList(data[tag] ?? [], limit: limit)
        } catch {
            throw .failed(.dataObjectList(tag, error))
        }
    }
}
