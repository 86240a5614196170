internal import ArgumentParser
internal import EMV

/// `emv decode`
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Says in plain words what EMV data mean.",
        discussion: """
            What the data are is guessed: BER-TLV data objects, an answer to reset, a command, an answer, both, or a \
            data object list. The value of one data element alone looks like nothing: say what it is with --as.

            Card data are masked: of a PAN at most the first six and the last four digits are shown, of track data and \
            PIN data nothing. Where data end early or make no sense, the tree shows what was read, the error says at \
            which offset, and the exit code is 65.

            EXAMPLES:
              cardpresent emv decode 6F098407A0000000031010
              cardpresent emv decode --as tvr 80 00 04 80 00
              cardpresent emv decode --as iad --scheme visa 06010A03A00000
              cardpresent emv decode --as 9F6E --json 20700000
              cardpresent emv decode de55.hex
              cardpresent emv decode - < response.bin
            """)

    @Argument(
        help: ArgumentHelp(
            "Hexadecimal digits, with blanks, colons or hyphens if you like; a file; or '-' for standard input.",
            discussion: "A file holds hexadecimal digits or the bytes themselves.", valueName: "data"),
        completion: .file())
    var data: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What the data are: a tag such as 9F33 for its value, or a word.",
            discussion: "The words: " + DecodingSubject.names.joined(separator: ", ") + ".", valueName: "kind"),
        completion: .list(DecodingSubject.names))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "Whose card it is, for data that each payment system lays out in its own way.",
            discussion: "Default: by the AID in the data. The names: " + SchemeName.all.joined(separator: ", ") + ".",
            valueName: "name"),
        completion: .list(SchemeName.all))
    var scheme: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let subject = try kind.map(Self.subject)
            let brand = try scheme.map(SchemeName.brand)
            let bytes = try BinaryInput.bytes(of: data)
            guard let decoding = EMVDecoder.decode(bytes, as: subject, brand: brand) else {
                throw CommandFailure(
                    .badData, code: "unknown_data", message: "the data look like nothing that is known",
                    fix: "say what they are with --as: a tag such as 9F33, or one of "
                        + DecodingSubject.names.joined(separator: ", "))
            }
            let view = DecodingView(decoding)
            if output.json {
                try StandardOutput.write(json: view)
            } else {
                try StandardOutput.write(decoding.text)
            }
            guard let failure = view.failure else { return }
            failure.report()
            throw ExitCode(failure.status.rawValue)
        }
    }

    private static func subject(_ name: String) throws(CommandFailure) -> DecodingSubject {
        guard let subject = DecodingSubject(name: name) else {
            throw CommandFailure(
                .usage, code: "unknown_kind", message: "'\(name)' is neither a tag nor a kind of data",
                fix: .choice(of: name, among: DecodingSubject.names, called: "give a tag such as 9F33, or one of"))
        }
        return subject
    }
}

/// The names of payment systems on the command line: lower case, words joined by hyphens.
enum SchemeName {
    static let all: [String] = CardBrand.allCases.map(name)

    /// - Throws: `CommandFailure` when there is no such payment system.
    static func brand(_ name: String) throws(CommandFailure) -> CardBrand {
        guard let brand = CardBrand.allCases.first(where: { Self.name($0) == name.lowercased() }) else {
            throw CommandFailure(
                .usage, code: "unknown_scheme", message: "there is no payment system '\(name)'",
                fix: .choice(of: name, among: all, called: "the names are"))
        }
        return brand
    }

    private static func name(_ brand: CardBrand) -> String {
        brand.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}
