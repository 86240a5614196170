import Payments
import Text

/// A request that is carried out.
struct StripeCall: Sendable {
    let number: Int
    /// `req_…`
    let id: String
    let request: StripeRequest
    var parameters: StripeParameters
    /// The idempotency key that it holds; nil without one.
    var key: String?
    /// The request of a terminal that it waits for; nil before it begins one.
    var started: IdempotencyKey?

    init(number: Int, id: String, request: StripeRequest) {
        (self.number, self.id, self.request, parameters) = (number, id, request, StripeParameters())
    }

    /// The version that the till asks for. All get the same objects.
    var version: String {
        let version = request.header("stripe-version") ?? StripeTerminal.apiVersion
        return version.utf8.allSatisfy { (0x21...0x7E).contains($0) } && version.utf8.count <= 60
            ? version : StripeTerminal.apiVersion
    }

    /// Whether it is about the simulation, and not a part of the protocol.
    var isControl: Bool { request.path.hasPrefix(StripeRoute.control) }

    /// Checks the secret key: a bearer token, or the user of basic authentication.
    func authenticate(_ access: StripeAccess) throws(StripeError) {
        let field = request.header("authorization") ?? ""
        let scheme = field.prefix { $0 != " " }
        let value = field.dropFirst(scheme.count).drop { $0 == " " }
        let key: String
        switch scheme.lowercased() {
        case "bearer": key = String(value)
        case "basic":
            let user = [UInt8](base64: value).map { String(decoding: $0, as: UTF8.self) } ?? ""
            key = String(user.prefix { $0 != ":" })
        default: key = ""
        }
        guard !key.isEmpty else {
            throw StripeError(
                status: 401, code: nil,
                "You did not provide an API key. Provide it in the Authorization header, as a bearer token.",
                isStored: false)
        }
        if key.hasPrefix("pk_") {
            throw StripeError(
                status: 401, code: "secret_key_required", "This API call needs a secret key: \(access.advice)",
                isStored: false)
        }
        guard access.takes(key) else {
            throw StripeError(
                status: 401, code: nil, "Invalid API Key provided: \(access.advice)", isStored: false)
        }
    }

    /// Reads the query of a request without a body, or the form.
    mutating func readParameters() throws(StripeError) {
        guard request.method == "POST" else {
            parameters = try StripeParameters(request.query)
            return
        }
        if let type = request.header("content-type"), !request.body.isEmpty,
            !type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        {
            throw StripeError(
                code: nil, "Invalid request (check that your POST content type is application/x-www-form-urlencoded).",
                isStored: false)
        }
        parameters = try StripeParameters(String(decoding: request.body, as: UTF8.self))
    }
}
