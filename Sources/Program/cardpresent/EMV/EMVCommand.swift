import ArgumentParser
import EMV
import Text

/// `emv`
struct EMVCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emv", abstract: "Decode, replay, and verify EMV data.",
        subcommands: [DecodeCommand.self, ReplayCommand.self, CheckODA.self, ListCAPublicKeys.self])
}

/// `emv decode`
struct DecodeCommand: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode EMV data into readable text.",
        discussion: """
            EXAMPLES:
              cardpresent emv decode 6F098407A0000000031010
              cardpresent emv decode --as tvr 80 00 04 80 00
              cardpresent emv decode --as iad --scheme visa 06010A03A00000
              cardpresent emv decode --as 9F6E --json 20700000
              cardpresent emv decode --dol 9F3704 008800000401020304
              cardpresent emv decode de55.hex
              cardpresent emv decode - < response.bin

            Detects BER-TLV data objects, an answer to reset, a command, a response, both, and a data object list. For \
            the value of a single data element, give the type with --as.

            Card data is masked: at most the first six and last four digits of a PAN are shown, and no track data or \
            PIN data. If the data is truncated or invalid, the output shows what could be decoded, the error gives the \
            offset, and the exit code is 65.
            """)

    @Argument(
        help: ArgumentHelp(
            "Hexadecimal digits (spaces, colons, and hyphens are allowed), a file, or '-' for standard input.",
            discussion: "A file contains hexadecimal digits or raw bytes.", valueName: "data"),
        completion: .file())
    var data: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Type of the data: a tag such as 9F33 or a keyword.",
            discussion: "Keywords: " + DecodingSubject.names.joined(separator: ", ") + ".", valueName: "kind"),
        completion: .list(DecodingSubject.names))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "Payment system, for data with a proprietary layout.",
            discussion: "Default: from the AID in the data. Names: " + SchemeName.all.joined(separator: ", ") + ".",
            valueName: "name"),
        completion: .list(SchemeName.all))
    var scheme: String?

    @Option(
        help: ArgumentHelp(
            "Data object list that the data of a command answers, in hexadecimal digits.",
            discussion: "The PDOL (9F38), CDOL1 (8C), CDOL2 (8D), or DDOL (9F49) of the card. Without it, only the "
                + "usual values are recognized.",
            valueName: "list"))
    var dol: String?

    @OptionGroup var output: OutputOptions

    func execute() throws {
        let subject = try kind.map(Self.subject)
        let list = try dol.map(Self.list)
        let brand = try scheme.map(SchemeName.brand)
        let bytes = try BinaryInput.bytes(of: data)
        guard let decoding = EMVDecoder.decode(bytes, as: subject, brand: brand, answering: list) else {
            throw CommandFailure(
                .badData, code: "unknown_data", message: "unknown type of data",
                fix: "give the type with --as: a tag such as 9F33, or one of "
                    + DecodingSubject.names.joined(separator: ", "))
        }
        if list != nil, decoding.subject != .command, decoding.subject != .exchange {
            throw CommandFailure(
                .usage, code: "no_command", message: "--dol is for a command, and this is '\(decoding.subject.name)'",
                fix: "give the type with --as: command, or exchange")
        }
        try output.write(decoding.json, text: decoding.text)
        try Outcome.end(decoding.failure)
    }

    private static func list(_ text: String) throws(CommandFailure) -> DataObjectList {
        guard let bytes = [UInt8](hexadecimal: text.filter { !" :-".contains($0) }),
            let list = try? DataObjectList(bytes, limit: EMVDecoder.maximumLength), !list.entries.isEmpty
        else {
            throw CommandFailure(
                .usage, code: "no_list", message: "--dol is no data object list",
                fix: "give tags with lengths in hexadecimal digits, such as 9F02069F3704")
        }
        return list
    }

    private static func subject(_ name: String) throws(CommandFailure) -> DecodingSubject {
        guard let subject = DecodingSubject(name: name) else {
            throw CommandFailure(
                .usage, code: "unknown_kind", message: "'\(name)' is neither a tag nor a type of data",
                fix: .choice(of: name, among: DecodingSubject.names, called: "use a tag such as 9F33, or one of"))
        }
        return subject
    }
}

/// The names of payment systems on the command line: lowercase, with hyphens.
enum SchemeName {
    static let all: [String] = CardBrand.allCases.map(name)

    /// - Throws: `CommandFailure` for an unknown name.
    static func brand(_ name: String) throws(CommandFailure) -> CardBrand {
        guard let brand = CardBrand.allCases.first(where: { Self.name($0) == name.lowercased() }) else {
            throw CommandFailure(
                .usage, code: "unknown_scheme", message: "unknown payment system '\(name)'",
                fix: .choice(of: name, among: all, called: "available"))
        }
        return brand
    }

    private static func name(_ brand: CardBrand) -> String {
        brand.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension Decoding {
    /// The result of `emv decode`, as JSON.
    fileprivate var json: JSONObject {
        // The offset of the invalid data, in bytes.
        let offset = problem?.offset
        let error = failure.map { JSONObject(extending: $0.json, with: ["offset": offset]) }
        return [
            // The type of the data: a keyword or tag for --as, and whether it was detected rather than given.
            "kind": subject.name, "guessed": isGuessed, "length": length, "values": values, "error": error,
        ]
    }

    /// Why the data could not be decoded to its end; nil when all of it was decoded.
    fileprivate var failure: CommandFailure? {
        problem.map {
            CommandFailure(
                .badData, code: "malformed_data", message: $0.description,
                fix: isGuessed ? "if the data is of another type, give it with --as" : nil)
        }
    }
}
