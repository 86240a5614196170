import ArgumentParser

/// A protocol of tills.
enum TillProtocol: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Compatible with server-driven Stripe Terminal.
    case stripe
    /// ZVT, over TCP.
    case zvt
    /// Compatible with Adyen's Terminal API, which has the messages of nexo.
    case nexo

    /// The port on which tills look for a terminal.
    var port: Int {
        switch self {
        case .stripe: 12_111
        case .zvt: 20_007
        case .nexo: 8443
        }
    }
}
