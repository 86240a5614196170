public import ISO8583

extension MessageProfile {
    /// Returns why amounts can't be held by this profile and captured later; nil when they can. The capture comes when
    /// the card is gone, so its message must need no card data.
    public var obstacleToPreauthorizations: ProfileObstacle? {
        for kind in [MessageKind.authorization, .completion] {
            guard let form = messages[kind] else { return .noMessage(kind) }
            guard kind == .completion else { continue }
            let cardData = form.mandatory.first { $0 == 14 || ISOMessage.secretFields.contains($0) && $0 != 55 }
            if let cardData { return .needsCardData(kind, field: cardData) }
        }
        return nil
    }
}
