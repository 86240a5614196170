import CCID
import Glibc
import Hardware
import SmartCard

/// Measures taps from the card's power to the message "card read", and alternately the same commands alone.
///
/// The baseline sends the bytes of the payment's commands once more, to the same card, powered anew, with
/// `CCIDCardChannel.transmit` and nothing else. The card does the same work for them: it opens a channel with a new
/// blinding factor for the old key of the kernel, enciphers its records, and makes a cryptogram. Each answer must have
/// the status and the length of the payment's.
///
/// Lines `order insert` and `order remove` on standard output ask the caller to move the card.
struct TapBenchmark {
    private let till: TapTill
    private let rounds: Int

    /// The most that a tap may take, in times of the exchanges alone.
    private static let target = 1.3
    /// How long a card may take to come into the field, or to leave it.
    private static let patience = Duration.seconds(20)

    /// - Parameters:
    ///   - card: The card that will be tapped, a profile of the simulator.
    ///   - rounds: The number of taps that count.
    /// - Throws: When there is no such card, or no contactless reader.
    init(card: String, rounds: Int) async throws {
        till = try await TapTill(card: card)
        self.rounds = rounds
    }

    /// Returns the figures, one in a line: `figure`, name, value, and unit, separated by tabs.
    func run() async throws -> String {
        try await takeCardAway()
        var (read, alone, outside, after) = (Samples(), Samples(), Samples(), Samples())
        var (againstAlone, againstOwn, withPower) = (Samples(), Samples(), Samples())
        var count = 0
        // The first round warms up.
        for round in 0...rounds {
            let tap = try await till.pay(round + 1) { tell("order insert") }
            guard let noticed = tap.noticed, let activated = tap.activated, let end = tap.read,
                let last = tap.exchanges.last
            else { throw ReaderBenchmarkError("payment \(round + 1) has no message that the card was read") }
            let bare = try await replay(tap.exchanges)
            try await takeCardAway()
            guard round > 0 else { continue }
            let (whole, own) = (end - activated, tap.exchanges.reduce(Duration.zero) { $0 + ($1.end - $1.start) })
            read.add(whole / .milliseconds(1))
            alone.add(bare.exchanges / .milliseconds(1))
            outside.add((whole - own) / .milliseconds(1))
            after.add((end - last.end) / .milliseconds(1))
            againstAlone.add(whole / bare.exchanges)
            againstOwn.add(whole / own)
            withPower.add((end - noticed) / (bare.power + bare.exchanges))
            count = tap.exchanges.count
        }
        await till.close()
        let figures = [
            figure("tap, exchanges", Double(count), "times"),
            figure("tap, from power to card read, median", read.median, "ms"),
            figure("tap, its exchanges alone, median", alone.median, "ms"),
            figure("tap, outside its exchanges, median", outside.median, "ms"),
            figure("tap, of that after the last one, median", after.median, "ms"),
            figure("tap / its exchanges alone, median", againstAlone.median, "ratio"),
            figure("tap / its exchanges alone, minimum", againstAlone.minimum, "ratio"),
            figure("tap / its exchanges alone, maximum", againstAlone.maximum, "ratio"),
            figure(
                "tap / its exchanges alone, target", Self.target,
                againstAlone.median <= Self.target ? "ratio: met" : "ratio: missed"),
            figure("tap / the time in its own exchanges, median", againstOwn.median, "ratio"),
            figure("tap / its exchanges alone, both with the power-on, median", withPower.median, "ratio"),
        ]
        return figures.joined()
    }

    private func figure(_ name: String, _ value: Double, _ unit: String) -> String {
        "figure\t\(name)\t\((1000 * value).rounded() / 1000)\t\(unit)\n"
    }

    /// Sends the commands of a payment to the card in the field.
    ///
    /// - Returns: The time from the reader's notice to the card's power, and the time of the exchanges.
    private func replay(
        _ exchanges: [TapRecord.Exchange]
    ) async throws -> (power: Duration, exchanges: Duration) {
        guard let field = till.observer.field else { throw ReaderBenchmarkError("no field") }
        try await field.switchField(on: true)
        guard try await field.waitForCard(present: true, timeout: Self.patience) else {
            throw ReaderBenchmarkError("the card has left")
        }
        let noticed = ContinuousClock.now
        guard let channel = try await field.activate().channel as? CCIDCardChannel else {
            throw ReaderBenchmarkError("another driver")
        }
        var answers: [ResponseAPDU] = []
        answers.reserveCapacity(exchanges.count)
        let start = ContinuousClock.now
        for exchange in exchanges { answers.append(try await channel.transmit(exchange.command)) }
        let end = ContinuousClock.now
        try await field.switchField(on: false)
        for (answer, exchange) in zip(answers, exchanges) {
            guard answer.status == exchange.response.status, answer.data.count == exchange.response.data.count else {
                throw ReaderBenchmarkError("the card answers \(answer.status) to a repeated command")
            }
        }
        return (start - noticed, end - start)
    }

    private func takeCardAway() async throws {
        guard let field = till.observer.field else { throw ReaderBenchmarkError("no field") }
        tell("order remove")
        try await field.switchField(on: true)
        guard try await field.waitForCard(present: false, timeout: Self.patience) else {
            throw ReaderBenchmarkError("the card stays in the field")
        }
    }
}

/// Writes a line to standard output at once.
private func tell(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    write(STDOUT_FILENO, bytes, bytes.count)
}

/// The measured values, one a round.
private struct Samples {
    private var values: [Double] = []

    var minimum: Double { values.min() ?? .nan }
    var maximum: Double { values.max() ?? .nan }

    var median: Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }

    mutating func add(_ value: Double) { values.append(value) }
}
