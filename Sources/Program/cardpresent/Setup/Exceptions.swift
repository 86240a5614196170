import ArgumentParser
import Determinism
import Storage
import Yosemite

/// `exceptions`
struct ExceptionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exceptions", abstract: "Manage the exception file of blocked cards.",
        discussion: """
            EXAMPLES:
              cardpresent exceptions add --reason stolen
              cardpresent exceptions add < cards.txt
              cardpresent exceptions list

            A card in the file is declined without asking its issuer: it sets TVR byte 1 bit 5, which is in every \
            default denial action code. A configuration with its own 'actionCodes' decides by those. Card numbers are \
            read only from standard input. Only a keyed hash and the last four digits are stored.
            """,
        subcommands: [AddExceptions.self, ListExceptions.self, RemoveExceptions.self])
}

/// `exceptions add`
struct AddExceptions: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add cards to the exception file.",
        discussion: """
            EXAMPLES:
              cardpresent exceptions add --reason stolen
              cardpresent exceptions add < cards.txt

            On a terminal, prompts for one card number without showing it. Otherwise reads card numbers from standard \
            input, one per line; if a line is not a card number, nothing is added.
            """)

    @Option(help: ArgumentHelp("PAN sequence number, 0 to 99. Default: all cards with the PAN.", valueName: "number"))
    var sequenceNumber: UInt8?
    @Option(help: ArgumentHelp("Reason, up to 80 characters.", valueName: "text"))
    var reason: String?
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(sequenceNumber.map(Int.init), in: 0...99, "--sequence-number")
        guard reason?.count ?? 0 <= 80 else { throw ValidationError("--reason must have at most 80 characters") }
    }

    func execute() throws {
        let register = try CardFiles.register(data, for: Self.databaseUse)
        let file = ExceptionFile(register: register, key: try CardFiles.key(of: register))
        let now = SystemTimeSource().now()
        var entries: [ExceptionCard] = []
        let progress = ProgressLine()
        defer { progress.clear() }
        try CardNumberInput.forEach { (pan) throws(CommandFailure) in
            guard let entry = file.entry(for: pan, sequenceNumber: sequenceNumber, reason: reason, at: now) else {
                throw CommandFailure(.internalError, code: "internal", message: "cannot hash a card number")
            }
            entries.append(entry)
            if entries.count.isMultiple(of: 1000) { progress.show("\(entries.count) cards read") }
        }
        let added: [ExceptionCard]
        do throws(StorageError) { added = try file.add(entries) } catch { throw CommandFailure(error) }
        let known = entries.count - added.count
        let json: JSONObject = ["added": added.json, "alreadyThere": known]
        try output.write(
            json,
            text: added.text + "\(added.count) added" + (known > 0 ? ", \(known) already present" : "") + "\n")
    }
}

/// `exceptions list`
struct ListExceptions: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the exception file.",
        discussion: """
            EXAMPLES:
              cardpresent exceptions list
              cardpresent exceptions list --json
            """)

    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let register = try CardFiles.register(data, for: Self.databaseUse)
        let entries: [ExceptionCard]
        do throws(StorageError) { entries = try register.exceptions() } catch { throw CommandFailure(error) }
        try output.write(table: entries, whenEmpty: "The exception file is empty.")
    }
}

/// `exceptions remove`
struct RemoveExceptions: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove cards from the exception file.",
        discussion: """
            EXAMPLES:
              cardpresent exceptions remove 1
              cardpresent exceptions remove < cards.txt
              cardpresent exceptions remove --all

            Takes entry IDs, as shown by 'cardpresent exceptions list'. Without an ID, reads card numbers from \
            standard input as 'exceptions add' does.
            """)

    @Argument(help: "Entry IDs.")
    var entries: [Int64] = []
    @Flag(help: "Remove all entries and the offline payment history of all cards. Works without the key.")
    var all = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !all || entries.isEmpty else { throw ValidationError("--all cannot be used with entry IDs") }
    }

    func execute() throws {
        let removed = try remove(from: try CardFiles.register(data, for: Self.databaseUse))
        try output.write(["removed": removed], text: "\(removed) removed\n")
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
                .usage, code: "unknown_exception", message: "unknown entry ID",
                fix: "nothing was removed; 'cardpresent exceptions list' lists the entries")
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

extension ExceptionCard: CommandResult, TableRow {
    var json: JSONObject {
        // The sequence number is null for all cards with the PAN.
        [
            "id": id, "lastFour": last4, "sequenceNumber": sequenceNumber, "reason": reason,
            "addedAt": addedAt.description,
        ]
    }

    static var heads: [String] { ["id", "card", "sequence", "added", "reason"] }

    var cells: [String] {
        [
            "\(id)", "**** \(last4)", sequenceNumber.map { "\($0)" } ?? "any", addedAt.secondText, reason ?? "",
        ]
    }

    var text: String {
        "\(id)".padded(to: 6) + "**** \(last4)  " + (sequenceNumber.map { "sequence number \($0)  " } ?? "")
            + addedAt.secondText + (reason.map { "  " + $0 } ?? "") + "\n"
    }
}
