import ArgumentParser
import Determinism
import FoundationEssentials
import Glibc
import Payments
import Printing
import Storage
import TillConfiguration

/// The words of an unfinished command line, as a shell passes them: with their quotes.
struct TypedWords: Sendable {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// Returns an option's value; nil when the option or its value is missing.
    func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix(option + "=") { return Self.plain(String(word.dropFirst(option.count + 1))) }
            guard word == option else { continue }
            // bash passes the equals sign between an option and its value as a separate word.
            let place = words[(index + 1)...].first == "=" ? index + 2 : index + 1
            return place < words.count ? Self.plain(words[place]) : nil
        }
        return nil
    }

    /// Removes quotes and backslashes as a shell does.
    private static func plain(_ word: String) -> String {
        var (text, quote) = ("", Character?.none)
        var rest = word[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", "'"): text.append(character)
            case ("\\", _): if let next = rest.popFirst() { text.append(next) }
            case (let mark, let open?) where mark == open: quote = nil
            case ("'", nil), ("\"", nil): quote = character
            default: text.append(character)
            }
        }
        return text
    }
}

/// Completes payments with the newest ones in the database that the command line names.
///
/// Runs while the user waits for the shell: it only reads the database, uses no reader and no network, and offers
/// nothing when something fails.
enum PaymentNameCompletion {
    private static let most = 50

    static func names(_ typed: [String]) -> [String] {
        guard let path = path(TypedWords(typed)), access(path, R_OK) == 0,
            let payments = try? RecentPayments.ids(in: path, limit: most)
        else { return [] }
        return payments.map(\.description)
    }

    private static func path(_ words: TypedWords) -> String? {
        guard let path = words.value(of: "--database") else { return DatabaseOptions.defaultPath() }
        // A shell expands the tilde of an unquoted word only.
        guard path.hasPrefix("~/") else { return path }
        return ProcessInfo.processInfo.environment["HOME"].map { $0 + path.dropFirst() }
    }
}

extension PaymentName {
    static var defaultCompletionKind: CompletionKind { .custom { words, _, _ in PaymentNameCompletion.names(words) } }
}

/// Completes printers with those in the configuration that the command line names and, when the print server answers
/// within a second, its queues.
enum PrinterCompletion {
    /// How long to wait for the print server. The user is waiting for the shell.
    private static let timeLimit = Duration.seconds(1)

    static func names(_ typed: [String]) async -> [String] {
        var options = ConfigurationOptions()
        options.config = TypedWords(typed).value(of: "--config")
        let configured = ((try? options.load()) ?? TillConfiguration()).printers.map(\.name)
        let queues = await queues(SystemTimeSource()).map(\.name)
        return (configured + queues.filter { !configured.contains($0) }).sorted()
    }

    /// Returns the queues of the print server; none when it does not answer within ``timeLimit``.
    static func queues(_ time: any TimeSource) async -> [PrintQueue] {
        let asking = Task { try? await CUPSPrinterService(time: time).printers() }
        let deadline = Task(priority: .high) {
            try? await time.sleep(for: timeLimit)
            asking.cancel()
        }
        defer { deadline.cancel() }
        return await asking.value ?? []
    }
}

extension CompletionKind {
    /// Completes printer names.
    static var printers: CompletionKind { .custom { words, _, _ in await PrinterCompletion.names(words) } }
}
