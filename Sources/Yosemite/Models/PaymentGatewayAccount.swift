public import Networking

/// An account with a payment gateway of a store site.
public typealias PaymentGatewayAccount = Networking.GatewayAccount

/// Lets a reader of the gateway connect, once.
public typealias ReaderConnectionToken = Networking.ReaderConnectionToken
