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

    @Test("leaves the one step and the one fault that matter, with plain values")
    func shrinks() {
        var shrinker = Shrinker(shows: Self.shows)
        let small = shrinker.shrunk(Self.large)
        #expect(small.setup.isEmpty)
        #expect(small.steps.count == 1)
        #expect(small.steps.first?["during"]?.line.contains("cancel") == false)
        #expect(small.steps.first?["pay"]?["timeout"] == nil)
        #expect(Self.shows(small))
    }

    @Test("does the same every time, and never more than it may")
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

    @Test("keeps what shows nothing smaller")
    func keeps() {
        var shrinker = Shrinker { _ in false }
        #expect(shrinker.shrunk(Self.large) == Self.large)
    }
}
