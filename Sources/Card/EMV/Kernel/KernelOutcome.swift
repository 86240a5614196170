public import CardSecrets
public import SmartCard
import Text

/// The result of a transaction, with the data that journal, receipt, and host need. It contains no card data that must
/// not be stored: only the last four digits of the PAN, and no expiration date, track data, or names.
/// ``issuerPrefix`` and ``card`` are in memory only, and show nothing of themselves.
public struct KernelOutcome: Hashable, Sendable {
    public let decision: TransactionDecision
    /// The selected application; nil if none was selected.
    public let application: ApplicationSummary?
    /// The masked PAN; nil if the card's records were not read.
    public let pan: MaskedPAN?
    /// The first digits of the PAN, to choose the host of an advice; nil if the card's records were not read.
    public let issuerPrefix: CardPrefix?
    /// The card, if the request asks to keep it, and its records were read; otherwise nil.
    public let card: KeptCard?
    /// Tag 5F34, 0...99.
    public let panSequenceNumber: UInt8?
    /// Tag 95
    public let verificationResults: TerminalVerificationResults
    /// Tag 9B
    public let statusInformation: TransactionStatusInformation
    /// The method and result of offline data authentication.
    public let offlineAuthentication: OfflineAuthenticationSummary
    /// Tag 9F34
    public let cvmResults: CVMResults
    /// The PIN tries left on the card after the last offline PIN, if the card rejected it; otherwise nil.
    public let triesLeftAfterWrongPIN: UInt8?
    /// The card's last cryptogram; nil if there is none, or if it is in a signature that is not valid.
    public let cryptogram: CardCryptogram?
    /// Tag 5F57 as sent by the terminal; nil if no account type was selected.
    public let accountType: UInt8?
    /// Tag 9F10; nil if the card returned none.
    public let issuerApplicationData: [UInt8]?
    /// Tag 9F37, four bytes; nil when no application was selected.
    public let unpredictableNumber: [UInt8]?
    /// Tag 8A
    public let responseCode: AuthorizationResponseCode?
    /// DE 38
    public let authorizationCode: String?
    /// The ICC data for an advice or a reversal (DE 55).
    public let iccData: [BERTLV]
    public let scriptResults: [IssuerScriptResult]
    /// Whether an authorization request was passed to the authorizer, whatever the answer.
    public let wasSentOnline: Bool
    /// Whether the authorization must be reversed: the issuer approved, or may have approved, and the payment was not
    /// completed. If no answer arrived at all, this is false: the authorizer knows whether it sent the request, and
    /// reverses it itself.
    public let isReversalRequired: Bool

    /// The cardholder verification method performed.
    public var cardholderVerification: CardholderVerificationKind { cvmResults.verification }

    /// Whether the card requires an advice for a payment declined offline (9F27 b4).
    public var isAdviceRequired: Bool { cryptogram?.information.isAdviceRequired ?? false }

    init(_ decision: TransactionDecision, _ transaction: Transaction) {
        self.decision = decision
        application = transaction.application.map(ApplicationSummary.init)
        (pan, issuerPrefix) = Self.parts(transaction)
        card = transaction.request.keepsCard ? Self.card(transaction) : nil
        panSequenceNumber = transaction.panSequenceNumber
        verificationResults = transaction.verificationResults
        statusInformation = transaction.statusInformation
        offlineAuthentication = transaction.offlineAuthentication
        cvmResults = transaction.cvmResults
        triesLeftAfterWrongPIN = transaction.triesLeftAfterWrongPIN
        cryptogram = transaction.cryptogram
        accountType = transaction.data[EMVTag.accountType]?.first
        issuerApplicationData = transaction.data[EMVTag.issuerApplicationData]
        unpredictableNumber = transaction.data[EMVTag.unpredictableNumber]
        responseCode = transaction.responseCode
        authorizationCode = transaction.authorizationCode
        iccData = transaction.cryptogram == nil ? [] : ICCData.collect(ICCData.final, of: transaction)
        scriptResults = transaction.scriptResults
        wasSentOnline = transaction.wasSentOnline
        isReversalRequired = transaction.isReversalRequired
    }

    /// A copy of the card's data.
    private static func card(_ transaction: Transaction) -> KeptCard? {
        do throws(DataObjectError) {
            let pan = try transaction.data.primaryAccountNumber()
            return KeptCard(
                pan: pan, expiry: Array((transaction.data[EMVTag.expirationDate] ?? []).prefix(2)),
                trackTwo: SensitiveBytes.copy(transaction.data.duplicateSecret(EMVTag.trackTwo)),
                trackOne: SensitiveBytes([]))
        } catch { return nil }
    }

    /// What is kept of the PAN.
    private static func parts(_ transaction: Transaction) -> (pan: MaskedPAN?, prefix: CardPrefix?) {
        do throws(DataObjectError) {
            let pan = try transaction.data.primaryAccountNumber()
            return (pan.masked, CardPrefix(pan))
        } catch { return (nil, nil) }
    }
}

/// The application used in a transaction.
public struct ApplicationSummary: Hashable, Sendable {
    /// Tag 84: 5...16 bytes.
    public let aid: [UInt8]
    /// Tag 50; nil if the card returns none.
    public let label: String?
    /// Tag 9F12; nil if the card returns none that the terminal can display.
    public let preferredName: String?
    /// The brand; nil for an unknown RID.
    public let brand: CardBrand?
    /// The card's preferred languages (5F2D), by ISO 639-1 code, the first one most.
    public let languages: [String]

    init(_ application: SelectedApplication) {
        aid = application.candidate.dfName
        (label, preferredName) = (application.name.label, application.name.preferred)
        brand = CardBrand(aid: application.candidate.dfName)
        languages = application.languagePreference
    }

    /// The name for receipts: the preferred name, label, brand, or AID, whichever exists first.
    public var displayName: String { preferredName ?? label ?? brand?.displayName ?? aid.hexadecimal }
}

/// How a transaction ended.
public enum TransactionDecision: Hashable, Sendable {
    /// Issuer and card approved.
    case approvedOnline
    /// The card approved without the issuer.
    case approvedOffline
    /// The issuer declined.
    case declinedOnline
    /// The card declined although terminal or issuer approved.
    case declinedByCard
    /// The terminal declined: by terminal action analysis, or because it could not go online.
    case declinedOffline
    /// The issuer referred the payment to voice authorization (01, 02). The card received a decline.
    case referred
    /// Canceled before going online, or without an answer from the issuer.
    case canceled(CancellationOrigin)
    /// The chip has no usable application: continue with the magnetic stripe or another card.
    case tryAnotherInterface(KernelError)
    /// The transaction ended with an error.
    case terminated(KernelError)

    /// Whether the payment was made.
    public var isApproved: Bool { self == .approvedOnline || self == .approvedOffline }
}

/// The origin of a cancellation.
public enum CancellationOrigin: Hashable, Sendable {
    /// The cardholder, at application selection or PIN entry.
    case cardholder
    /// The program, by canceling the task.
    case caller
}
