import Glibc

/// Measures commands to the card in a real reader, and prints the responses. Scripts/test-usb compares two drivers:
/// this one, and pcscd with its own. It also measures whole taps against their exchanges.
@main
enum Main {
    private static let usage = """
        usage: ReaderBenchmark usb walk                     prints the answers of a walk through the card
               ReaderBenchmark usb latency COUNT            measures COUNT commands
               ReaderBenchmark pcsc DAEMON walk|latency…    the same through pcscd, whose process id is DAEMON
               ReaderBenchmark tap CARD ROUNDS              measures ROUNDS taps of CARD, a simulated one, and asks for
                                                            the card in lines: order insert, order remove

        """

    static func main() async {
        do {
            // Not on the main actor, which has its own thread; payments do not run there either.
            try await Task.detached { try await run(Array(CommandLine.arguments.dropFirst())) }.value
        } catch {
            let message = Array("\(error)\n".utf8)
            write(STDERR_FILENO, message, message.count)
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        var words = words[...]
        let line: any CardLine
        switch words.popFirst() {
        case "tap":
            guard let card = words.popFirst(), let rounds = number(&words) else { throw ReaderBenchmarkError(usage) }
            return print(try await TapBenchmark(card: card, rounds: rounds).run(), terminator: "")
        case "usb": line = try await DriverLine.open()
        case "pcsc":
            guard let daemon = words.popFirst().flatMap({ Int32($0) }) else { throw ReaderBenchmarkError(usage) }
            line = try PCSCLine(daemon: daemon)
        default: throw ReaderBenchmarkError(usage)
        }
        switch words.popFirst() {
        case "walk": for answer in try await CardWalk(line).answers() { print(answer) }
        case "latency":
            guard let count = number(&words) else { throw ReaderBenchmarkError(usage) }
            print(try await Latency(line, count: count).text)
        default: throw ReaderBenchmarkError(usage)
        }
        await line.close()
    }

    /// Returns the next word as a number above zero.
    private static func number(_ words: inout ArraySlice<String>) -> Int? {
        words.popFirst().flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// The reason why there is no result.
struct ReaderBenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
