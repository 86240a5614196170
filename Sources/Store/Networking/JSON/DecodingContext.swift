/// Values that a response does not repeat because the request contained them: the site, the order, the range of a
/// report. Members with these names are always taken from here, even when the response contains them.
public struct DecodingContext: Hashable, Sendable {
    private let numbers: [String: Int64]
    private let texts: [String: String]

    /// Takes the values by the names of the members that they stand for.
    public init(_ numbers: [String: Int64] = [:], texts: [String: String] = [:]) {
        (self.numbers, self.texts) = (numbers, texts)
    }

    /// Creates the context of the elements of a site.
    public init(siteID: Int64) { self.init(["siteID": siteID]) }

    /// Creates the context of what belongs to an order of a site.
    public init(siteID: Int64, orderID: Int64) { self.init(["siteID": siteID, "orderID": orderID]) }

    /// Creates the context of the settings of a group.
    public init(siteID: Int64, groupID: String) { self.init(["siteID": siteID], texts: ["groupID": groupID]) }

    /// Creates the context of an account with a payment gateway.
    public init(siteID: Int64, gatewayID: String) { self.init(["siteID": siteID], texts: ["gatewayID": gatewayID]) }

    /// Creates the context of the data of a WordPress.com user.
    public init(userID: Int64) { self.init(["userID": userID]) }

    /// Creates the context of statistics, which are stored under the name of their range.
    public init(siteID: Int64, timeRange: String) { self.init(["siteID": siteID], texts: ["timeRange": timeRange]) }

    func number(_ name: String) -> Int64? { numbers.isEmpty ? nil : numbers[name] }

    func text(_ name: String) -> String? { texts.isEmpty ? nil : texts[name] }

    func contains(_ name: String) -> Bool { number(name) != nil || text(name) != nil }
}

/// A JSON value that cannot be decoded, with its place.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The difference between the value and the expected one.
    public enum Problem: Hashable, Sendable {
        case missing
        /// `found` is the JSON type of the value, never its content.
        case wrongType(expected: String, found: String)
        /// The type is right but the value is not; the text describes the expected value.
        case invalid(String)
    }

    public let problem: Problem
    /// The path from the root of the response: `[3].line_items[0].total`. Empty for the whole response.
    public let path: String

    /// Takes the problem and its path in the document, such as `$.line_items[2].total`.
    public init(_ problem: Problem, at path: String) { (self.problem, self.path) = (problem, path) }

    public var description: String {
        let place = path.isEmpty ? "the response" : path
        return switch problem {
        case .missing: "\(place) is missing"
        case .wrongType(let expected, let found): "\(place) is \(found), not \(expected)"
        case .invalid(let expected): "\(place) is not \(expected)"
        }
    }
}
