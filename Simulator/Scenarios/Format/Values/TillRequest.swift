public import Text

/// The protocol that a scenario's till speaks with its terminal.
public enum TillProtocol: String, Hashable, Sendable, CaseIterable {
    /// Compatible with server-driven Stripe Terminal.
    case stripe
    /// Compatible with Adyen's Terminal API, which has the messages of nexo.
    case nexo
    /// ZVT.
    case zvt
}

/// A request of a till to its terminal, and what the till expects of the answer.
public struct TillRequest: Hashable, Sendable {
    /// What is sent, in the terms of the protocol.
    public enum Message: Hashable, Sendable {
        /// A request over HTTP with a form, or with JSON.
        case http(TillHTTPRequest)
        /// A message of nexo.
        case nexo(TillNexoMessage)
        /// A command of ZVT.
        case zvt(TillZVTCommand)
    }

    /// A value of an answer.
    public struct Field: Hashable, Sendable {
        /// The way to the value: names and numbers of list entries from 0, such as `data.0.id`.
        public var place: String
        /// The expected value as text, or the name under which the value is kept.
        public var text: String

        /// Names a value of an answer.
        public init(_ place: String, _ text: String) { (self.place, self.text) = (place, text) }
    }

    public var message: Message
    /// The values that later requests name as `<name>`, each with its name.
    public var kept: [Field]
    /// The expected status, such as 200; nil for any that is no error.
    public var status: Int?
    /// The expected values; patterns may have `*`.
    public var fields: [Field]
    /// The messages of the terminal that are expected, in order, as patterns; nil for any that tell no error.
    public var messages: [String]?
    /// Whether the connection must be closed without an answer.
    public var isLost: Bool
    /// Whether the answer must be one that was given before, to the same key; nil for either.
    public var isReplayed: Bool?

    /// Takes a message; without more, its answer must be no error.
    public init(
        _ message: Message, kept: [Field] = [], status: Int? = nil, fields: [Field] = [], isLost: Bool = false,
        isReplayed: Bool? = nil
    ) {
        (self.message, self.kept, self.status) = (message, kept, status)
        (self.fields, self.isLost, self.isReplayed) = (fields, isLost, isReplayed)
    }

    /// The request in a line, such as `post /v1/refunds`.
    public var sentence: String {
        switch message {
        case .http(let request): "\(request.method.rawValue) \(request.path)"
        case .nexo(let message): "\(message.category) \(message.service)"
        case .zvt(let command): command.sentence
        }
    }
}

/// A request over HTTP.
public struct TillHTTPRequest: Hashable, Sendable {
    /// The methods by their words in a file.
    public enum Method: String, Hashable, Sendable, CaseIterable { case get, post, delete }

    /// A field of a form; the order counts.
    public struct FormField: Hashable, Sendable {
        public var name: String
        public var value: String

        /// Takes a name such as `card_present[number]`.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public var method: Method
    /// The path with its query. It may name kept values.
    public var path: String
    /// The fields of the body.
    public var form: [FormField]
    /// The body in place of a form; nil for none.
    public var json: JSONValue?
    /// The header field `Idempotency-Key`; nil for none.
    public var key: String?

    /// Takes a request; nothing is encoded yet.
    public init(_ method: Method, _ path: String, form: [FormField] = [], key: String? = nil) {
        (self.method, self.path, self.form, self.key) = (method, path, form, key)
    }
}
