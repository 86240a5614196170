internal import Glibc

/// Runs the benchmarks and prints their results as Markdown.
@main
enum Main {
    private static let usage = """
        usage: Benchmark [payments] [sessions] [scenarios] [driver] [tlv] [hosts] [emv] [network] [dispatch] [decoding] [results] [receipts] [sync PROGRAM] [service PROGRAM] [program PROGRAM HELLO] [--folder FOLDER] [--transactions COUNT] [--long] [--no-heading]

        FOLDER is on the disk that is measured; it is the current folder unless given. COUNT is how many transactions
        emv watches its memory for; as many as 20 seconds allow unless given. sessions watches it for 100,000 of them,
        and for 1,000,000 with --long, which takes a quarter of an hour. --no-heading leaves out date and machine.

        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
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
        var (isLong, hasHeading) = (false, true)
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
            case "hosts": benchmarks.append { _ in try HostMessageBenchmark().run() }
            case "emv": benchmarks.append { _ in try await EMVBenchmark(transactions: transactions).run() }
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
}
