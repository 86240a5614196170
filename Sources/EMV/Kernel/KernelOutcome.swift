public import CardSecrets
public import SmartCard

/// How a transaction ended, with what journal, receipt and host need of it. It holds no card data that must
/// not be stored: of the PAN the last four digits, and neither expiry nor track data nor names.
public struct KernelOutcome: Hashable, Sendable {
    public let decision: TransactionDecision
    /// nil when none was selected.
    public let application: ApplicationSummary?
    /// nil when the card's records were not read.
    public let pan: MaskedPAN?
    /// Tag 5F34, 0...99
    public let panSequenceNumber: UInt8?
    /// Tag 95
    public let verificationResults: TerminalVerificationResults
    /// Tag 9B
    public let statusInformation: TransactionStatusInformation
    /// How the card was authenticated, and what came of it.
    public let offlineAuthentication: OfflineAuthenticationSummary
    /// Tag 9F34
    public let cvmResults: CVMResults
    /// The last cryptogram of the card; nil when it made none, or put it into a signature that is not valid.
    public let cryptogram: CardCryptogram?
    /// Tag 5F57, as the terminal had it; nil when nobody chose an account.
    public let accountType: UInt8?
    /// Tag 9F10; nil when the card gave none.
    public let issuerApplicationData: [UInt8]?
    /// Tag 9F37, four bytes; nil when no application was selected.
    public let unpredictableNumber: [UInt8]?
    /// Tag 8A
    public let responseCode: AuthorisationResponseCode?
    /// DE 38
    public let authorisationCode: String?
    /// The ICC data of an advice or a reversal (DE 55).
    public let iccData: [BERTLV]
    public let scriptResults: [IssuerScriptResult]
    /// Whether the issuer was asked, whatever came back.
    public let wasSentOnline: Bool
    /// Whether the issuer approved, or may have, and the payment was not made: the authorisation must be
    /// taken back. When no answer came at all, the authorizer knows whether its request left the house, and
    /// reverses it if so; this says nothing about that.
    public let isReversalRequired: Bool

    /// The cardholder verification that was performed.
    public var cardholderVerification: CardholderVerificationKind { cvmResults.verification }

    /// Whether the card wants the issuer told of a payment that was declined offline (9F27 b4).
    public var isAdviceRequired: Bool { cryptogram?.information.isAdviceRequired ?? false }

    init(_ decision: TransactionDecision, _ transaction: borrowing Transaction) {
        self.decision = decision
        application = transaction.application.map(ApplicationSummary.init)
        pan = Self.mask(transaction)
        panSequenceNumber = transaction.panSequenceNumber
        verificationResults = transaction.verificationResults
        statusInformation = transaction.statusInformation
        offlineAuthentication = transaction.offlineAuthentication
        cvmResults = transaction.cvmResults
        cryptogram = transaction.cryptogram
        accountType = transaction.data[EMVTag.accountType]?.first
        issuerApplicationData = transaction.data[EMVTag.issuerApplicationData]
        unpredictableNumber = transaction.data[EMVTag.unpredictableNumber]
        responseCode = transaction.responseCode
        authorisationCode = transaction.authorisationCode
        iccData = transaction.cryptogram == nil ? [] : ICCData.collect(ICCData.final, of: transaction)
        scriptResults = transaction.scriptResults
        wasSentOnline = transaction.wasSentOnline
        isReversalRequired = transaction.isReversalRequired
    }

    private static func mask(_ transaction: borrowing Transaction) -> MaskedPAN? {
        do throws(DataObjectError) { return try transaction.data.primaryAccountNumber().masked } catch { return nil }
    }
}

/// The application that a transaction ran with.
public struct ApplicationSummary: Hashable, Sendable {
    /// Tag 84: 5...16 bytes.
    public let aid: [UInt8]
    /// Tag 50; nil when the card gives none.
    public let label: String?
    /// Tag 9F12; nil when the card gives none that the terminal can show.
    public let preferredName: String?
    /// nil when the RID is not known.
    public let brand: CardBrand?

    init(_ application: SelectedApplication) {
        aid = application.candidate.dfName
        (label, preferredName) = (application.name.label, application.name.preferred)
        brand = CardBrand(aid: application.candidate.dfName)
    }

    /// What the receipt calls it: preferred name, else label, else brand, else AID.
    public var displayName: String { preferredName ?? label ?? brand?.displayName ?? aid.hexadecimal }
}
