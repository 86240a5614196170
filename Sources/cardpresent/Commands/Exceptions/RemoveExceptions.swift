internal import ArgumentParser
internal import Determinism
internal import Storage
internal import Yosemite

/// `exceptions remove`
struct RemoveExceptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Takes cards off the list.",
        discussion: """
            Entries are named by their numbers, as 'cardpresent exceptions list' shows them. Without a number, card \
            numbers are read from standard input, as 'add' reads them.
            """)

    @Argument(help: "The numbers of entries.")
    var entries: [Int64] = []
    @Flag(help: "Empty the list, and forget what cards paid offline. It works without the key as well.")
    var all = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !all || entries.isEmpty else { throw ValidationError("--all goes without numbers") }
    }

    func run() throws {
        try output.reporting {
            let removed = try remove(from: try CardFiles.register(data))
            guard !output.json else { return try StandardOutput.write(json: ["removed": removed]) }
            try StandardOutput.write("\(removed) removed\n")
        }
    }

    private func remove(from register: CardRegister) throws(CommandFailure) -> Int {
        guard !all, entries.isEmpty else {
            do throws(StorageError) {
                if all { return try register.removeEverything() }
                if try register.removeExceptions(entries) { return Set(entries).count }
            } catch {
                throw CommandFailure(error)
            }
            throw CommandFailure(
                .usage, code: "unknown_exception", message: "not every one of these entries is there",
                fix: "nothing was changed: 'cardpresent exceptions list' shows the entries")
        }
        let file = ExceptionFile(register: register, key: try CardFiles.key(of: register))
        let now = SystemTimeSource().now()
        var cards: [ExceptionCard] = []
        try CardNumberInput.forEach { pan in
            if let card = file.entry(for: pan, sequenceNumber: nil, reason: nil, at: now) { cards.append(card) }
        }
        do throws(StorageError) { return try file.remove(cards) } catch { throw CommandFailure(error) }
    }
}
