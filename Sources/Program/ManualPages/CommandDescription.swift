/// A command, as the argument parser describes it with `--experimental-dump-help`.
struct CommandDescription: Decodable {
    var commandName: String
    /// The commands above it, the program first.
    var superCommands: [String]?
    var shouldDisplay: Bool
    var aliases: [String]?
    var abstract: String?
    var discussion: String?
    var subcommands: [CommandDescription]?
    var arguments: [ArgumentDescription]?

    /// The words of the command: `cardpresent payments list`.
    var path: [String] { (superCommands ?? []) + [commandName] }

    /// The commands below it with a page of their own. The parser adds the command `help`.
    var displayed: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    /// This command and all commands below it, each after the one above it.
    var all: [CommandDescription] { [self] + displayed.flatMap(\.all) }

    func arguments(_ kinds: ArgumentDescription.Kind...) -> [ArgumentDescription] {
        (arguments ?? []).filter { $0.shouldDisplay && kinds.contains($0.kind) }
    }
}

/// An argument or option of a command.
struct ArgumentDescription: Decodable {
    enum Kind: String, Decodable {
        case positional, option, flag
    }

    struct Name: Decodable {
        enum Kind: String, Decodable {
            case long, short, longWithSingleDash
        }

        var kind: Kind
        var name: String

        /// The name with its dashes.
        var spelling: String { (kind == .long ? "--" : "-") + name }
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?

    /// Its meaning, with its values and its default.
    var meaning: String {
        var notes: [String] = []
        if let allValues, !allValues.isEmpty { notes.append("values: " + allValues.joined(separator: ", ")) }
        if let defaultValue, kind != .flag { notes.append("default: " + defaultValue) }
        let note = notes.isEmpty ? nil : "(" + notes.joined(separator: "; ") + ")"
        return [abstract, note].compactMap(\.self).joined(separator: " ")
    }
}

/// The discussion of a command: an optional block of examples, and paragraphs.
struct Discussion {
    private(set) var examples: [String] = []
    private(set) var paragraphs: [[String]] = []

    init(_ text: String) {
        var (block, isExamples) = ([String](), false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            if line == "EXAMPLES:" {
                isExamples = true
            } else if isExamples, line.hasPrefix("  ") {
                examples.append(String(line.dropFirst(2)))
            } else if line.isEmpty {
                if !block.isEmpty { paragraphs.append(block) }
                (block, isExamples) = ([], false)
            } else {
                block.append(line)
            }
        }
    }
}
