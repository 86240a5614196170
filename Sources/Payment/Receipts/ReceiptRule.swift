import EMV
import Payments

/// A requirement for receipts.
struct ReceiptRule: Hashable, Sendable {
    /// When the rule applies, in addition to brand, region, and copy.
    enum Condition: Hashable, Sendable {
        case always
        /// A card was read.
        case card
        /// The chip of a card was used for this transaction. A refund does not use the chip.
        case chip
        /// The card that paid has a chip, which was read.
        case chipCard
        /// The host approved a sale and returned an authorization code.
        case approvedOnline
        case pin
        /// The cardholder signs the approval.
        case signature
        case notApproved
        case order
    }

    let field: ReceiptField
    let demand: RequirementLevel
    let source: ReceiptRuleSource
    let condition: Condition
    /// Nil for every brand.
    let brands: Set<CardBrand>?
    /// Nil for every region.
    let regions: Set<ReceiptRegion>?
    /// Nil for both copies.
    let copy: ReceiptCopy?

    init(
        _ field: ReceiptField, _ source: ReceiptRuleSource, _ demand: RequirementLevel = .required,
        when condition: Condition = .always, brands: Set<CardBrand>? = nil, in regions: Set<ReceiptRegion>? = nil,
        on copy: ReceiptCopy? = nil
    ) {
        (self.field, self.demand, self.source, self.condition) = (field, demand, source, condition)
        (self.brands, self.regions, self.copy) = (brands, regions, copy)
    }

    /// Whether the rule applies to a receipt.
    func applies(to document: ReceiptDocument) -> Bool {
        if let copy, copy != document.copy { return false }
        if let regions, !regions.contains(document.region) { return false }
        if let brands {
            guard let brand = document.brand, brands.contains(brand) else { return false }
        }
        return condition.holds(for: document)
    }
}

extension ReceiptRule.Condition {
    fileprivate func holds(for document: ReceiptDocument) -> Bool {
        let card = document.card
        switch self {
        case .always: return true
        case .card: return card != nil
        case .chip: return card?.entryMode.isChip == true && document.kind != .refund
        case .chipCard: return card?.entryMode.isChip == true
        case .approvedOnline:
            // Y1 and Y3: the card approved offline, without an authorization code (EMV Book 4, annex A6).
            return document.outcome == .approved && document.kind != .refund && card != nil
                && !["Y1", "Y3"].contains(card?.authorizationResponseCode ?? "")
        case .pin: return document.saysPIN
        case .signature: return document.asksForSignature
        case .notApproved: return document.outcome == .declined || document.outcome == .canceled
        case .order: return document.orderID != nil
        }
    }
}

extension ReceiptDocument {
    var brand: CardBrand? { card.flatMap { CardBrand(rawValue: $0.brand) } }

    /// Whether the receipt says that a PIN verified the cardholder.
    var saysPIN: Bool {
        kind != .refund && outcome == .approved && card?.cardholderVerification.isByPIN == true
    }

    /// Whether the receipt requires a signature.
    var asksForSignature: Bool {
        kind != .refund && outcome == .approved && card?.cardholderVerification.needsSignature == true
    }
}

extension CardDetails.CardholderVerification {
    var isByPIN: Bool {
        switch self {
        case .offlinePIN, .encipheredOfflinePIN, .onlinePIN, .offlinePINAndSignature, .encipheredOfflinePINAndSignature:
            true
        case .none, .device, .signature, .failed, .other: false
        }
    }
}

/// The strictness of a rule.
public enum RequirementLevel: String, Hashable, Sendable, Codable {
    case required
    /// Recommended; a receipt without it is valid.
    case recommended
    case forbidden
}

/// The source of a rule.
public enum ReceiptRuleSource: String, Hashable, Sendable, Codable, CaseIterable {
    case adyen, stripe, elavon, moneris, jpMorgan, kepapay, trustPayments, heartland
    case emv, pci, facta, brazil, australia, signatureOptional, declinedReceipts

    /// The title of the source, and where to find it.
    public var title: String {
        switch self {
        case .adyen: "Adyen, receipt requirements for card schemes (docs.adyen.com)"
        case .stripe: "Stripe Terminal, receipts (docs.stripe.com/terminal/features/receipts)"
        case .elavon: "Elavon, EMV integration guide, 8 Receipt (developer.elavon.com)"
        case .moneris: "Moneris, receipt requirements (developer.moneris.com)"
        case .jpMorgan: "J.P. Morgan, in-store payments, receipt requirements (developer.payments.jpmorgan.com)"
        case .kepapay: "Kepapay, receipts (docs.kepapay.co/receipts)"
        case .trustPayments: "Trust Payments, receipt information (help.trustpayments.com)"
        case .heartland: "Heartland, credit card receipts of Canadian merchants (heartlandpos.zendesk.com)"
        case .emv: "EMV 4.4 Book 4, 6.3.4.5"
        case .pci: "PCI DSS 4.0, 3.4.1"
        case .facta: "United States, 15 U.S.C. 1681c(g)"
        case .brazil: "Brazil, Portaria SEFAZ/MT 262/2023, article 1 (sefaz.mt.gov.br)"
        case .australia: "Australian merchant agreements, records of debit card transactions (markettransfer.info)"
        case .signatureOptional: "no signature required since April 2018 (emspayments.com/no-signature-required)"
        case .declinedReceipts: "receipts of declined chip payments (rxtrax/tracking#168, #170)"
        }
    }
}

