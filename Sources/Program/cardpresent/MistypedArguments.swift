import ArgumentParser
import CardSecrets
import Glibc
import Settings

/// Finds mistakes on the command line about which the argument parser can say only that it expected something else.
enum MistypedArguments {
    /// - Parameter arguments: What follows the name of the program.
    /// - Throws: `CommandFailure`
    static func refuse(_ arguments: [String]) throws(CommandFailure) {
        try UnknownCommand.refuse(arguments)
        try NegativeAmount.refuse(arguments)
        try JSONWithFile.refuse(arguments)
    }

    /// Returns a better failure than the parser's message; nil when there is none.
    static func failure(insteadOf message: String, _ arguments: [String]) -> CommandFailure? {
        JSONWithFile.failure(insteadOf: message, arguments) ?? MistypedTime.failure(insteadOf: message)
    }
}

/// Says how to write a time that the parser can only call invalid.
private enum MistypedTime {
    /// The names of values that are times, and how to write one.
    private static let fixes = [
        "time": "give a day such as 2026-01-02, or a time such as 2026-01-02T15:04:05Z",
        "date": "give a date such as 2026-01-02", "day": "give a day such as 2026-01-02",
        "range": "give today, week, month, year, custom, or two days such as 2026-01-02..2026-01-31",
    ]

    static func failure(insteadOf message: String) -> CommandFailure? {
        guard message.hasPrefix("The value '"),
            let fix = fixes.first(where: {
                message.contains("' is invalid for '--") && message.hasSuffix(" <\($0.key)>'")
            })
        else { return nil }
        return CommandFailure(.usage, code: "usage", message: message, fix: fix.value)
    }
}

/// Rejects an unknown command with the nearest known one.
private enum UnknownCommand {
    static func refuse(_ arguments: [String]) throws(CommandFailure) {
        var command: any ParsableCommand.Type = RootCommand.self
        var (path, isUnknown) = ([RootCommand._commandName], false)
        for (place, word) in arguments.enumerated() {
            let subcommands = command.configuration.subcommands
            // The parser has the commands 'help' and those of shells, which begin with dashes.
            guard !subcommands.isEmpty, !word.hasPrefix("-"), place > 0 || word != "help" else { break }
            let names = subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            if let next = subcommands.first(where: { $0.isCalled(word) }) {
                (command, path) = (next, path + [next._commandName])
            } else if command.configuration.defaultSubcommand != nil {
                break
            } else if let nearest = NearestName.to(word, among: names),
                let next = subcommands.first(where: { $0.isCalled(nearest) })
            {
                (command, path, isUnknown) = (next, path + [nearest], true)
            } else if isUnknown {
                break
            } else {
                throw failure(word, "\(path.joined(separator: " ")) has: " + names.joined(separator: ", "))
            }
        }
        guard isUnknown else { return }
        let typed = arguments.prefix(path.count - 1).joined(separator: " ")
        throw failure(typed, "did you mean '\(path.joined(separator: " "))'?")
    }

    private static func failure(_ typed: String, _ fix: String) -> CommandFailure {
        CommandFailure(.usage, code: "usage", message: "unknown command '\(typed)'", fix: fix)
    }
}

extension ParsableCommand {
    /// Returns whether this is the command's name or one of its other names.
    fileprivate static func isCalled(_ word: String) -> Bool {
        _commandName == word || configuration.aliases.contains(word)
    }
}

/// Rejects a file after `--json`, which is a flag.
private enum JSONWithFile {
    static func refuse(_ arguments: [String]) throws(CommandFailure) {
        // Everything after the terminator is an argument.
        let arguments = arguments.prefix { $0 != "--" }
        let hasFileOption = arguments.first == "simulate" && ["run", "explore"].contains(arguments.dropFirst().first)
        for argument in arguments where argument.hasPrefix("--json=") {
            throw failure(String(argument.dropFirst("--json=".count)), hasFileOption)
        }
        guard hasFileOption, let next = follower(in: arguments) else { return }
        // Scenarios are folders and YAML files.
        let isScenario = next.hasSuffix(".yaml") || next.hasSuffix(".yml") || access(next, F_OK) == 0
        if next == "-" || next.hasSuffix(".json") || !isScenario { throw failure(next, true) }
    }

    /// Returns the failure for an argument after `--json` that the parser did not expect.
    static func failure(insteadOf message: String, _ arguments: [String]) -> CommandFailure? {
        guard let next = follower(in: arguments[...]), message.hasPrefix("Unexpected argument '\(next)'") else {
            return nil
        }
        return failure(next, false)
    }

    /// The argument after the flag, unless it is an option.
    private static func follower(in arguments: ArraySlice<String>) -> String? {
        zip(arguments, arguments.dropFirst()).first { $0.0 == "--json" && ($0.1 == "-" || !$0.1.hasPrefix("-")) }?.1
    }

    private static func failure(_ file: String, _ hasFileOption: Bool) -> CommandFailure {
        CommandFailure(
            .usage, code: "json_is_a_flag", message: "--json takes no file, but '\(file)' follows it",
            fix: hasFileOption
                ? "use '--json-file \(file)', or --json alone for standard output"
                : "use --json alone, and redirect standard output with '> FILE'")
    }
}

/// Rejects a negative amount before the parser mistakes it for an unknown option.
enum NegativeAmount {
    /// - Throws: `CommandFailure` when a negative number is given as the amount.
    static func refuse(_ arguments: some Collection<String>) throws(CommandFailure) {
        guard arguments.first == "pay" else { return }
        for (previous, argument) in zip(arguments, arguments.dropFirst()) where isNegativeNumber(argument) {
            // After an option it is that option's value, which may be a PIN.
            guard !previous.hasPrefix("-") || flags.contains(previous) else { continue }
            throw CommandFailure(
                .usage, code: "invalid_amount", message: "'\(argument)' is negative: the amount must be more than zero",
                fix: "give a decimal such as 12.50; to refund a payment use 'cardpresent refund'")
        }
    }

    /// Options that take no value.
    private static let flags: Set<String> = ["--json", "--force-online", "--quiet", "--verbose"]

    private static func isNegativeNumber(_ argument: String) -> Bool {
        let digits = argument.dropFirst().drop { $0 == "." }
        return argument.first == "-" && digits.first?.isNumber == true
    }
}

/// A card number that was typed as several arguments, which the parser quotes one by one.
enum TypedCardNumber {
    /// Returns a message of the parser in which each argument that is a part of a card number is masked.
    static func masked(_ message: String, _ arguments: [String]) -> String {
        zip(arguments, CardNumberMask.masked(words: arguments)).reduce(message) { message, word in
            word.0 == word.1 ? message : message.replacing("'\(word.0)'", with: "'\(word.1)'")
        }
    }
}
