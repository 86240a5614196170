import Determinism
import Fleet
import HTTPInterface
import Payments
import Text

/// Reads what clients send.
enum FleetRequests {
    static let shop = Schema.phrase(1...63)
    static let laneName = Schema.phrase(1...100)
    static let mostPayments = 500

    static let shopParameter = APIParameter(name: "shop", schema: shop, summary: "Only this shop.")
    static let dayParameters = [
        APIParameter(name: "since", schema: .format("date"), summary: "The first day, in the time zone of the shop."),
        APIParameter(name: "until", schema: .format("date"), summary: "The last day."),
    ]
    static let paymentParameters = [
        shopParameter,
        APIParameter(name: "lane", schema: laneName, summary: "Only payments of the lane of this name."),
        APIParameter(
            name: "day", schema: .format("date"), summary: "Only payments that began on this day of their shop."),
        APIParameter(
            name: "state", schema: .word(PaymentState.allCases.map(\.rawValue)),
            summary: "Only payments in this state."),
        APIParameter(
            name: "unknown", schema: .word(["true", "false"]), summary: "Only payments whose outcome is unknown."),
        APIParameter(name: "last4", schema: .phrase(4...4), summary: "The last four digits of the card number."),
        limitParameter(mostPayments),
        APIParameter(name: "after", schema: .phrase(1...100), summary: "The value of 'next' of the page before."),
    ]

    static func limitParameter(_ most: Int) -> APIParameter {
        APIParameter(name: "limit", schema: .integer(1...most), summary: "The most entries. Default: 100.")
    }

    static func filter(_ request: APIRequest) throws(APIError) -> OfficePaymentFilter {
        var state = try request.word("state", PaymentState.allCases.map(\.rawValue))
        if try request.word("unknown", ["true", "false"]) == "true" {
            guard state == nil || state == PaymentState.unknown.rawValue else {
                throw wrong("'unknown' and 'state' can't be used together")
            }
            state = PaymentState.unknown.rawValue
        }
        let lastFour = try request.phrase("last4", 4...4)
        guard lastFour?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) ?? true else {
            throw wrong("'last4' is four digits")
        }
        var place: PaymentPlace?
        if let text = try request.phrase("after", 1...100) {
            place = PaymentPlace(text)
            guard place != nil else { throw wrong("'after' is the value of 'next' of a page") }
        }
        return OfficePaymentFilter(
            shop: try request.phrase("shop", 1...63), lane: try request.phrase("lane", 1...100), state: state,
            lastFour: lastFour, day: try request.day("day"), after: place,
            limit: try request.number("limit", 1...mostPayments) ?? 100)
    }

    static func days(_ request: APIRequest) throws(APIError) -> (since: String?, until: String?) {
        let (since, until) = (try request.day("since"), try request.day("until"))
        if let since, let until, until < since { throw wrong("'until' must not be before 'since'") }
        return (since, until)
    }

    /// A lane's identity and the number of a payment, in the path.
    static func payment(_ values: [String: String]) throws(APIError) -> (lane: String, number: Int64) {
        guard let lane = values["lane"], LaneStatus.isID(lane), let text = values["payment"],
            let payment = PaymentID(text)
        else { throw APIError(FleetError.noSuchPayment) }
        return (lane, payment.rawValue)
    }

    static func settlement(_ request: APIRequest) throws(APIError) -> Settlement {
        let type = request.headers["content-type"]?.prefix { $0 != ";" }.lowercased() ?? "text/csv"
        guard type == "text/csv" else {
            throw APIError(
                415, "unsupported_media_type", "a settlement is text/csv", fix: "set 'Content-Type: text/csv'")
        }
        guard let text = String(validating: request.body, as: UTF8.self) else {
            throw APIError(422, FleetError.malformedSettlement(line: 1, problem: "").code, "the settlement is no UTF-8")
        }
        do throws(FleetError) { return try Settlement(text) } catch { throw APIError(error) }
    }

    /// The name of a lane or shop in a body, which goes to the database.
    static func name(_ node: BodyNode, _ length: ClosedRange<Int>) throws(APIError) -> String {
        let text = try node.text(length)
        guard text.isPlain, !text.allSatisfy(\.isWhitespace) else {
            throw .body("the name must not be blank, and have no control characters", at: node.path)
        }
        return text
    }

    /// Refuses an object that has a member twice: readers differ on which one counts.
    static func checkMembers(_ bytes: [UInt8], of body: BodyNode) throws(APIError) {
        var (level, colons, isText, isEscaped) = (0, 0, false, false)
        for byte in bytes {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
            case UInt8(ascii: ":") where level == 1: colons += 1
            default: break
            }
        }
        guard case .object(let members) = body.value, members.count != colons else { return }
        throw APIError(400, "invalid_json", "the body has a member twice", fix: "give each member once")
    }

    /// A parameter that can be read, and that the document can't rule out.
    static func wrong(_ message: String) -> APIError { APIError(422, "invalid_parameter", message) }
}

extension APIRequest {
    /// Returns text in the query, without control characters.
    func phrase(_ name: String, _ length: ClosedRange<Int>) throws(APIError) -> String? {
        guard let text = query[name] else { return nil }
        guard length.contains(text.unicodeScalars.count), text.isPlain else {
            throw FleetRequests.wrong(
                "'\(name)' has \(length.lowerBound) to \(length.upperBound) characters, and no control characters")
        }
        return text
    }

    /// Returns a day in the query, `2026-01-02`.
    func day(_ name: String) throws(APIError) -> String? {
        guard let text = query[name] else { return nil }
        guard BackOffice.isDay(text) else { throw FleetRequests.wrong("'\(name)' looks like 2026-01-02") }
        return text
    }
}

extension String {
    fileprivate var isPlain: Bool { unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
}
