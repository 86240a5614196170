public import HostSecurity
public import ISO8583
import Payments

/// Why payments can't go by a profile.
public enum ProfileObstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile lacks a message without which no payment may begin.
    case noMessage(MessageKind)
    /// A message after the payment has card data, which is not kept.
    case needsCardData(MessageKind, field: Int)
    /// A message after the payment has card data, and there is no key under which it could be kept.
    case needsStorageKey(MessageKind, field: Int)
    /// The key for that is not an AES key of 32 bytes.
    case wrongStorageKey
    /// The keys that are there are not those of the profile.
    case keys(KeyObstacle)

    public var description: String {
        switch self {
        case .noMessage(let kind): "it has no message '\(kind.rawValue)'"
        case .needsCardData(let kind, let field):
            "its message '\(kind.rawValue)' has the mandatory field \(field), and card data is not kept after a payment"
        case .needsStorageKey(let kind, let field):
            "its message '\(kind.rawValue)' has the mandatory field \(field), and there is no key "
                + "'\(HostKeys.storageName)' under which the till could keep that"
        case .wrongStorageKey: "the key '\(HostKeys.storageName)' is not an AES key of 32 bytes"
        case .keys(let obstacle): "\(obstacle)"
        }
    }

    /// The advice about keys; nil for another obstacle.
    public var fix: String? {
        switch self {
        case .noMessage, .needsCardData: nil
        case .needsStorageKey, .wrongStorageKey:
            (self == .wrongStorageKey ? "replace" : "add") + " '\(HostKeys.storageName)' in the key file or the token "
                + "of host.keys in the configuration: cipher aes, and 32 bytes of 'openssl rand -hex 32'"
        case .keys(let obstacle): obstacle.fix
        }
    }
}

extension MessageProfile {
    /// The messages that follow a payment when its card is gone.
    private static let later: [MessageKind] = [
        .reversal, .refund, .offlineAdvice, .declineAdvice, .inquiry,
    ]

    /// Those of them whose card data the till can keep enciphered until they are sent.
    private static let sealed: [MessageKind] = [.reversal, .offlineAdvice, .declineAdvice]

    /// Why payments can't go by this profile without keys.
    public var obstacleToPayments: ProfileObstacle? { obstacleToPayments(with: nil) }

    /// Returns why payments can't go by this profile with the keys of a key file; nil when they can. A payment that
    /// could not be taken back must not begin.
    public func obstacleToPayments(with keys: HostKeys?) -> ProfileObstacle? {
        let first: MessageKind = messages[.sale] == nil ? .authorization : .sale
        for kind in [first, .reversal] where messages[kind] == nil { return .noMessage(kind) }
        return keyObstacle(keys).map { ProfileObstacle.keys($0) } ?? cardDataObstacle(with: keys)
    }

    /// Returns why the till can't make a message after a payment with the keys of a key file: it demands card data that
    /// the till does not keep, or can't without the right key. nil when it can make all of them.
    public func cardDataObstacle(with keys: HostKeys?) -> ProfileObstacle? {
        for kind in Self.later {
            guard let form = messages[kind] else { continue }
            if let field = form.cardDataField(sealing: Self.sealed.contains(kind)) {
                return .needsCardData(kind, field: field)
            }
        }
        for kind in Self.sealed {
            guard let field = messages[kind]?.sealedFields.min() else { continue }
            guard let key = keys?.storage else { return .needsStorageKey(kind, field: field) }
            return key.keepsCardData ? nil : .wrongStorageKey
        }
        return nil
    }

    /// Returns the fields of the card that messages after one about a subject demand.
    func sealedFields(after kind: MessageSubject.Kind) -> FieldSet {
        let kinds: [MessageKind] =
            switch kind {
            case .sale: [.reversal, .offlineAdvice, .declineAdvice]
            case .preauthorization: [.reversal, .completion, .increment, .declineAdvice]
            case .refund: [.reversal]
            case .increment: [.increment, .reversal]
            case .advice(.offlineApproval): [.offlineAdvice]
            case .advice(.offlineDecline): [.declineAdvice]
            case .advice: []
            }
        return FieldSet(kinds.flatMap { messages[$0].map { Array($0.sealedFields) } ?? [] })
    }

    /// Whether a message after a payment demands card data that the till can keep.
    var sealsCardData: Bool {
        !sealedFields(after: .sale).isEmpty || !sealedFields(after: .preauthorization).isEmpty
    }

    /// Returns why amounts can't be held by this profile and captured later; nil when they can. The capture comes when
    /// the card is gone, so its message must need no card data but what the till can keep.
    public var obstacleToPreauthorizations: ProfileObstacle? {
        for kind in [MessageKind.authorization, .completion] {
            guard let form = messages[kind] else { return .noMessage(kind) }
            guard kind == .completion else { continue }
            if let field = form.cardDataField(sealing: true) { return .needsCardData(kind, field: field) }
        }
        return nil
    }

    /// Returns why what is held can't be raised by this profile; nil when it can. As the capture, it comes when the
    /// card is gone. `isSealing`: whether the till has the key under which it keeps card data.
    public func obstacleToIncrements(isSealing: Bool) -> ProfileObstacle? {
        guard let form = messages[.increment] else { return .noMessage(.increment) }
        if let field = form.cardDataField(sealing: true) { return .needsCardData(.increment, field: field) }
        return isSealing ? nil : form.sealedFields.min().map { .needsStorageKey(.increment, field: $0) }
    }
}

extension MessageForm {
    /// Returns a mandatory field with card data that is not kept after a payment; nil without one. `sealing`: whether
    /// the till keeps what it can, enciphered.
    fileprivate func cardDataField(sealing: Bool) -> Int? {
        mandatory.first { field in
            let isCardData = field == 14 || ISOMessage.secretFields.contains(field) && field != 55
            return isCardData && !(sealing && CardSealer.fields.contains(field))
        }
    }

    /// The mandatory fields with card data that the till can keep, enciphered.
    var sealedFields: FieldSet { FieldSet(mandatory.filter { CardSealer.fields.contains($0) }) }
}
