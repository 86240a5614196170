public import Hardware
public import Money
import Networking
public import Payments
public import Storage

/// An error of an action of ``CardPresentPaymentsStore``.
public enum CardPresentPaymentsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action needs a login to this store site.
    case noStoreSite
    /// The store site could not be reached, or rejected the request.
    case site(StoreError)
    /// The order cannot be paid here.
    case order(OrderNotPayable)
    /// No payment gateway of the store is usable.
    case gateway(GatewayProblem)
    /// The lines of an order cannot be refunded.
    case refund(RefundLineProblem)
    /// The gateway has no location for readers.
    case readerConfiguration(ReaderConfigurationError)
    /// The reader or the host failed outside a payment.
    case reader(CardReaderServiceError)
    /// The records do not allow it, or could not be read or written.
    case journal(JournalError)
    /// The host moved money, or may have, and the result of the payment or refund could not be recorded. The attempt is
    /// still open in the records, and recovery asks the host.
    case unrecorded(PaymentID, JournalError)
    /// The capture or the cancellation demands card data of the journal that can't be opened, for this reason, in
    /// words. Nothing was sent or recorded.
    case cardData(PaymentID, String)
    /// Another payment or refund of this process is running.
    case busy
    /// The database turned out to be a restored backup, with these former identities, and no ``RecoveryReport`` has
    /// named them yet: the payment or refund may be among those that it lost. Nothing was done.
    case restored([FormerIdentity])

    public var description: String {
        switch self {
        case .noStoreSite: "not signed in to this store: sign in with 'cardpresent login'"
        case .site(let error): error.description
        case .order(let error): error.description
        case .gateway(let error): error.description
        case .refund(let error): error.description
        case .readerConfiguration(let error): error.description
        case .reader(let error): error.description
        case .journal(let error): error.description
        case .unrecorded(let id, let error):
            "money may have moved, and the result of payment \(id) could not be recorded: \(error)"
        case .cardData(let id, let reason): "payment \(id): \(reason)"
        case .busy: "another payment is running: wait for it to end, or cancel it"
        case .restored:
            "nothing was done: this database is a restored backup, and may lack payments and refunds; compare with the "
                + "payment host, and recover payments before the next one"
        }
    }
}

/// Why an order cannot be paid by card at the till.
public enum OrderNotPayable: Error, Hashable, Sendable, CustomStringConvertible {
    case alreadyPaid(orderID: Int64)
    /// The total is zero.
    case nothingToPay(orderID: Int64)
    case hasRefunds(orderID: Int64)
    case wrongStatus(orderID: Int64, status: String)
    /// The customer chose another payment method.
    case otherMethod(orderID: Int64, method: String)
    /// The total is not a valid amount of its currency.
    case unusableTotal(orderID: Int64, MoneyError)
    /// The gateway account does not support the currency.
    case currencyNotSupported(orderID: Int64, currency: String, supported: [String])
    /// The amount differs from what the customer was shown.
    case totalChanged(orderID: Int64, from: Money, to: Money)

    public var description: String {
        switch self {
        case .alreadyPaid(let order): "order \(order) is already paid"
        case .nothingToPay(let order): "order \(order) has a total of zero: there is nothing to pay"
        case .hasRefunds(let order): "order \(order) has refunds: it cannot be paid again"
        case .wrongStatus(let order, let status):
            "order \(order) is \(status): only a pending, on-hold, processing or failed order can be paid"
        case .otherMethod(let order, let method):
            "order \(order) has the payment method '\(method)' and cannot be paid by card here"
        case .unusableTotal(let order, let error): "the total of order \(order) cannot be paid: \(error)"
        case .currencyNotSupported(let order, let currency, let supported):
            "order \(order) is in \(currency), and the payment gateway supports \(supported.joined(separator: ", "))"
        case .totalChanged(let order, let from, let to):
            "the total of order \(order) is now \(to) instead of \(from): inform the customer and start again"
        }
    }
}

/// Why no payment gateway of a store site is usable.
public enum GatewayProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store has no account with a gateway for card-present payments.
    case noAccount(siteID: Int64)
    /// The store has several gateway accounts, and none is selected.
    case notChosen([String])
    /// The gateway does not allow the account to take payments.
    case rejected(gateway: String, status: String)
    /// The gateway does not offer this feature.
    case notOffered(gateway: String, what: String)

    public var description: String {
        switch self {
        case .noAccount:
            "the store has no account with WooPayments or the Stripe extension: set one up in the store's admin pages, "
                + "or let the till complete orders ('order.payment' in the configuration)"
        case .notChosen(let gateways):
            "the store has several payment gateways: select one of \(gateways.joined(separator: ", "))"
        case .rejected(let gateway, let status):
            "\(gateway) does not take payments for this store: its account is \(status)"
        case .notOffered(let gateway, let what): "\(gateway) does not offer \(what)"
        }
    }
}

/// A problem with the store's settings that prevents a location for readers.
public enum ReaderConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store's address is incomplete; the page to complete it, if the gateway returned one.
    case incompleteStoreAddress(adminURL: String?)
    case invalidPostalCode

    public var description: String {
        switch self {
        case .incompleteStoreAddress(let url):
            "the store's address is incomplete: complete it " + (url.map { "at \($0)" } ?? "in the store's settings")
        case .invalidPostalCode:
            "the postal code of the store's address is not valid: correct it in the store's settings"
        }
    }

    /// Nil when the gateway returned another error.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.code {
        case "store_address_is_incomplete":
            self = .incompleteStoreAddress(adminURL: service.message.flatMap(Self.address))
        case "postal_code_invalid": self = .invalidPostalCode
        default: return nil
        }
    }

    /// Returns the first URL in a sentence, without trailing punctuation.
    private static func address(in sentence: String) -> String? {
        let word = sentence.split { $0.isWhitespace || $0 == "\"" || $0 == "<" || $0 == ">" }
            .first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
        guard var word else { return nil }
        while let last = word.last, ".,;:!)'".contains(last) { word.removeLast() }
        return (try? WebAddress(String(word))) == nil ? nil : String(word)
    }
}
