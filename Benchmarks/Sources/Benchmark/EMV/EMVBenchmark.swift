import EMV
import Simulator

/// Measures the time of an online transaction between kernel and card, the shares of that time, and whether the memory
/// of the process grows with the number of transactions.
struct EMVBenchmark {
    /// The measurements of one card, in microseconds of processor time per transaction.
    private struct Subject {
        let name: String
        let lane: KernelLane
        let cryptography: TransactionCryptography
        let target: Double?
        var whole = Samples()
        var privateKeys = Samples()
        var publicKeys = Samples()
        var symmetric = Samples()
        var rest = Samples()
    }

    /// The number of transactions of the memory measurement; nil for as many as fit into 20 seconds.
    var transactions: Int?
    var rounds = 15
    var payments = 100

    func run() async throws -> String {
        var subjects = [
            try await subject("`visa-credit`, no ODA (baseline)", "visa-credit", .none),
            try await subject("`visa-dda`", "visa-dda", .dda, target: 2000),
            try await subject("`mastercard-cda`, enciphered PIN", "mastercard-cda", .cda),
        ]
        for subject in subjects { try await subject.lane.pay(payments) }
        for _ in 0..<rounds {
            for index in subjects.indices { try await measure(&subjects[index]) }
        }
        return """
            ### One online transaction, kernel to card: µs of processor time

            \(costs(subjects))
            ### The same by who works, in µs of processor time

            \(try await shares(subjects))
            ### Memory over many transactions of `visa-dda`

            \(try await memory(subjects[1].lane))
            """
    }

    private func subject(
        _ name: String, _ card: String, _ method: OfflineAuthenticationMethod, target: Double? = nil
    ) async throws -> Subject {
        let meter = WorkMeter()
        try await KernelLane(card: card, method: method, meter: meter).pay(1)
        let lane = try KernelLane(card: card, method: method)
        try await lane.pay(1)
        return Subject(
            name: name, lane: lane, cryptography: try TransactionCryptography(lane, work: meter.total), target: target)
    }

    private func measure(_ subject: inout Subject) async throws {
        let before = Machine.processorSeconds
        try await subject.lane.pay(payments)
        let whole = 1e6 * (Machine.processorSeconds - before) / Double(payments)
        let privateKeys = try microseconds { try subject.cryptography.applyPrivateKeys() }
        let publicKeys = try microseconds { try subject.cryptography.applyPublicKeys() }
        let symmetric = try microseconds { try subject.cryptography.applySymmetricKeysAndHashes() }
        subject.whole.add(whole)
        subject.privateKeys.add(privateKeys)
        subject.publicKeys.add(publicKeys)
        subject.symmetric.add(symmetric)
        subject.rest.add(whole - privateKeys - publicKeys - symmetric)
    }

    private func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let before = Machine.processorSeconds
        for _ in 0..<payments { try body() }
        return 1e6 * (Machine.processorSeconds - before) / Double(payments)
    }

    private func costs(_ subjects: [Subject]) -> String {
        var table = MarkdownTable(
            "card", "all", "RSA, private keys", "RSA, public keys", "symmetric keys, hashes", "the rest",
            "against the baseline", "target")
        for subject in subjects {
            table.add(
                subject.name, subject.whole.text(decimals: 0), subject.privateKeys.text(decimals: 0),
                subject.publicKeys.text(decimals: 0), subject.symmetric.text(decimals: 0),
                subject.rest.text(decimals: 0), (subject.whole / subjects[0].whole).median.text(2),
                subject.target.map { verdict(subject.whole.median, atMost: $0) } ?? "")
        }
        return table.text
    }

    /// Measured in separate rounds, because reading the clock at every command also takes time.
    private func shares(_ subjects: [Subject]) async throws -> String {
        var table = MarkdownTable("card", "commands", "card", "issuer", "kernel")
        for (subject, method) in zip(subjects, [OfflineAuthenticationMethod.none, .dda, .cda]) {
            let meter = WorkMeter()
            let lane = try KernelLane(card: subject.lane.profile.name, method: method, meter: meter)
            var (card, issuer, kernel) = (Samples(), Samples(), Samples())
            for _ in 0..<rounds {
                let (work, before) = (meter.total, Machine.processorSeconds)
                try await lane.pay(payments)
                let scale = 1e6 / Double(payments)
                let cards = scale * (meter.total.card - work.card)
                let issuers = scale * (meter.total.issuer - work.issuer)
                card.add(cards)
                issuer.add(issuers)
                kernel.add(scale * (Machine.processorSeconds - before) - cards - issuers)
            }
            table.add(
                subject.name, "\(meter.total.commands / (rounds * payments))", card.text(decimals: 0),
                issuer.text(decimals: 0), kernel.text(decimals: 0))
        }
        return table.text
    }

    private func memory(_ lane: KernelLane) async throws -> String {
        // Everything that is created on first use exists by now.
        try await lane.pay(1000)
        let start = try Machine.residentKilobytes()
        var (middle, count) = (start, 0)
        let before = Machine.processorSeconds
        if let transactions {
            try await lane.pay(transactions / 2)
            middle = try Machine.residentKilobytes()
            try await lane.pay(transactions - transactions / 2)
            count = transactions
        } else {
            for isSecondHalf in [false, true] {
                let clock = ContinuousClock()
                let end = clock.now + .seconds(10)
                while clock.now < end {
                    try await lane.pay(payments)
                    count += payments
                }
                if !isSecondHalf { middle = try Machine.residentKilobytes() }
            }
        }
        let end = try Machine.residentKilobytes()
        let worked = Machine.processorSeconds - before
        var table = MarkdownTable("when", "resident memory, kB")
        table.add("at the start", "\(start)")
        table.add("after \(count / 2) transactions", "\(middle)")
        table.add("after \(count) transactions", "\(end)")
        let bytes = Double((end - start) * 1024) / Double(max(1, count))
        return table.text + """

            Growth: \(end - start) kB in \(count) transactions, \(bytes.text(2)) bytes a transaction; \
            \((1e6 * worked / Double(max(1, count))).text(0)) µs of processor time each.

            """
    }
}
