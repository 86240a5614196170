internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Storage

/// The payments that a shell offers: the newest ones of the database that the command line names.
///
/// Somebody has pressed a key and waits. The database is only read, no reader and no network are touched, and what goes
/// wrong means that nothing is offered.
enum PaymentCompletion {
    private static let most = 50

    static func names(_ typed: [String]) -> [String] {
        guard let path = path(TypedWords(typed)), access(path, R_OK) == 0,
            let payments = try? RecentPayments.ids(in: path, limit: most)
        else { return [] }
        return payments.map(\.description)
    }

    private static func path(_ words: TypedWords) -> String? {
        guard let path = words.value(of: "--database") else { return DatabaseOptions.defaultPath() }
        // A shell does this where the word is not quoted.
        guard path.hasPrefix("~/") else { return path }
        return ProcessInfo.processInfo.environment["HOME"].map { $0 + path.dropFirst() }
    }
}

extension PaymentName {
    static var defaultCompletionKind: CompletionKind { .custom { words, _, _ in PaymentCompletion.names(words) } }
}
