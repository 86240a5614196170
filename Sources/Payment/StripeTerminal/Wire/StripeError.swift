import Text

/// An error as the protocol has it: a status of HTTP and an object with type, code, and message.
struct StripeError: Error, Hashable {
    /// The HTTP status. Libraries repeat 409 and 5xx by themselves, so all errors of readers are 400.
    let status: Int
    let type: String
    let code: String?
    let message: String
    let parameter: String?
    /// The payment that it is about, which is shown with it.
    var intent: String?
    /// Whether an idempotency key keeps it. Wrong parameters are not kept: the call can be corrected.
    let isStored: Bool

    init(
        status: Int = 400, type: String = "invalid_request_error", code: String?, _ message: String,
        parameter: String? = nil, intent: String? = nil, isStored: Bool = true
    ) {
        (self.status, self.type, self.code, self.message) = (status, type, code, message)
        (self.parameter, self.intent, self.isStored) = (parameter, intent, isStored)
    }

    init(_ failure: StripeForm.Failure) {
        let message =
            switch failure {
            case .tooManyFields: "A call has at most \(StripeForm.mostFields) parameters."
            case .tooDeep: "Parameters are nested at most \(StripeForm.deepest) deep."
            case .contradiction: "A parameter has both a value and nested parameters."
            case .repeated(let name): "The parameter \(name.prefix(100)) is given more than once."
            case .malformedName: "The brackets of a parameter's name are not closed."
            }
        let parameter: String? = if case .repeated(let name) = failure { String(name.prefix(100)) } else { nil }
        self.init(code: nil, message, parameter: parameter, isStored: false)
    }

    static func missing(_ parameter: String) -> StripeError {
        StripeError(
            code: "parameter_missing", "Missing required param: \(parameter).", parameter: parameter, isStored: false)
    }

    static func empty(_ parameter: String) -> StripeError {
        StripeError(
            code: "parameter_invalid_empty", "You passed an empty string for '\(parameter)'. Give a value.",
            parameter: parameter, isStored: false)
    }

    static func unknown(parameter: String) -> StripeError {
        StripeError(
            code: "parameter_unknown", "Received unknown parameter: \(parameter)", parameter: parameter,
            isStored: false)
    }

    static func noInteger(_ parameter: String) -> StripeError {
        StripeError(
            code: "parameter_invalid_integer", "Invalid integer: \(parameter)", parameter: parameter, isStored: false)
    }

    static func invalid(_ parameter: String, _ message: String) -> StripeError {
        StripeError(code: nil, message, parameter: parameter, isStored: false)
    }

    /// An object that is not there: 404, but 400 where its ID is a parameter of another call.
    static func noSuch(_ kind: String, _ id: String, parameter: String? = nil) -> StripeError {
        StripeError(
            status: parameter == nil ? 404 : 400, code: "resource_missing", "No such \(kind): '\(id.prefix(100))'",
            parameter: parameter ?? "id")
    }

    static func busy(_ reader: String) -> StripeError {
        StripeError(
            code: "terminal_reader_busy",
            "Reader \(reader) is currently busy processing another request, please try again later.")
    }

    static func offline(_ reader: String) -> StripeError {
        StripeError(
            code: "terminal_reader_offline",
            "Reader is currently offline, please ensure the reader is powered on and connected to the internet.")
    }

    static let spentKey = StripeError(
        type: "idempotency_error", code: nil,
        "This key was used before the terminal restarted, and its response is gone. Ask the journal of the terminal "
            + "what was paid (cardpresent payments list), then use a new key.", isStored: false)

    static let goneResponse = StripeError(
        type: "idempotency_error", code: nil,
        "The response to this key is gone: the newest \(StripeIdempotency.mostResponses) are kept. Nothing was done "
            + "again. Retrieve the object, or use a new key.", isStored: false)

    static let simulatedOnly = StripeError(
        code: nil, "Test helpers need a simulated reader: present the card at the reader.", isStored: false)

    static let ownReader = StripeError(
        code: nil, "This terminal has one reader of its own: list the readers, and use it.", isStored: false)

    static let noInputs = StripeError(
        code: nil, "This reader has no keys for a customer's answers: ask at the till.", isStored: false)

    static let noTips = StripeError(
        code: nil, "This reader asks for no tip: add the tip to the amount of the payment intent.",
        parameter: "process_config[tipping]", isStored: false)

    static let timeout = StripeError(
        code: "terminal_reader_timeout", "There was a timeout when sending this command to the reader.")

    /// The error object. `intent` is the payment that it is about.
    func json(intent: JSONValue?) -> JSONValue {
        var members = [JSONValue.Member("type", .text(type))]
        if let code {
            members.insert(JSONValue.Member("code", .text(code)), at: 0)
            members.append(JSONValue.Member("doc_url", .text(Self.address(of: code))))
        }
        members.append(JSONValue.Member("message", .text(message)))
        if let parameter { members.append(JSONValue.Member("param", .text(parameter))) }
        if let intent { members.append(JSONValue.Member("payment_intent", intent)) }
        return ["error": .object(members)]
    }

    /// The page that describes a code.
    static func address(of code: String) -> String {
        "https://docs.stripe.com/error-codes#" + code.map { $0 == "_" ? "-" : String($0) }.joined()
    }
}
