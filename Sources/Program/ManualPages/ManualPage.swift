import FoundationEssentials
import Text

/// A page of the manual, section 1, in the language of man(7).
public struct ManualPage: Hashable, Sendable {
    /// The name of the file, for example `cardpresent-payments-list.1`.
    public let fileName: String
    /// ASCII, with a line break after each line.
    public let text: String
}

/// The parts of the pages that no command describes.
public struct ManualFacts: Sendable {
    /// The name and version, for example `cardpresent 0.2.0`.
    public var source: String
    /// The day of the release: `2026-11-23`.
    public var date: String
    /// The environment variables, with what they do.
    public var environment: [(name: String, meaning: String)]
    /// The exit codes, with their meanings.
    public var exitCodes: [(code: Int32, meaning: String)]

    /// Takes what stands in all pages: the name with the version, the day, variables of the environment, and exit
    /// codes.
    public init(
        source: String, date: String, environment: [(name: String, meaning: String)],
        exitCodes: [(code: Int32, meaning: String)]
    ) {
        (self.source, self.date, self.environment, self.exitCodes) = (source, date, environment, exitCodes)
    }
}

extension ManualPage {
    /// Makes the pages of a program and all its commands.
    ///
    /// - Parameters:
    ///   - dump: The description of the program that the argument parser writes, as JSON.
    ///   - facts: What it does not contain.
    /// - Returns: The program's page, and then those of its commands. The same description makes the same bytes.
    /// - Throws: `DecodingError`
    public static func pages(dump: String, _ facts: ManualFacts) throws -> [ManualPage] {
        struct Dump: Decodable { var command: CommandDescription }
        let program = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
        return program.all.map { command in
            ManualPage(fileName: name(command) + ".1", text: text(command, facts))
        }
    }

    private static func name(_ command: CommandDescription) -> String { command.path.joined(separator: "-") }

    private static func text(_ command: CommandDescription, _ facts: ManualFacts) -> String {
        let name = name(command)
        var page = ManualText()
        page.request(".TH", name.uppercased(), "1", facts.date, facts.source, "CardPresent")
        page.section("NAME")
        page.line(ManualText.escaped(name) + " \\- " + ManualText.escaped(phrase(command.abstract)))
        page.section("SYNOPSIS")
        page.words(synopsis(command))
        let discussion = Discussion(command.discussion ?? "")
        page.section("DESCRIPTION")
        page.words(ManualText.words(command.abstract ?? name))
        for paragraph in discussion.paragraphs { page.paragraph(paragraph) }
        if let aliases = command.aliases, !aliases.isEmpty {
            page.paragraph(["Other names: " + aliases.joined(separator: ", ") + "."])
        }
        list(command.arguments(.positional), "ARGUMENTS", in: &page)
        list(command.arguments(.option, .flag), "OPTIONS", in: &page)
        if !command.displayed.isEmpty {
            page.section("COMMANDS")
            for below in command.displayed {
                page.item("\\fB" + ManualText.escaped(Self.name(below)) + "\\fR(1)", below.abstract ?? "", nil)
            }
        }
        if !discussion.examples.isEmpty {
            page.section("EXAMPLES")
            page.verbatim(discussion.examples)
        }
        if command.path.count == 1 {
            page.section("ENVIRONMENT")
            for (name, meaning) in facts.environment {
                page.item("\\fB" + ManualText.escaped(name) + "\\fR", meaning, nil)
            }
            page.section("EXIT STATUS")
            for (code, meaning) in facts.exitCodes { page.item("\\fB\(code)\\fR", meaning, nil) }
        } else {
            page.section("SEE ALSO")
            page.words(["\\fB" + ManualText.escaped(command.path.dropLast().joined(separator: "-")) + "\\fR(1)"])
        }
        return page.text
    }

    /// An abstract as the page's subject: without its period.
    private static func phrase(_ abstract: String?) -> String {
        let abstract = abstract ?? ""
        return abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    }

