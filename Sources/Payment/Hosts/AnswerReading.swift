import CardSecrets
import EMV
import ISO8583
import Money
import Payments
import SmartCard

/// Reads the answer to a request by the profile: whether it approves, and what the card gets.
///
/// The till and the card know two characters of 1987 (tag 8A). A profile's code of another edition, or one that
/// approves only at this host, becomes the one with the same meaning; the host's own stays beside it.
struct AnswerReading {
    let profile: MessageProfile

    /// - Parameters:
    ///   - answer: the answer.
    ///   - identity: the request.
    ///   - takesPart: whether a part of the amount can be approved. Code 10 then tells the till to take it back.
    /// - Returns: the answer as the till and the card know it.
    /// - Throws: ``PaymentHostError/outcomeUnknown(_:)`` for an answer after which the request must be reversed.
    func response(
        _ answer: ISOMessage, to identity: MessageIdentity, takesPart: Bool
    ) throws(PaymentHostError) -> AuthorizationResponse {
        let raw = Self.trimmed(answer.text(of: 39))
        guard let raw else { throw .outcomeUnknown("the answer has no response code") }
        let results = profile.results
        guard !results.reverseAnyway.contains(raw) else {
            throw .outcomeUnknown("the host answered \(words(raw)), after which the request is taken back")
        }
        var code = Self.decline(raw, profile.version)
        if results.approved.contains(raw) || results.partial.contains(raw) {
            if let currency = answer.text(of: 49), let asked = identity[49], currency != asked {
                throw .outcomeUnknown("the host approved in another currency")
            }
            let part = isPart(answer, identity)
            guard let part else { throw .outcomeUnknown("the host approved another amount") }
            if part || results.partial.contains(raw) {
                guard takesPart else { throw .outcomeUnknown("the host approved a part only") }
                code = "10"
            } else {
                code = raw == "11" ? raw : "00"
            }
        }
        let chip = chipData(answer)
        // The issuer's cryptogram (tag 91) covers the code that the issuer sends beside it.
        if let issuerCode = chip[EMVTag.responseCode].first, code == "00" || code == "11",
            AuthorizationResponseCode(bytes: issuerCode)?.meaning == .approval, issuerCode != Array("10".utf8)
        {
            code = String(decoding: issuerCode, as: UTF8.self)
        }
        let isApproved = ["00", "10", "11"].contains(code)
        return AuthorizationResponse(
            reference: Self.trimmed(answer.text(of: 37)) ?? identity[37] ?? "",
            answer: IssuerAnswer(
                authorizationResponseCode: Array(code.utf8),
                authorizationCode: isApproved ? Self.trimmed(answer.text(of: 38)) : nil,
                issuerAuthenticationData: chip[EMVTag.issuerAuthenticationData].first.flatMap {
                    (8...16).contains($0.count) ? $0 : nil
                }, scriptsBeforeFinal: chip[0x71], scriptsAfterFinal: chip[0x72]),
            hostCode: raw == code ? nil : raw, hostWords: words(raw),
            approvedAmount: code == "10" ? approvedPart(answer, identity) : nil)
    }

    /// A code with its meaning: `05 (do not honor)`.
    func words(_ code: String) -> String {
        code + (profile.results.meaning(of: code).map { " (\($0))" } ?? "")
    }

    /// The amount of a partial approval; nil when field 4 is missing or the same as was asked for.
    private func approvedPart(_ answer: ISOMessage, _ identity: MessageIdentity) -> Money? {
        guard isPart(answer, identity) == true,
            let amount = answer.text(of: 4).flatMap({ TransactionAmount($0, profile.version) }),
            let currency = identity[49].flatMap({ UInt16($0) }).flatMap({ Currency(numericCode: $0) })
        else { return nil }
        return try? Money(minorUnits: amount.minorUnits, currency: currency)
    }

    /// Whether field 4 of an approval is less than was asked for; nil when it is more.
    private func isPart(_ answer: ISOMessage, _ identity: MessageIdentity) -> Bool? {
        guard let approved = answer.text(of: 4), let asked = identity[4], approved != asked else { return false }
        // Currency and exponent of 2003 in front must be the same.
        guard approved.utf8.count == asked.utf8.count, approved.dropLast(12) == asked.dropLast(12),
            approved.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return approved < asked ? true : nil
    }

    private struct ChipData {
        var objects: [BERTLV] = []

        subscript(tag: BERTag) -> [[UInt8]] { objects.filter { $0.tag == tag }.map(\.value) }
    }

    /// The data objects for the card. Bytes that are none count as absent: the card then decides without the issuer.
    private func chipData(_ answer: ISOMessage) -> ChipData {
        let objects = answer.withBytes(of: 55) { bytes in try? BERTLV.parse(Array(bytes)) }
        return ChipData(objects: objects.flatMap(\.self) ?? [])
    }

    static func trimmed(_ text: String?) -> String? {
        guard let text, let last = text.lastIndex(where: { $0 != " " }) else { return nil }
        return String(text[...last])
    }

    /// Returns the code of 1987 for one that does not approve.
    static func decline(_ code: String, _ version: MessageVersion) -> String {
        switch version {
        case .v1987:
            // Codes that approve elsewhere approve only where the profile says so.
            let isUsable = AuthorizationResponseCode(bytes: Array(code.utf8)).map { $0.meaning != .approval } ?? false
            return isUsable ? code : "05"
        case .v1993: return declines[code] ?? "05"
        case .v2003:
            // A digit for the category, then the code of 1993 with a zero in front.
            guard code.utf8.count == 4 else { return "05" }
            return declines[String(code.prefix(1)) + code.suffix(2)] ?? "05"
        }
    }

    /// Action codes of 1993, and the response codes of 1987 with the same meaning.
    private static let declines = [
        "100": "05", "101": "54", "102": "59", "103": "60", "104": "62", "105": "66", "106": "75", "107": "01",
        "108": "02", "109": "03", "110": "13", "111": "14", "112": "1A", "114": "56", "115": "40", "116": "51",
        "117": "55", "118": "56", "119": "57", "120": "58", "121": "61", "122": "63", "123": "65", "124": "93",
        "125": "62", "200": "04", "201": "33", "202": "34", "203": "35", "204": "36", "205": "37", "206": "38",
        "207": "07", "208": "41", "209": "43", "210": "34", "902": "12", "903": "19", "904": "30", "905": "31",
        "906": "90", "907": "91", "908": "92", "909": "96", "910": "91", "911": "68", "912": "91", "913": "94",
        "914": "25", "916": "88", "917": "88", "918": "88", "919": "88", "920": "63", "921": "63", "923": "09",
    ]
}