/// A field that a rule requires or forbids on a receipt.
public enum ReceiptField: String, Hashable, Sendable, Codable, CaseIterable {
    case merchantName, merchantAddress, merchantID, terminalID
    /// The merchant's tax number: in Brazil the CNPJ.
    case businessNumber
    case dateTime, transactionType, amount
    /// The approved amount: zero when not approved.
    case approvedAmount
    /// The items and totals of an order.
    case items
    /// The title of an Interac receipt in both languages of Canada.
    case transactionRecord
    case cardBrand, cardNumber, entryMode, accountType
    /// An account that the cardholder chose, instead of the default account.
    case chosenAccount
    case applicationID, applicationName
    case authorizationCode, hostReference
    case applicationCryptogram, terminalVerificationResults, issuerApplicationData
    /// The statement that the cardholder was verified by PIN.
    case pinStatement
    case signatureLine
    /// More than four digits of the card number.
    case fullCardNumber
    case expirationDate
}

extension ReceiptRule {
    /// All rules. A field may have several rules, which apply independently.
    static let all: [ReceiptRule] = everywhere + byBrand + northAmerica + elsewhere + forbidden

    private static let everywhere: [ReceiptRule] = [
        ReceiptRule(.merchantName, .adyen),
        ReceiptRule(.merchantAddress, .adyen),
        ReceiptRule(.merchantID, .adyen),
        ReceiptRule(.terminalID, .kepapay),
        ReceiptRule(.dateTime, .adyen),
        ReceiptRule(.transactionType, .adyen),
        ReceiptRule(.amount, .adyen),
        ReceiptRule(.approvedAmount, .declinedReceipts, when: .notApproved),
        ReceiptRule(.items, .adyen, .recommended, when: .order),
        ReceiptRule(.cardNumber, .kepapay, when: .card),
        ReceiptRule(.entryMode, .kepapay, when: .card),
        ReceiptRule(.authorizationCode, .kepapay, when: .approvedOnline),
        ReceiptRule(.applicationID, .adyen, when: .chipCard),
        ReceiptRule(.pinStatement, .adyen, when: .pin),
    ]

    private static let byBrand: [ReceiptRule] = [
        ReceiptRule(
            .applicationName, .adyen, when: .chipCard, brands: [.visa, .mastercard, .discover, .americanExpress]),
        ReceiptRule(
            .applicationName, .adyen, .recommended, when: .chipCard,
            brands: [
                .jcb, .unionPay, .interac, .usCommonDebit, .dna, .cartesBancaires, .girocard, .eftposAustralia, .ruPay,
                .mir, .pagoBancomat, .link,
            ]),
        ReceiptRule(.applicationCryptogram, .adyen, .recommended, when: .chip, brands: [.americanExpress]),
    ]

    private static let northAmerica: [ReceiptRule] = [
        ReceiptRule(.terminalVerificationResults, .elavon, when: .chip, in: [.unitedStates, .canada]),
        ReceiptRule(.issuerApplicationData, .elavon, when: .chip, in: [.unitedStates, .canada]),
        ReceiptRule(.cardBrand, .jpMorgan, when: .card, in: [.unitedStates]),
        ReceiptRule(
            .signatureLine, .signatureOptional, .recommended, when: .signature, in: [.unitedStates, .canada],
            on: .merchant),
        ReceiptRule(.cardBrand, .moneris, when: .card, in: [.canada]),
        ReceiptRule(.hostReference, .heartland, when: .approvedOnline, in: [.canada]),
        ReceiptRule(.transactionRecord, .moneris, brands: [.interac], in: [.canada]),
        ReceiptRule(.chosenAccount, .moneris, when: .card, brands: [.interac], in: [.canada]),
    ]

    private static let elsewhere: [ReceiptRule] = [
        ReceiptRule(
            .accountType, .stripe, when: .card,
            in: [.canada, .europeanUnion, .unitedKingdom, .australia, .brazil, .japan]),
        ReceiptRule(
            .signatureLine, .emv, when: .signature,
            in: [.europeanUnion, .unitedKingdom, .australia, .brazil, .japan, .other], on: .merchant),
        ReceiptRule(.cardBrand, .trustPayments, when: .card, in: [.europeanUnion, .unitedKingdom]),
        ReceiptRule(.applicationName, .trustPayments, when: .chipCard, in: [.europeanUnion, .unitedKingdom]),
        ReceiptRule(.chosenAccount, .australia, when: .card, brands: [.eftposAustralia], in: [.australia]),
        ReceiptRule(.businessNumber, .brazil, in: [.brazil]),
    ]

    private static let forbidden: [ReceiptRule] = [
        ReceiptRule(.fullCardNumber, .pci, .forbidden),
        ReceiptRule(.fullCardNumber, .facta, .forbidden, in: [.unitedStates], on: .customer),
        ReceiptRule(.expirationDate, .adyen, .forbidden),
        ReceiptRule(.expirationDate, .facta, .forbidden, in: [.unitedStates], on: .customer),
    ]
}
