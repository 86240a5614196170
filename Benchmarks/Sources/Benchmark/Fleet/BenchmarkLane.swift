import Determinism
import Fleet
import Money
import Payments
import Storage
import Synchronization

/// A lane with records in a file. It does not flush them: a lane of a fleet has a disk of its own, which this is not
/// about.
final class BenchmarkLane: Sendable {
    let outbox: LaneOutbox
    private let storage: SQLiteStorageManager
    private let journal: PaymentJournal

    /// Payments that the back office does not have yet: the number of their last entry, and when they were committed.
    private let open = Mutex<[(number: Int64, at: ContinuousClock.Instant)]>([])
    private let lags = Mutex<[Double]>([])

    init(_ number: Int, in folder: TemporaryFolder, at office: BackOffice) async throws {
        storage = try SQLiteStorageManager(path: "\(folder.path)/lane\(number).sqlite", durability: .off)
        journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        outbox = LaneOutbox(storage)
        let token = "benchmark \(number)"
        try await office.invite("till \(number)", of: "benchmark", token: token, hours: 1)
        _ = try await LaneEnrollment(outbox, at: office, random: SystemRandomSource()).enroll(token: token)
    }

    /// Takes an approved payment, without a card.
    func pay() throws {
        let now = SystemTimeSource().now()
        let money = try Money(minorUnits: 1250, currency: .usDollar)
        let entry = try journal.begin(siteID: 7, orderID: 42, amount: money, hostName: "simulated", at: now)
        try journal.markAuthorizing(entry.attempt.id, at: now)
        let card = CardDetails(brand: "visa", lastFour: "1119", entryMode: .chip, cardholderVerification: .none)
        _ = try journal.finish(entry.attempt.id, as: .captured, details: PaymentDetails(card: card), at: now)
    }

    /// Takes payments at a rate for some seconds, ships them meanwhile, and returns the lag of each in milliseconds.
    func payAndShip(to office: BackOffice, rate: Int, seconds: Int) async throws -> [Double] {
        let shipper = FleetShipper(outbox, to: office, time: SystemTimeSource(), random: SystemRandomSource())
        let shipping = Task { try await shipper.follow { if case .shipped = $0 { self.noteArrivals() } } }
        // Lanes do not pay at the same moment.
        let start = ContinuousClock.now + .milliseconds(Int.random(in: 0..<1000))
        for number in 0..<(rate * seconds) {
            try await Task.sleep(until: start + .seconds(1) * number / rate, clock: .continuous)
            try pay()
            let position = try outbox.position().written
            open.withLock { $0.append((position, .now)) }
        }
        let end = ContinuousClock.now + .seconds(60)
        while open.withLock({ !$0.isEmpty }), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        shipping.cancel()
        _ = await shipping.result
        await office.close()
        return lags.withLock { $0 }
    }

    private func noteArrivals() {
        guard let acknowledged = try? outbox.position().acknowledged else { return }
        let now = ContinuousClock.now
        let arrived = open.withLock { open in
            defer { open.removeAll { $0.number <= acknowledged } }
            return open.filter { $0.number <= acknowledged }
        }
        lags.withLock { $0 += arrived.map { (now - $0.at) / .milliseconds(1) } }
    }
}
