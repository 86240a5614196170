internal import ArgumentParser
internal import Determinism
internal import Storage
internal import Yosemite

/// `exceptions add`
struct AddExceptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Puts cards on the list: numbers from standard input, one a line.",
        discussion: """
            At a terminal one number is asked for and not shown. A list of the acquirer's is given as \
            'cardpresent exceptions add < FILE'; when a line of it is no card number, nothing is added.
            """)

    @Option(
        help: ArgumentHelp(
            "Only cards with this PAN sequence number, 0 to 99. Default: every card with the number.",
            valueName: "number"))
    var sequenceNumber: UInt8?
    @Option(help: ArgumentHelp("Why, in up to 80 characters.", valueName: "text"))
    var reason: String?
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard sequenceNumber ?? 0 <= 99 else { throw ValidationError("--sequence-number is 0 to 99") }
        guard reason?.count ?? 0 <= 80 else { throw ValidationError("--reason has up to 80 characters") }
    }

    func run() throws {
        try output.reporting {
            let register = try CardFiles.register(data)
            let file = ExceptionFile(register: register, key: try CardFiles.key(of: register))
            let now = SystemTimeSource().now()
            var entries: [ExceptionCard] = []
            try CardNumberInput.forEach { (pan) throws(CommandFailure) in
                guard let entry = file.entry(for: pan, sequenceNumber: sequenceNumber, reason: reason, at: now) else {
                    throw CommandFailure(.internalError, code: "internal", message: "a card cannot be hashed")
                }
                entries.append(entry)
            }
            let added: [ExceptionCard]
            do throws(StorageError) { added = try file.add(entries) } catch { throw CommandFailure(error) }
            let known = entries.count - added.count
            guard !output.json else {
                return try StandardOutput.write(
                    json: AddedExceptionsView(added: added.map(ExceptionView.init), alreadyThere: known))
            }
            var text = added.map { ExceptionView($0).line }.joined()
            text += "\(added.count) added" + (known > 0 ? ", \(known) there already" : "") + "\n"
            try StandardOutput.write(text)
        }
    }
}

/// The result of `exceptions add`.
struct AddedExceptionsView: Encodable, Sendable {
    var added: [ExceptionView]
    var alreadyThere: Int
}
