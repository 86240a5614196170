import ArgumentParser
import CardSecrets
import ISO8583
import Settings

/// `host profiles`
struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles", abstract: "List, show, and check message profiles.",
        subcommands: [ListProfiles.self, ShowProfile.self, CheckProfile.self, ProfileSchema.self])
}

/// `host profiles list`
struct ListProfiles: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the shipped message profiles.",
        discussion: """
            EXAMPLES:
              cardpresent host profiles list
              cardpresent host profiles list --json
            """)

    @OptionGroup var output: OutputOptions

    func execute() throws { try output.write(table: MessageProfile.shippedNames.compactMap(MessageProfile.shipped)) }
}

extension MessageProfile: TableRow {
    static var heads: [String] { ["name", "version", "description"] }
    var cells: [String] { [name, version.rawValue, summary] }
    var json: JSONObject { ["name": name, "version": version.rawValue, "description": summary] }
}

/// `host profiles show`
struct ShowProfile: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a message profile, with the formats of its fields.",
        discussion: """
            EXAMPLES:
              cardpresent host profiles show iso87-ascii
              cardpresent host profiles show iso87-bcd-tpdu --file > my-host.yaml

            With --file, prints the file of a shipped profile: a start for your own.
            """)

    @Argument(
        help: ArgumentHelp("Name of a shipped profile, or a file.", valueName: "profile"),
        completion: .list(MessageProfile.shippedNames))
    var name: String
    @Flag(help: "Print the file of a shipped profile.")
    var file = false
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let profile = try ProfileFile.load(name)
        guard file else { return try output.write(ProfileSummary(profile: profile)) }
        guard let text = MessageProfile.shippedText(name) else {
            throw CommandFailure(
                .usage, code: "not_shipped", message: "'\(name)' is no shipped profile",
                fix: "read the file itself, or give one of \(MessageProfile.shippedNames.joined(separator: ", "))")
        }
        let json: JSONObject = ["name": name, "file": text]
        try output.write(json, text: text)
    }
}

/// A profile on the screen: its fields and messages.
private struct ProfileSummary: CommandResult {
    let profile: MessageProfile

    private var messages: [(kind: MessageKind, form: MessageForm)] {
        MessageKind.allCases.compactMap { kind in profile.messages[kind].map { (kind, $0) } }
    }

    var json: JSONObject {
        let fields = profile.table.all.map { format -> JSONObject in
            ["field": format.number, "name": format.name, "format": format.attributeText, "secret": format.isSecret]
        }
        let messages = messages.map { kind, form -> JSONObject in
            [
                "message": kind.rawValue, "type": "\(form.type)", "answer": "\(form.answer)",
                "mandatory": Array(form.mandatory), "conditional": Array(form.conditional),
            ]
        }
        let codes = profile.results.meanings.sorted { $0.key < $1.key }
        return [
            "name": profile.name, "version": profile.version.rawValue, "description": profile.summary,
            "fields": fields, "messages": messages,
            "meanings": JSONObject(members: codes.map { (name: $0.key, value: $0.value) }),
        ]
    }

    var text: String {
        var text = DetailText(profile.name)
        text.add("description", profile.summary)
        text.add("version", profile.version.rawValue)
        let encoding = profile.encoding
        text.add(
            "encoding",
            "type \(encoding.messageType.rawValue), bitmap \(encoding.bitmap.rawValue), "
                + "lengths \(encoding.lengths.rawValue), digits \(encoding.numeric.rawValue), "
                + "text \(encoding.text.rawValue), bytes \(encoding.binary.rawValue)")
        text.add(line: "  messages")
        for (kind, form) in messages {
            text.add(line: "    \(kind.rawValue.padded(to: 15))\(form.type) → \(form.answer)  \(form.mandatory)")
        }
        text.add(line: "  fields")
        for format in profile.table.all {
            let head = "    \(format.number)".padded(to: 9) + format.attributeText.padded(to: 16)
            text.add(line: head + format.name)
        }
        return text.text
    }
}

/// `host profiles check`
struct CheckProfile: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a message profile.",
        discussion: """
            EXAMPLES:
              cardpresent host profiles check my-host.yaml
              cardpresent host profiles check my-host.yaml --json

            Lists every mistake in the file with its line, and exits with 78 when there is one.
            """)

    @Argument(help: "File to check.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let profile: MessageProfile
        do throws(MessageProfileError) { profile = try MessageProfile(path: file) } catch {
            let mistakes = error.errors.map(ProfileFile.failure)
            for mistake in mistakes { mistake.report() }
            if output.json, let first = mistakes.first {
                try StandardOutput.write(json: ["error": first.json, "mistakes": mistakes.map(\.json)] as JSONObject)
            }
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        let json: JSONObject = ["valid": true, "file": file, "name": profile.name]
        try output.write(json, text: "\(CardNumberMask.masked(file)) is valid\n")
    }
}

/// `host profiles schema`
struct ProfileSchema: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of message profiles.",
        discussion: """
            EXAMPLES:
              cardpresent host profiles schema > profile.schema.json

            An editor with a YAML language server uses it to complete and check profiles. Start each file with \
            '# yaml-language-server: $schema=PATH'. The schema is JSON, with and without --json.
            """)

    @OptionGroup var output: OutputOptions

    func execute() throws { try StandardOutput.write(MessageProfile.schemaText) }
}
