import CardSecrets
import Cryptography
import HTTPInterface
import PostgreSQL
import Sessions
import Simulator
import Text

/// A request that changed a session, as the store keeps it, with the digest of its answer.
///
/// No card data is kept. A body that may have a card number is refused, and so is a card profile that is written out: a
/// profile in the program is kept by its name. A key of a PIN pad that is a digit of the PIN of one of the session's
/// cards is kept as a reference to that digit.
struct StoredRequest: Hashable, Sendable {
    /// The number in the session, from 1.
    var number: Int64
    var method: String
    /// The path behind the session's own, with the query.
    var place: String
    /// The Idempotency-Key; nil without one.
    var key: String?
    /// The body, with references in the place of the digits of a PIN.
    var body: [UInt8]
    /// The digest of the answer.
    var digest: [UInt8] = []
    /// The program that answered.
    var program = ""

    /// The size of what the store keeps, in bytes.
    var size: Int64 { Int64(method.utf8.count + place.utf8.count + (key?.utf8.count ?? 0) + body.count) }

    /// Takes a request to a session.
    ///
    /// - Parameters:
    ///   - request: the request, whose path names the session.
    ///   - number: its number.
    ///   - cards: the cards of the session.
    ///   - program: this program.
    init(_ request: APIRequest, number: Int64, cards: [PlannedCard], program: String) {
        (self.number, method) = (number, request.method)
        place = KeptRequest(request: request, events: 0).place
        key = request.headers["idempotency-key"]
        body = PINReferences(cards).replacingDigits(in: request.body)
        self.program = program
    }

    init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (number, method) = (try row.value("number"), try row.value("method"))
        (place, key) = (try row.value("place"), try row.optional("key"))
        (body, digest) = (try row.value("body"), try row.value("digest"))
        program = try row.value("program")
    }

    /// Returns the request, as the client sent it to the session.
    func request(to session: String, cards: [PlannedCard]) -> APIRequest {
        APIRequest(
            method: method, target: "/v1/sessions/\(session)" + place,
            headers: key.map { ["idempotency-key": $0] } ?? [:],
            body: PINReferences(cards).replacingReferences(in: body))
    }

    /// Whether it is the same request, whatever its answer was.
    func isSame(as other: StoredRequest) -> Bool {
        method == other.method && place == other.place && key == other.key && body == other.body
    }

    /// Refuses a request that has digits that may be a card number.
    ///
    /// - Throws: ``APIError``
    static func check(_ request: APIRequest, _ body: BodyNode) throws(APIError) {
        let texts = [
            String(decoding: request.body, as: UTF8.self),
            String(decoding: APIAnswer.encoded(body.value), as: UTF8.self),
            APIRequest.decoded(request.target) ?? request.target, request.headers["idempotency-key"] ?? "",
        ]
        guard texts.allSatisfy({ CardNumberMask.masked($0) == $0 }) else {
            throw APIError(
                422, "card_number", "the request has digits that may be a card number, which are not stored",
                fix: "name a card of the session instead")
        }
    }

    /// Refuses a plan whose cards are written out, with their numbers and PINs.
    ///
    /// - Throws: ``APIError``
    static func checkPlan(_ body: BodyNode) throws(APIError) {
        guard let cards = body["cards"] else { return }
        for (index, card) in try cards.list(0...Int.max).enumerated() {
            guard case .object = card.value, let profile = card["profile"], case .text(let text) = profile.value,
                text.contains("\n")
            else { continue }
            throw APIError(
                422, "card_profile", "a profile that is written out has a card number, which is not stored",
                path: "cards[\(index)].profile", fix: "name a built-in profile, or use a server without --store")
        }
    }
}

extension APIAnswer {
    /// The digest of what the client gets: status, header fields, and body.
    ///
    /// - Throws: ``APIError`` when libcrypto fails.
    func digest() throws(APIError) -> [UInt8] {
        var head = "\(status) \(mediaType)\n"
        for (name, value) in headers { head += "\(name): \(value)\n" }
        guard case .bytes(let bytes) = content else { return [] }
        return try Self.digest(of: Array((head + "\n").utf8) + bytes)
    }

    /// The digest of bytes.
    ///
    /// - Throws: ``APIError`` when libcrypto fails.
    static func digest(of bytes: [UInt8]) throws(APIError) -> [UInt8] {
        guard let digest = try? SHA256.hash(bytes) else {
            throw APIError(500, "internal", "no digest can be made")
        }
        return digest
    }
}

/// The digits of the PINs of a session's cards, by reference: `#2 visa-credit` is the second one of the card
/// `visa-credit`.
struct PINReferences: Sendable {
    private struct PIN: Sendable {
        var card: String
        /// One digit per byte, with the values 0...9.
        var digits: [SealedBytes]

        /// Returns whether a key is a digit of the PIN.
        func isDigit(_ index: Int, _ key: UInt8) -> Bool {
            digit(index).map { $0 == key } ?? false
        }

        func digit(_ index: Int) -> UInt8? {
            var rest = index
            for part in digits {
                let count = part.bytes.count
                if rest < count { return part.bytes.withUnsafeBytes { $0[rest] } }
                rest -= count
            }
            return nil
        }

        var count: Int { digits.reduce(0) { $0 + $1.bytes.count } }
    }

    private let pins: [PIN]

    /// - Parameter cards: the cards of the session.
    init(_ cards: [PlannedCard]) {
        pins = cards.map { card in
            var digits = card.profile.applications.compactMap { $0.pin?.digits }
            if let online = card.profile.account.onlinePIN { digits.append(online) }
            for entry in card.profile.cardholder.pinEntries {
                if case .digits(let entered) = entry { digits.append(entered) }
            }
            return PIN(card: card.name, digits: digits)
        }
    }

    /// Returns a body of pressed keys with references in the place of digits; any other body as it is.
    func replacingDigits(in body: [UInt8]) -> [UInt8] {
        replacing(in: body) { index, word in
            guard word.utf8.count == 1, let key = UInt8(word), key <= 9 else { return word }
            // The digit at the same place of a PIN, or else any.
            if let pin = pins.first(where: { $0.isDigit(index, key) }) { return "#\(index + 1) \(pin.card)" }
            for pin in pins {
                if let found = (0..<pin.count).first(where: { pin.isDigit($0, key) }) {
                    return "#\(found + 1) \(pin.card)"
                }
            }
            return word
        }
    }

    /// Returns a body of pressed keys with digits in the place of references; any other body as it is.
    func replacingReferences(in body: [UInt8]) -> [UInt8] {
        replacing(in: body) { _, word in
            guard word.hasPrefix("#"), let space = word.firstIndex(of: " "),
                let number = Int(word[word.index(after: word.startIndex)..<space])
            else { return word }
            let card = String(word[word.index(after: space)...])
            return pins.first { $0.card == card }?.digit(number - 1).map { "\($0)" } ?? word
        }
    }

    /// Of all requests, only those that press keys have `keys`.
    private func replacing(in body: [UInt8], _ word: (Int, String) -> String) -> [UInt8] {
        guard let node = try? BodyNode(bytes: body), node["keys"] != nil, case .object(let members) = node.value else {
            return body
        }
        return APIAnswer.encoded(
            .object(
                members.map { member in
                    guard member.name == "keys", case .list(let keys) = member.value else { return member }
                    let words = keys.enumerated().map { index, key in
                        if case .text(let text) = key { JSONValue.text(word(index, text)) } else { key }
                    }
                    return JSONValue.Member(member.name, .list(words))
                }))
    }
}
