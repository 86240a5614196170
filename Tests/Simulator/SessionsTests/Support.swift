import Foundation
import Hardware
import Money
import Payments
import Sessions
import Simulator
import StoreSite
import Synchronization
import Yosemite

func usd(_ text: String) throws -> Money { try Money(text, currency: .usDollar) }

extension SessionPlan {
    /// A plan with one built-in card, changed.
    static func with(
        _ card: String = "visa-credit", seed: UInt64 = 1, _ change: (inout SessionPlan) throws -> Void = { _ in }
    ) throws -> SessionPlan {
        var plan = try SessionPlan(card: card, seed: seed)
        try change(&plan)
        return plan
    }
}

/// Everything that can be seen of a session from outside, as text.
struct Appearance: Hashable, Sendable {
    var events: [String]
    var rows: [String]
    var issuer: [String]
    var store: [String]
    var receipts: [String]

    init(of session: SimulatedSession) async throws {
        events = session.events.map { "\($0.number) \($0.milliseconds) \($0.text)" }
        rows = []
        for table in ["payment", "paymentAttempt", "attemptTransition", "receipt", "printJob", "siteCapture"] {
            for row in try session.rows("SELECT * FROM \(table) ORDER BY 1, 2") {
                rows.append(table + row.map { " \($0.column)=\($0.value ?? "NULL")" }.joined())
            }
        }
        issuer = try await session.issuerLedger().entries.map { "\($0)" }
        store = session.orders.map { "\($0)" } + session.siteLedger.map { "\($0)" }
        store += session.siteRequests.map { "\($0)" }
        receipts = session.printouts.flatMap(\.lines)
    }

    /// The first thing that is not the same; nil when nothing is.
    func difference(from other: Appearance) -> String? {
        for (own, others) in [
            (events, other.events), (rows, other.rows), (issuer, other.issuer), (store, other.store),
            (receipts, other.receipts),
        ] where own != others {
            let index = zip(own, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            guard let index else { return "\(own.count) lines, and \(others.count)" }
            return "line \(index): '\(own[index])', and '\(others[index])'"
        }
        return nil
    }
}

extension SimulatedSession {
    /// The words of everything that happened, without the exchanges with the card.
    var story: [String] { events.filter { $0.kind != .apdu }.map(\.text) }

    /// The events of a kind, without their kind.
    func details(_ kind: SessionEventKind) -> [String] { events.filter { $0.kind == kind }.map(\.detail) }
}

/// Numbers that came, in the order in which they came.
final class Seen: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    /// - Returns: how many have come.
    func add(_ number: Int) -> Int {
        numbers.withLock {
            $0.append(number)
            return $0.count
        }
    }
}

/// A folder for the files of one test, removed with all that is in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sessions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
