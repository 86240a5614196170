/// How far an account with a payment gateway is.
public enum GatewayAccountStatus: Codable, Hashable, Sendable, RawRepresentable {
    case complete, enabled, pendingVerification, restricted, restrictedSoon
    case rejectedFraud, rejectedTermsOfService, rejectedListed, rejectedOther
    case other(String)

    public init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .complete: "complete"
        case .enabled: "enabled"
        case .pendingVerification: "pending_verification"
        case .restricted: "restricted"
        case .restrictedSoon: "restricted_soon"
        case .rejectedFraud: "rejected.fraud"
        case .rejectedTermsOfService: "rejected.terms_of_service"
        case .rejectedListed: "rejected.listed"
        case .rejectedOther: "rejected.other"
        case .other(let word): word
        }
    }

    private static let known: [GatewayAccountStatus] = [
        .complete, .enabled, .pendingVerification, .restricted, .restrictedSoon, .rejectedFraud,
        .rejectedTermsOfService, .rejectedListed, .rejectedOther,
    ]
}
