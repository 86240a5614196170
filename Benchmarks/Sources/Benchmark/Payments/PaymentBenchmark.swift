import CSlowDisk
import Determinism
import Money
import Payments
import Simulator
import Storage

/// Measures complete payments per second, with one till and with two tills on one database.
struct PaymentBenchmark {
    /// A reader and its card.
    struct Setup {
        let name: String
        let model: SimulatedReaderModel
        let card: String

        static let all = [
            Setup(name: "TPDU, T=0 card", model: .tpdu, card: "visa-credit"),
            Setup(name: "TPDU, T=1 card", model: .tpdu, card: "t1-card"),
            Setup(name: "short APDU", model: .shortAPDU, card: "visa-credit"),
            Setup(name: "extended APDU", model: .extendedAPDU, card: "visa-credit"),
        ]
    }

    /// The journal's own measurements of an approved sale.
    static let commitsPerPayment = 3

    let folder: TemporaryFolder
    var rounds = 7
    var payments = 100

    func run() async throws -> String {
        let delay = 5000
        return """
            ### Payments a second, one till, journal in memory

            \(try await models())
            ### Payments a second without the durable journal

            \(try await memory())
            ### Payments a second with the durable journal, on this disk

            \(try await durable(delay: 0, payments: payments))
            ### The same when every flush takes \(delay / 1000) ms longer

            \(try await durable(delay: delay, payments: payments / 4))
            """
    }

    private func models() async throws -> String {
        let journal = try memoryJournal()
        var lanes: [(name: String, lane: Lane)] = []
        for setup in Setup.all {
            lanes.append((setup.name, try await Lane(reader: setup.model, card: setup.card, journal: journal)))
        }
        for (_, lane) in lanes { try await lane.pay(20) }
        var rates = [Samples](repeating: Samples(), count: lanes.count)
        for _ in 0..<rounds {
            for (index, entry) in lanes.enumerated() {
                rates[index].add(Double(payments) / (try await seconds { try await entry.lane.pay(payments) }))
            }
        }
        var table = MarkdownTable("reader", "payments/s", "target")
        for (index, entry) in lanes.enumerated() {
            table.add(entry.name, rates[index].text(decimals: 0), verdict(rates[index].median, atLeast: 300))
            try await entry.lane.close()
        }
        return table.text
    }

    private func memory() async throws -> String {
        let setup = Setup.all[0]
        let journals = [try memoryJournal(), try journal("off", .off)]
        var table = MarkdownTable(
            "tills", "journal in memory, /s", "the same per core and second of work",
            "journal in a file, never flushed, /s", "target per core")
        for count in [1, 2] {
            var groups: [[Lane]] = []
            for journal in journals { groups.append(try await lanes(count, setup, journal)) }
            var rates = [Samples](repeating: Samples(), count: groups.count)
            var worked = rates
            for _ in 0..<rounds {
                for (index, group) in groups.enumerated() {
                    let before = Machine.processorSeconds
                    rates[index].add(Double(payments * count) / (try await seconds { try await pay(group, payments) }))
                    worked[index].add(Double(payments * count) / (Machine.processorSeconds - before))
                }
            }
            table.add(
                "\(count)", rates[0].text(decimals: 0), worked[0].text(decimals: 0), rates[1].text(decimals: 0),
                verdict(worked[0].median, atLeast: 300))
            for lane in groups.joined() { try await lane.close() }
        }
        return table.text
    }

    // The delay is in microseconds.
    private func durable(delay: Int, payments: Int) async throws -> String {
        let setup = Setup.all[0]
        let journal = try journal("full-\(delay)", .full)
        let bare = try BareCommits(path: folder.path + "/bare-\(delay)")
        slow_disk_set_delay(delay)
        defer { slow_disk_set_delay(0) }
        var table = MarkdownTable(
            "tills", "payments/s", "bare commits allow, /s", "bare / payments", "journal steps alone, /s",
            "bare / journal steps", "target")
        for count in [1, 2] {
            let lanes = try await lanes(count, setup, journal)
            try bare.commit(30)
            var (paid, allowed, steps) = (Samples(), Samples(), Samples())
            for _ in 0..<rounds {
                let total = Double(payments * count)
                paid.add(total / (try await seconds { try await pay(lanes, payments) }))
                let commits = payments * count * Self.commitsPerPayment
                allowed.add(total / (try await seconds { try bare.commit(commits) }))
                steps.add(total / (try await seconds { try record(payments * count, in: journal) }))
            }
            table.add(
                "\(count)", paid.text(decimals: 0), allowed.text(decimals: 0), (allowed / paid).text(decimals: 2),
                steps.text(decimals: 0), (allowed / steps).text(decimals: 2),
                verdict((allowed / paid).median, atMost: 1.5))
            for lane in lanes { try await lane.close() }
        }
        return table.text
    }

    /// The three steps of an approved sale, without a card.
    private func record(_ count: Int, in journal: PaymentJournal) throws {
        let amount = try Money(minorUnits: 1250, currency: .usDollar)
        let moment = VirtualTimeSource.standardStart
        let receipt = ReceiptDraft(kind: .sale, content: #"{"outcome":"approved"}"#)
        for _ in 0..<count {
            let entry = try journal.begin(siteID: 0, orderID: nil, amount: amount, hostName: "simulated", at: moment)
            try journal.markAuthorizing(entry.attempt.id, at: moment)
            try journal.finish(entry.attempt.id, as: .captured, receipt: receipt, at: moment)
        }
    }

    private func lanes(_ count: Int, _ setup: Setup, _ journal: PaymentJournal) async throws -> [Lane] {
        var lanes: [Lane] = []
        for _ in 0..<count {
            lanes.append(try await Lane(reader: setup.model, card: setup.card, journal: journal))
        }
        for lane in lanes { try await lane.pay(20) }
        return lanes
    }

    /// Takes payments in all lanes at the same time.
    private func pay(_ lanes: [Lane], _ payments: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { try await lane.pay(payments) } }
            try await group.waitForAll()
        }
    }

    private func memoryJournal() throws -> PaymentJournal {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    private func journal(_ name: String, _ durability: Durability) throws -> PaymentJournal {
        let storage = try SQLiteStorageManager(path: folder.path + "/" + name, durability: durability)
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }
}

/// Describes whether a target is met.
func verdict(_ value: Double, atLeast target: Double) -> String {
    "≥ \(target.text(target.rounded() == target ? 0 : 1)): " + (value >= target ? "met" : "missed")
}

func verdict(_ value: Double, atMost target: Double) -> String {
    "≤ \(target.text(target.rounded() == target ? 0 : 1)): " + (value <= target ? "met" : "missed")
}