    private static func synopsis(_ command: CommandDescription) -> [String] {
        var words = ["\\fB" + command.path.map(ManualText.escaped).joined(separator: "\\ ") + "\\fR"]
        if !command.displayed.isEmpty { words.append("\\fIcommand\\fR") }
        if !command.arguments(.option, .flag).isEmpty { words.append("[\\fIoptions\\fR]") }
        for argument in command.arguments(.positional) {
            let name =
                "\\fI" + ManualText.escaped(argument.valueName ?? "value") + "\\fR"
                + (argument.isRepeating ? " ..." : "")
            words.append(argument.isOptional ? "[\(name)]" : name)
        }
        return words
    }

    private static func list(_ arguments: [ArgumentDescription], _ title: String, in page: inout ManualText) {
        guard !arguments.isEmpty else { return }
        page.section(title)
        for argument in arguments { page.item(label(argument), argument.meaning, argument.discussion) }
    }

    private static func label(_ argument: ArgumentDescription) -> String {
        let value = "\\fI" + ManualText.escaped(argument.valueName ?? "value") + "\\fR"
        guard argument.kind != .positional else { return value }
        let names = (argument.names ?? []).map { "\\fB" + ManualText.escaped($0.spelling) + "\\fR" }.joined(
            separator: ", ")
        return argument.kind == .flag ? names : names + " " + value
    }
}

/// Text in the language of man(7), a line at a time.
struct ManualText {
    /// Columns of a line of the source.
    private static let width = 78

    private(set) var text = ""

    mutating func line(_ line: String) { text += line + "\n" }

    /// Writes a request with its arguments in quotes.
    mutating func request(_ name: String, _ arguments: String...) {
        line(([name] + arguments.map { "\"" + $0.replacing("\"", with: "\\(dq") + "\"" }).joined(separator: " "))
    }

    mutating func section(_ title: String) { line(".SH " + title) }

    /// Writes words that are already escaped, as many a line as fit.
    mutating func words(_ words: [String]) {
        var current = ""
        for word in words where !word.isEmpty {
            if !current.isEmpty, current.utf8.count + 1 + word.utf8.count > Self.width {
                line(current)
                current = ""
            }
            // A period or an apostrophe at the beginning of a line would begin a request.
            let isRequest = current.isEmpty && (word.hasPrefix(".") || word.hasPrefix("'"))
            current += (current.isEmpty ? "" : " ") + (isRequest ? "\\&" : "") + word
        }
        if !current.isEmpty { line(current) }
    }

    /// Writes a paragraph. Its indented lines stay as they are.
    mutating func paragraph(_ lines: [String]) {
        line(".PP")
        var prose: [String] = []
        for text in lines {
            guard text.hasPrefix("  ") else {
                prose += Self.words(text)
                continue
            }
            words(prose)
            prose = []
            verbatim([text])
        }
        words(prose)
    }

    /// Writes lines that are neither filled nor changed.
    mutating func verbatim(_ lines: [String]) {
        line(".nf")
        for text in lines {
            let escaped = Self.escaped(text)
            line((escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped)
        }
        line(".fi")
    }

    /// Writes a label and what it means, in one or two paragraphs.
    mutating func item(_ label: String, _ meaning: String, _ more: String?) {
        line(".TP")
        line(label)
        let paragraphs = [meaning, more ?? ""].map(Self.words).filter { !$0.isEmpty }
        // A label without a text would take the next item as its own.
        if paragraphs.isEmpty { line("\\&") }
        for (place, paragraph) in paragraphs.enumerated() {
            if place > 0 { line(".IP") }
            words(paragraph)
        }
    }

    /// Returns the words of a text, escaped.
    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" || $0 == "\t" }.map { escaped(String($0)) }
    }

    /// Returns a text in ASCII without anything that has a meaning in the middle of a line. A hyphen is a minus sign,
    /// so that options can be copied.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case " "..."}": escaped.unicodeScalars.append(scalar)
            case _ where scalar.isASCII: escaped += " "
            default:
                escaped += "\\[u" + scalar.value.zeroPadded(to: 4, radix: 16).uppercased() + "]"
            }
        }
        return escaped
    }
}
