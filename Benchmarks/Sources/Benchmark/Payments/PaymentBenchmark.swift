internal import Determinism
internal import Simulator
internal import Storage

/// Whole payments a second, with one till and with two tills on one database.
struct PaymentBenchmark {
    /// A reader and a card at it.
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

    /// What the payment journal itself says of a normal approved sale.
    static let commitsPerPayment = 3

    let folder: TemporaryFolder
    var rounds = 7
    var payments = 100

    func run() async throws -> String {
        var text = "### Payments a second, per reader model, one till, journal in memory\n\n"
        text += try await models()
        text += "\n### Payments a second with the durable journal\n\n"
        text += try await journals()
        return text
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

    private func journals() async throws -> String {
        let setup = Setup.all[0]
        let memory = try memoryJournal()
        let unsynced = try journal("off", .off)
        let durable = try journal("full", .full)
        let bare = try BareCommits(path: folder.path + "/bare")
        func lanes(_ count: Int, _ journal: PaymentJournal) async throws -> [Lane] {
            var lanes: [Lane] = []
            for _ in 0..<count {
                lanes.append(try await Lane(reader: setup.model, card: setup.card, journal: journal))
            }
            for lane in lanes { try await lane.pay(20) }
            return lanes
        }
        var table = MarkdownTable(
            "tills", "in memory, /s", "durability off, /s", "durable, /s", "bare SQLite allows, /s",
            "bare / durable", "targets")
        for count in [1, 2] {
            let groups = [
                try await lanes(count, memory), try await lanes(count, unsynced), try await lanes(count, durable),
            ]
            var rates = [Samples](repeating: Samples(), count: groups.count)
            var allowed = Samples()
            try bare.commit(30)
            for _ in 0..<rounds {
                for (index, group) in groups.enumerated() {
                    let time = try await seconds { try await pay(group) }
                    rates[index].add(Double(payments * count) / time)
                }
                let commits = payments * count * Self.commitsPerPayment
                allowed.add(Double(payments * count) / (try await seconds { try bare.commit(commits) }))
            }
            let ratio = allowed / rates[2]
            let target = Double(300 * min(count, Machine.coreCount))
            table.add(
                "\(count)", rates[0].text(decimals: 0), rates[1].text(decimals: 0), rates[2].text(decimals: 0),
                allowed.text(decimals: 0), ratio.text(decimals: 2),
                verdict(rates[0].median, atLeast: target) + "; " + verdict(ratio.median, atMost: 1.5))
            for lane in groups.joined() { try await lane.close() }
        }
        return table.text
    }

    /// Every lane takes its payments, all lanes at once.
    private func pay(_ lanes: [Lane]) async throws {
        let payments = payments
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

/// Whether a target is met, in words.
func verdict(_ value: Double, atLeast target: Double) -> String {
    "≥ \(target.text(0)): " + (value >= target ? "met" : "missed")
}

func verdict(_ value: Double, atMost target: Double) -> String {
    "≤ \(target.text(target.rounded() == target ? 0 : 1)): " + (value <= target ? "met" : "missed")
}
