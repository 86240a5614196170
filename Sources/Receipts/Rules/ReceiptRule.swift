internal import EMV
internal import Hardware

/// One thing that somebody wants of a receipt.
struct ReceiptRule: Hashable, Sendable {
    /// When it counts, beside brand, region and copy.
    enum Condition: Hashable, Sendable {
        case always
        /// A card was read.
        case card
        /// The chip of a card was used for this transaction. A refund asks no chip.
        case chip
        /// The card that paid has a chip that was read.
        case chipCard
        /// The host approved a sale and gave it a number.
        case approvedOnline
        case pin
        /// The cardholder signs what was approved.
        case signature
        case notApproved
        case order
    }

    let field: ReceiptField
    let demand: ReceiptDemand
    let source: ReceiptRuleSource
    let condition: Condition
    /// Nil for every brand.
    let brands: Set<CardBrand>?
    /// Nil for every region.
    let regions: Set<ReceiptRegion>?
    /// Nil for both.
    let copy: ReceiptCopy?

    init(
        _ field: ReceiptField, _ source: ReceiptRuleSource, _ demand: ReceiptDemand = .required,
        when condition: Condition = .always, brands: Set<CardBrand>? = nil, in regions: Set<ReceiptRegion>? = nil,
        on copy: ReceiptCopy? = nil
    ) {
        (self.field, self.demand, self.source, self.condition) = (field, demand, source, condition)
        (self.brands, self.regions, self.copy) = (brands, regions, copy)
    }

    /// Whether the rule counts for a receipt.
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
        case .chip: return card?.entryMode == .chip && document.kind != .refund
        case .chipCard: return card?.entryMode == .chip
        case .approvedOnline:
            // Y1 and Y3: the card approved by itself, and nobody gave it a number (EMV Book 4, annex A6).
            return document.outcome == .approved && document.kind != .refund && card != nil
                && !["Y1", "Y3"].contains(card?.authorizationResponseCode ?? "")
        case .pin: return card?.cardholderVerification.isByPIN == true && document.kind != .refund
        case .signature: return document.asksForSignature
        case .notApproved: return document.outcome == .declined || document.outcome == .cancelled
        case .order: return document.orderID != nil
        }
    }
}

extension ReceiptDocument {
    var brand: CardBrand? { card.flatMap { CardBrand(rawValue: $0.brand) } }

    /// Whether somebody has to sign it.
    var asksForSignature: Bool {
        kind != .refund && outcome == .approved && card?.cardholderVerification.needsSignature == true
    }
}

extension CardPresentTransactionDetails.CardholderVerification {
    var isByPIN: Bool {
        switch self {
        case .offlinePIN, .encipheredOfflinePIN, .onlinePIN, .offlinePINAndSignature, .encipheredOfflinePINAndSignature:
            true
        case .none, .signature, .failed: false
        }
    }
}
