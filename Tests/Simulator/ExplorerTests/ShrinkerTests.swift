import Simulator
import Synchronization
import Testing

@testable import Explorer

@Suite("Shrinking")
struct ShrinkerTests {
    private static let large = SessionDraft(
        setup: [
            DraftEntry("reader", ["model": "pinpad", "faults": [["command": "90", "do": "unanswered"]]]),
            DraftEntry("card", "amex"), DraftEntry("printer", "jammed"),
        ],
        steps: [
            "connect", ["pay": ["amount": "9.99"]], "print", ["wait": "10min"],
            [
                "pay": ["amount": "4711.00", "card": "amex", "timeout": "5min"],
                "during": [
                    ["on": "waiting", "do": "cancel"], ["on": "journal authorizing", "count": "7", "do": "crash"],
                    ["after": "20000ms", "set": ["disk": "full"]],
                ],
            ],
            "restart", "refund", "settle",
        ])

    /// A defect that needs a payment in the middle of which the program dies.
    private static func shows(_ draft: SessionDraft) -> Bool {
        draft.steps.contains { step in
            guard case .list(let acts) = step["during"], step["pay"]?["amount"] != nil else { return false }
            return acts.contains { $0["do"] == "crash" }
        }
    }

    @Test("leaves the one relevant step and fault, with plain values")
    func shrinks() {
        var shrinker = Shrinker(shows: Self.shows)
        let small = shrinker.shrunk(Self.large)
        #expect(small.setup.isEmpty)
        #expect(small.steps.count == 1)
        #expect(small.steps.first?["during"]?.line.contains("cancel") == false)
        #expect(small.steps.first?["pay"]?["timeout"] == nil)
        #expect(Self.shows(small))
    }

    @Test("is repeatable and limited")
    func bounded() {
        var (one, other) = (Shrinker(shows: Self.shows), Shrinker(shows: Self.shows))
        #expect(one.shrunk(Self.large) == other.shrunk(Self.large))
        let count = Mutex(0)
        var short = Shrinker(tries: 5) { draft in
            count.withLock { $0 += 1 }
            return Self.shows(draft)
        }
        #expect(Self.shows(short.shrunk(Self.large)))
        #expect(count.withLock { $0 } <= 5)
    }

    @Test("keeps a scenario that cannot be reduced")
    func keeps() {
        var shrinker = Shrinker { _ in false }
        #expect(shrinker.shrunk(Self.large) == Self.large)
    }
}

@Suite("The search for secrets of cards")
struct SecretSearchTests {
    private let search: SecretSearch
    private let number: String

    init() throws {
        let profile = try CardProfileLibrary.profile("pin-required")
        number = try #require(profile.secrets.first).accountNumber
        search = SecretSearch(cards: [profile], pins: [FaultModel.pin])
    }

    private func found(_ text: String) -> Set<String> { search.secrets(in: Array(text.utf8)) }

    @Test("finds the number as digits, in groups, cut at either end and as bytes of a trace")
    func accountNumber() throws {
        #expect(found("a \(number) b") == ["card number"])
        #expect(found(";\(number)D3512") == ["card number"])
        #expect(found(String(number.dropLast(4))) == ["card number"])
        #expect(found(String(number.dropFirst(6))) == ["card number"])
        let groups = stride(from: 0, to: number.count, by: 4).map { String(number.dropFirst($0).prefix(4)) }
        #expect(found(groups.joined(separator: " ")) == ["card number"])
        #expect(found(number.map { "3\($0)" }.joined()) == ["card number"])
    }

    @Test("finds the expiration date and the PIN, also after a zero byte")
    func dates() {
        #expect(found("5F2403351231") == ["expiry date"])
        #expect(found("until 12/2035") == ["expiry date"])
        #expect(found("{\"expiry\":\"2035-12-31\"}") == ["expiry date"])
        #expect(found("00\u{0}PIN \(FaultModel.pin)") == ["PIN"])
        #expect(found("242C\(FaultModel.pin)FF") == ["PIN"])
    }

    @Test("does not take an issuer's zeros for a number with many zeros, and finds that number")
    func zeros() throws {
        let search = SecretSearch(cards: [try CardProfileLibrary.profile("unionpay")], pins: [])
        func found(_ text: String) -> Set<String> { search.secrets(in: Array(text.utf8)) }
        #expect(found("issuerApplicationData 011020000062000000000000000000000000") == [])
        #expect(found("trace number 0000002089") == [])
        #expect(found("a 6200000000000002089 b") == ["card number"])
        #expect(found("6200 0000 0000 0002 089") == ["card number"])
    }

    @Test("does not take a cryptogram before an issuer's zeros for a number")
    func cryptograms() throws {
        let search = SecretSearch(cards: [try CardProfileLibrary.profile("mastercard-debit")], pins: [])
        func found(_ text: String) -> Set<String> { search.secrets(in: Array(text.utf8)) }
        // An ARPC and the status that the issuer gives the card: EXTERNAL AUTHENTICATE of session 2062, seed 1.
        #expect(found("00820000083B63915200820000 9000") == [])
        #expect(found("5200820000002020") == ["card number"])
    }

    @Test("ignores the last four digits and the first six")
    func allowed() {
        #expect(found("**** **** **** \(number.suffix(4)), \(number.prefix(6))…\(number.suffix(4))") == [])
    }
}
