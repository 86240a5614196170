import HostSecurity
import ISO8583
public import Payments

extension AcquirerHost {
    public func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        switch message {
        case .reversal: _ = try await card(for: .reversal, in: original, of: key)
        case .capture: _ = try await card(for: .completion, in: original, of: key)
        }
    }

    /// Enciphers what messages after one about a subject demand of the card; nil when none demands anything.
    ///
    /// - Throws: ``PaymentHostError``: a message that could not be taken back is not sent.
    func sealedCardData(for subject: MessageSubject) async throws(PaymentHostError) -> SealedCardData? {
        let fields = profile.sealedFields(after: subject.kind)
        guard let first = fields.min() else { return nil }
        if subject.kind == .refund {
            throw .impossible(
                "the profile '\(profile.name)' has the mandatory field \(first) in reversals, and a refund has no card: "
                    + "it could not be taken back; refund the payment at the acquirer")
        }
        let place = CardSealer.Place(key: subject.key, destination: destination)
        do throws(CardSealingError) {
            guard let sealer else { throw CardSealingError.noKey }
            if let card = subject.card { return try await sealer.seal(card, fields, for: place) }
            // An increment has the card of what it raises.
            guard let original = subject.original, let key = subject.originalKey else { throw CardSealingError.gone }
            let values = try await sealer.open(
                original.sealed, of: CardSealer.Place(key: key, destination: destination))
            return try await sealer.seal(values, fields, for: place)
        } catch {
            guard subject.card != nil else { throw .cardDataClosed("\(error)") }
            guard case .missing(let field) = error else {
                throw .impossible("what later messages need of the card can't be enciphered: \(error)")
            }
            throw .impossible(
                "a message after the payment has the mandatory field \(field), and the card has none: use another card")
        }
    }

    /// Deciphers what a message demands of the card.
    ///
    /// - Parameters:
    ///   - kind: the message.
    ///   - original: the message whose card data the journal has.
    ///   - key: the key of its attempt.
    /// - Returns: the values by field; none when the message demands none.
    /// - Throws: ``PaymentHostError/cardDataClosed(_:)``
    func card(
        for kind: MessageKind, in original: MessageIdentity, of key: IdempotencyKey
    ) async throws(PaymentHostError) -> [Int: SecretValue] {
        guard let fields = profile.messages[kind]?.sealedFields, !fields.isEmpty else { return [:] }
        let values: [Int: SecretValue]
        do throws(CardSealingError) {
            guard let sealer else { throw CardSealingError.noKey }
            values = try await sealer.open(
                original.sealed, of: CardSealer.Place(key: key, destination: destination))
        } catch { throw .cardDataClosed("\(error)") }
        if let field = fields.first(where: { values[$0] == nil }) {
            throw .cardDataClosed("\(CardSealingError.missing(field))")
        }
        return values
    }
}
