import EMV
import Hardware
import Money
import Payments
import Sessions
import Synchronization
import Yosemite

/// Measures complete simulated sessions per second: a world, a till, a connected reader, and one approved payment.
struct SessionBenchmark {
    /// The location of the till's records.
    private enum Place: String, CaseIterable {
        case memory = "in memory"
        case disk = "in a file, flushed"
        case ownFile = "in a new file each, flushed"

        /// The target; nil for a value without one, because no shop creates its database for every payment.
        var target: Double? {
            switch self {
            case .memory: 1000
            case .disk: 300
            case .ownFile: nil
            }
        }
        /// The sessions of one round, which takes about a second.
        var sessions: Int { self == .memory ? 1000 : 200 }
    }

    private let folder: TemporaryFolder
    private let journals: SessionJournals
    var rounds = 3
    /// The number of sessions of the memory measurement.
    var watched = 100_000

    init(folder: TemporaryFolder) throws {
        self.folder = folder
        journals = try SessionJournals(in: folder.path)
    }

    func run() async throws -> String {
        """
        ### Simulated sessions a second

        One approved payment each, with everything that the command does above the transport. The kernel alone, with a card
        and an issuer and nothing around them, is measured in turns with them.

        \(try await rates())
        ### Memory of the process over many sessions, in memory, two jobs

        \(try await memory())
        """
    }

    private func rates() async throws -> String {
        let lane = try KernelLane(card: "visa-credit", method: .none)
        try await lane.pay(200)
        var table = MarkdownTable(
            "journal", "one job, sessions/s", "two jobs, sessions/s", "two jobs / one", "per second of work",
            "session / kernel alone", "target for two jobs")
        var (single, double) = (Samples(), Samples())
        for _ in 0..<rounds {
            single.add(1 / (await reckon(jobs: 1)))
            double.add(1 / (await reckon(jobs: 2)))
        }
        table.add(
            "arithmetic alone, rounds/s (baseline)", single.text(decimals: 1), double.text(decimals: 1),
            (double / single).text(decimals: 2), "", "", "")
        for place in Place.allCases {
            var (one, two, work, ratio) = (Samples(), Samples(), Samples(), Samples())
            _ = try await play(100, jobs: 2, place)
            for _ in 0..<rounds {
                let count = Double(place.sessions)
                let before = Machine.processorSeconds
                let single = try await play(place.sessions, jobs: 1, place)
                work.add(count / (Machine.processorSeconds - before))
                one.add(count / single)
                two.add(count / (try await play(place.sessions, jobs: 2, place)))
                let kernel = try await seconds { try await lane.pay(place.sessions) }
                ratio.add(single / kernel)
            }
            table.add(
                place.rawValue, one.text(decimals: 0), two.text(decimals: 0), (two / one).text(decimals: 2),
                work.text(decimals: 0), ratio.text(decimals: 1),
                place.target.map { verdict(two.median, atLeast: $0) } ?? "")
        }
        return table.text
    }

    /// The speedup of two threads over one on this machine, for work that needs only a processor.
    ///
    /// - Returns: the time of a round, in seconds.
    private func reckon(jobs: Int) async -> Double {
        let parts = 8
        let sum = Mutex(0 as UInt64)
        return await seconds {
            await SessionPool(jobs: jobs).run(parts) { number -> UInt64 in
                var state = UInt64(number) &+ 1
                for _ in 0..<10_000_000 {
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                }
                return state
            } take: { _, value in
                sum.withLock { $0 &+= value }
                return true
            }
        }
    }

    private func memory() async throws -> String {
        var table = MarkdownTable("after sessions", "resident, KiB", "sessions/s", "load")
        var played = 0
        for mark in [1000, 10_000, 100_000, 300_000, 1_000_000] where mark <= watched {
            let elapsed = try await play(mark - played, jobs: 2, .memory)
            let rate = Double(mark - played) / elapsed
            table.add("\(mark)", "\(try Machine.residentKilobytes())", rate.text(0), Machine.load)
            played = mark
        }
        return table.text
    }

    /// Plays sessions, each with its own seed.
    ///
    /// - Returns: the time, in seconds.
    /// - Throws: when a payment is not approved; then the measurement is void.
    private func play(_ count: Int, jobs: Int, _ place: Place) async throws -> Double {
        let amount = try Money(minorUnits: 1250, currency: .usDollar)
        let (folder, journals) = (folder.path, journals)
        let base = try SessionPlan(card: "visa-credit")
        let approved = Mutex(0)
        let elapsed = await seconds {
            await SessionPool(jobs: jobs).run(count) { number -> Bool in
                var plan = base
                plan.seed = UInt64(number)
                let file = "\(folder)/session-\(jobs)-\(number)"
                switch place {
                case .memory: plan.journal = .memory
                case .disk: plan.journal = .shared(journals)
                case .ownFile: plan.journal = .file(file)
                }
                let payment = try? SimulatedSession.play(plan) { session in
                    try await session.connect()
                    return try await session.pay(amount)
                }
                if place == .ownFile { TemporaryFolder.remove(file) }
                return payment?.outcome == .approved
            } take: { _, isApproved in
                approved.withLock { $0 += isApproved ? 1 : 0 }
                return true
            }
        }
        let good = approved.withLock { $0 }
        guard good == count else { throw BenchmarkError("\(count - good) of \(count) sessions did not approve") }
        return elapsed
    }
}
