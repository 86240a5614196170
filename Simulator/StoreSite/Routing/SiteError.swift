/// Why the site refuses a request: WordPress's code, words and status.
struct SiteError: Error, Hashable, Sendable {
    var status: Int
    var code: String
    var message: String
    /// What is wrong with each parameter.
    var parameters: [JSONNode.Member] = []

    init(_ status: Int, _ code: String, _ message: String, parameters: [JSONNode.Member] = []) {
        (self.status, self.code, self.message, self.parameters) = (status, code, message, parameters)
    }

    static func invalidParameter(_ name: String, _ problem: String) -> SiteError {
        SiteError(
            400, "rest_invalid_param", "Invalid parameter(s): \(name)",
            parameters: [JSONNode.Member(name: name, value: .text(problem))])
    }

    static func missingParameter(_ name: String) -> SiteError {
        SiteError(
            400, "rest_missing_callback_param", "Missing parameter(s): \(name)",
            parameters: [JSONNode.Member(name: "0", value: .text(name))])
    }

    static let noRoute = SiteError(
        404, "rest_no_route", "No route was found matching the URL and request method.")
    static let cannotView = SiteError(
        401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")
    static let noSuchOrder = SiteError(404, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.")
    static let notLoggedIn = SiteError(401, "rest_not_logged_in", "You are not currently logged in.")

    /// As the interface that was asked writes it.
    func response(_ dialect: Dialect) -> SiteResponse {
        switch dialect {
        case .site:
            var data = [JSONNode.Member(name: "status", value: .integer(status))]
            if !parameters.isEmpty { data.append(JSONNode.Member(name: "params", value: .object(parameters))) }
            return .json(
                ["code": .text(code), "message": .text(message), "data": .object(data)], status: status)
        case .dotcom, .tunnel:
            return .json(["error": .text(code), "message": .text(message)], status: status)
        }
    }
}
