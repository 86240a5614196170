import CHostLine
import Glibc

/// Runs the benchmarks and prints their results as Markdown.
@main
enum Main {
    private static let usage = """
        usage: Benchmark [payments] [sessions] [scenarios] [driver] [tlv] [hosts PROGRAM] [emv] [tap] [network] [dispatch] [queue ADDRESS] [fleet ADDRESS] [decoding] [results] [receipts] [sync PROGRAM] [service PROGRAM] [terminals PROGRAM] [program PROGRAM HELLO] [--folder FOLDER] [--transactions COUNT] [--long] [--quick] [--no-heading]

        ADDRESS is a database such as Scripts/postgresql-server starts, in which queue makes tables, and fleet a back
        office, which it removes.

        FOLDER is on the disk that is measured; it is the current folder unless given. COUNT is how many transactions
        emv watches its memory for; as many as 20 seconds allow unless given. sessions watches it for 100,000 of them,
        and for 1,000,000 with --long, which takes a quarter of an hour. hosts takes ten seconds with --quick, for a look
        at a change. --no-heading leaves out date and machine.

        """

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        // The process of `RunningEcho`.
        if words.count == 3, words[0] == RunningEcho.word { exit(host_echo_run(words[1], words[2])) }
        do {
            try await run(words)
        } catch {
            let message = Array("\(error)\n".utf8)
            write(STDERR_FILENO, message, message.count)
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        var words = words[...]
        var parent = "."
        var transactions: Int?
        var (isLong, isQuick, hasHeading) = (false, false, true)
        var benchmarks: [(TemporaryFolder) async throws -> String] = []
        while let word = words.popFirst() {
            switch word {
            case "payments": benchmarks.append { try await PaymentBenchmark(folder: $0).run() }
            case "sessions":
                benchmarks.append {
                    var benchmark = try SessionBenchmark(folder: $0)
                    if isLong { benchmark.watched = 1_000_000 }
                    return try await benchmark.run()
                }
            case "scenarios": benchmarks.append { _ in try await ScenarioBenchmark().run() }
            case "driver": benchmarks.append { _ in try await DriverBenchmark().run() }
            case "tlv": benchmarks.append { _ in try TLVBenchmark().run() }
            case "hosts":
                guard let program = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { folder in
                    try await hosts(program, folder, isQuick: isQuick)
                }
            case "emv": benchmarks.append { _ in try await EMVBenchmark(transactions: transactions).run() }
            case "tap": benchmarks.append { _ in try TapBenchmark().run() }
            case "queue":
                guard let address = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { _ in try await QueueBenchmark(address: address).run() }
            case "fleet":
                guard let address = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { try await FleetBenchmark(address: address, folder: $0).run() }
            case "dispatch": benchmarks.append { _ in try await DispatchBenchmark().run() }
            case "decoding": benchmarks.append { _ in try await DecodingBenchmark().run() }
            case "results": benchmarks.append { try await ResultsBenchmark(folder: $0).run() }
            case "receipts": benchmarks.append { _ in try ReceiptBenchmark().run() }
            case "network": benchmarks.append { _ in try await NetworkBenchmark().run() }
            case "sync":
                guard let program = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { try await SyncBenchmark(program: program, folder: $0).run() }
            case "service":
                guard let program = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { _ in try await ServiceBenchmark(program: program).run() }
                benchmarks.append { _ in try await RepetitionBenchmark(program: program).run() }
            case "terminals":
                guard let program = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append { _ in try await TerminalBenchmark(program: program).run() }
            case "program":
                guard let program = words.popFirst(), let hello = words.popFirst() else { throw BenchmarkError(usage) }
                benchmarks.append {
                    try await ProgramBenchmark(program: program, hello: hello, folder: $0).run()
                }
            case "--folder":
                guard let folder = words.popFirst() else { throw BenchmarkError(usage) }
                parent = folder
            case "--transactions":
                guard let count = words.popFirst().flatMap(Int.init), count > 0 else { throw BenchmarkError(usage) }
                transactions = count
            case "--long": isLong = true
            case "--quick": isQuick = true
            case "--no-heading": hasHeading = false
            default: throw BenchmarkError(usage)
            }
        }
        guard !benchmarks.isEmpty else { throw BenchmarkError(usage) }
        let folder = try TemporaryFolder(in: parent)
        if hasHeading {
            print("\(Machine.date), \(Machine.description).")
            let syncs = await Machine.syncRate(in: folder.path).text(0)
            print("Load \(Machine.load); the disk syncs \(syncs) pages a second.")
            print("Median (least...most) of interleaved rounds.\n")
        }
        for benchmark in benchmarks {
            print(try await benchmark(folder))
            // Flushes all streams, because using a standard stream by name is not concurrency-safe.
            fflush(nil)
        }
    }

    /// The messages of payment hosts: the codec, the till's side, and the simulated acquirer.
    private static func hosts(_ program: String, _ folder: TemporaryFolder, isQuick: Bool) async throws -> String {
        var messages = HostMessageBenchmark()
        let certificates = try HostCertificates(folder: folder)
        var lane = HostLaneBenchmark(program: program, folder: folder, certificates: certificates)
        var acquirer = AcquirerBenchmark(program: program, folder: folder, certificates: certificates)
        if isQuick {
            (messages.rounds, messages.repetitions) = (1, 5_000)
            (lane.rounds, lane.sales) = (1, 150)
            (acquirer.rounds, acquirer.salesOfConnection) = (2, 40)
        }
        return try await [messages.run(), lane.run(), acquirer.run()].joined(separator: "\n")
    }
}
