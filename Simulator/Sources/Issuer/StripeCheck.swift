internal import CardSecrets
internal import Determinism
internal import Hardware
internal import MagneticStripe

/// What the issuer finds out about a swiped card and its holder before it looks at money.
struct StripeCheck {
    /// Why the stripe is none that the issuer accepts; nil when it is.
    let refusal: IssuerDecision?
    let pin: IssuerPINCheck.Result
    /// The card asks for a PIN, and none came.
    let isPINMissing: Bool
    /// The last month of the card is over.
    let isExpired: Bool

    /// Checks the request of a card whose account is known.
    init(_ request: borrowing StripeAuthorizationRequest, account: IssuerAccount, date: CivilDate, keys: TestKeys) {
        isExpired = request.card.expiry.isOver(on: date)
        pin = IssuerPINCheck.result(
            request.pinBlock, pan: request.card.pan, wasEntered: request.verification == .onlinePIN, account: account,
            keys: keys)
        isPINMissing = request.card.serviceCode.pin == .required && request.pinBlock == nil
        let isNational = request.card.serviceCode.interchange == .national
        refusal =
            if !Self.isGenuine(request.card, keys: keys) {
                IssuerDecision(.wrongVerificationValue, .wrongVerificationValue)
            } else if request.card.serviceCode.hasChip && !request.isFallback {
                IssuerDecision(.doNotHonour, .chipNotUsed)
            } else if isNational, let country = account.country, country != request.terminalCountry {
                IssuerDecision(.restrictedCard, .abroad)
            } else {
                nil
            }
    }

    /// Whether the stripe has the issuer's own card verification value.
    private static func isGenuine(_ card: borrowing StripeCard, keys: TestKeys) -> Bool {
        guard var found = verificationValue(of: card) else { return false }
        var digits = card.pan.withDigits { [UInt8]($0) }
        let expected = try? CardVerificationValue.compute(
            digits, expiry: card.expiry.encoded, serviceCode: UInt16(card.serviceCode.number),
            key: keys.cardVerificationKey)
        defer {
            digits.wipe()
            found.wipe()
        }
        return expected == found
    }

    /// The three digits behind a field of five, which is where this issuer writes its value. Nil when there are none.
    private static func verificationValue(of card: borrowing StripeCard) -> [UInt8]? {
        switch card.trackTwo {
        case .some(let track):
            track.withUnsafeBytes { bytes in
                value(in: bytes.flatMap { [$0 >> 4, $0 & 0x0F] }, behind: 0x0D, separators: 1)
            }
        case .none:
            switch card.trackOne {
            case .some(let track):
                track.withUnsafeBytes { bytes in
                    value(in: bytes.map { $0 &- 0x30 }, behind: UInt8(ascii: "^") - 0x30, separators: 2)
                }
            case .none: nil
            }
        }
    }

    private static func value(in digits: [UInt8], behind separator: UInt8, separators: Int) -> [UInt8]? {
        var digits = digits
        defer { digits.wipe() }
        let places = digits.indices.filter { digits[$0] == separator }
        guard places.count >= separators else { return nil }
        // Expiry, service code, and the field before it.
        let value = digits.dropFirst(places[separators - 1] + 1 + 4 + 3 + 5).prefix(3)
        return value.count == 3 && value.allSatisfy { $0 <= 9 } ? Array(value) : nil
    }
}
