public import HostSecurity
public import ISO8583

/// Why payments can't go by a profile.
public enum ProfileObstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile lacks a message without which no payment may begin.
    case noMessage(MessageKind)
    /// A message after the payment has card data, which is not kept.
    case needsCardData(MessageKind, field: Int)
    /// The keys that are there are not those of the profile.
    case keys(KeyObstacle)

    public var description: String {
        switch self {
        case .noMessage(let kind): "it has no message '\(kind.rawValue)'"
        case .needsCardData(let kind, let field):
            "its message '\(kind.rawValue)' has the mandatory field \(field), and card data is not kept after a payment"
        case .keys(let obstacle): "\(obstacle)"
        }
    }

    /// The advice about keys; nil for another obstacle.
    public var fix: String? { if case .keys(let obstacle) = self { obstacle.fix } else { nil } }
}

extension MessageProfile {
    /// The messages that follow a payment when its card is gone.
    private static let later: [MessageKind] = [
        .reversal, .refund, .offlineAdvice, .declineAdvice, .inquiry,
    ]

    /// Why payments can't go by this profile without keys.
    public var obstacleToPayments: ProfileObstacle? { obstacleToPayments(with: nil) }

    /// Returns why payments can't go by this profile with the keys of a key file; nil when they can. A payment that
    /// could not be taken back must not begin.
    public func obstacleToPayments(with keys: HostKeys?) -> ProfileObstacle? {
        let first: MessageKind = messages[.sale] == nil ? .authorization : .sale
        for kind in [first, .reversal] where messages[kind] == nil { return .noMessage(kind) }
        for kind in Self.later {
            guard let form = messages[kind] else { continue }
            if let field = form.cardDataField { return .needsCardData(kind, field: field) }
        }
        return keyObstacle(keys).map { .keys($0) }
    }

    /// Returns why amounts can't be held by this profile and captured later; nil when they can. The capture comes when
    /// the card is gone, so its message must need no card data.
    public var obstacleToPreauthorizations: ProfileObstacle? {
        for kind in [MessageKind.authorization, .completion] {
            guard let form = messages[kind] else { return .noMessage(kind) }
            guard kind == .completion else { continue }
            if let field = form.cardDataField { return .needsCardData(kind, field: field) }
        }
        return nil
    }

    /// Why what is held can't be raised by this profile; nil when it can. As the capture, it comes when the card is
    /// gone.
    public var obstacleToIncrements: ProfileObstacle? {
        guard let form = messages[.increment] else { return .noMessage(.increment) }
        return form.cardDataField.map { .needsCardData(.increment, field: $0) }
    }
}

extension MessageForm {
    /// A mandatory field with card data, which is not kept after a payment; nil without one.
    fileprivate var cardDataField: Int? {
        mandatory.first { $0 == 14 || ISOMessage.secretFields.contains($0) && $0 != 55 }
    }
}
