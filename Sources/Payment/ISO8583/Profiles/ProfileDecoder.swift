import Settings
import Text

/// Decodes a ``MessageProfile`` from a file whose shape has been checked. Collects further errors, so that one run
/// reports them all.
struct ProfileDecoder {
    private(set) var problems = ProblemList()
    /// The fields of the edition that the dialect has not. Lists that come from the profile below may name them.
    var omitted: Set<Int> = []
    private let root: SettingsNode

    init(_ root: SettingsNode) { self.root = root }

    /// Returns the value of `body`, or `other` after an error.
    mutating func note<Value>(_ other: Value, _ body: () throws(SettingsError) -> Value?) -> Value {
        do throws(SettingsError) { return try body() ?? other } catch {
            problems.add(error)
            return other
        }
    }

    mutating func note(_ error: SettingsError) { problems.add(error) }

    /// The value at a path of keys; nil when it is absent.
    func node(_ keys: String...) -> SettingsNode? {
        keys.reduce(root as SettingsNode?) { node, key in
            guard let node, let found = try? node.optional(key) else { return nil }
            return found
        }
    }

    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ other: Word, _ node: SettingsNode?) -> Word {
        note(other) { () throws(SettingsError) in try node?.choice(Word.self) }
    }

    mutating func bool(_ other: Bool, _ node: SettingsNode?) -> Bool {
        note(other) { () throws(SettingsError) in try node?.bool() }
    }

    mutating func int(_ other: Int, _ node: SettingsNode?) -> Int {
        note(other) { () throws(SettingsError) in try node?.int() }
    }

    mutating func duration(_ other: Duration, _ node: SettingsNode?) -> Duration {
        note(other) { () throws(SettingsError) in try node?.duration() }
    }

    mutating func hex(_ other: [UInt8], _ node: SettingsNode?, _ length: ClosedRange<Int>) -> [UInt8] {
        note(other) { () throws(SettingsError) in try node?.hex(length: length) }
    }

    mutating func text(_ other: String, _ node: SettingsNode?) -> String {
        note(other) { () throws(SettingsError) in try node?.text(length: 0...200) }
    }

    mutating func texts(_ node: SettingsNode?) -> [String] {
        note([]) { () throws(SettingsError) in
            var texts: [String] = []
            for entry in try node?.list() ?? [] { texts.append(try entry.text()) }
            return texts
        }
    }

    mutating func entries(_ node: SettingsNode?) -> [SettingsEntry] {
        note([]) { () throws(SettingsError) in try node?.entries() }
    }

    mutating func table(_ node: SettingsNode?) -> [String: String] {
        var table: [String: String] = [:]
        for entry in entries(node) { table[entry.key] = text("", entry.value) }
        return table
    }

    /// The number of a field as the key of a table; nil and an error when it is none.
    mutating func fieldNumber(_ entry: SettingsEntry) -> Int? {
        if let number = Int(entry.key), FieldTable.numbers.contains(number) { return number }
        note(
            SettingsError(
                location: entry.location, keyPath: entry.value.keyPath,
                problem: .invalid(message: "no field has this number", fix: "write a number of 2...192")))
        return nil
    }
}

extension ProfileDecoder {
    /// - Returns: the profile; only valid when there are no ``problems``.
    mutating func profile() -> MessageProfile? {
        let root = root
        let found: MessageVersion? = note(nil) { () throws(SettingsError) in
            try root.required("version").choice(MessageVersion.self)
        }
        guard let version = found else { return nil }
        let name = text("", node("profile"))
        let encoding = encoding()
        let table = fields(.base(version), encoding)
        let values = values(table)
        let messages = messages(version, table, values)
        let matching = matching(table)
        checkInquiry(messages[.inquiry], matching)
        let profile = MessageProfile(
            name: name, summary: text("", node("description")), version: version,
            connection: word(.kept, node("transport", "connection")),
            connectTimeout: duration(.seconds(10), node("transport", "connectTimeout")), frame: frame(),
            keepAlive: keepAlive(messages), header: header(), encoding: encoding, table: table, values: values,
            messages: messages, matching: matching,
            results: results(version, table), security: security(table, messages), timing: timing(),
            limits: limits(table))
        return problems.isEmpty ? profile : nil
    }

    private mutating func frame() -> FrameFormat {
        var frame = FrameFormat()
        frame.lengthForm = word(.binary, node("framing", "length", "form"))
        frame.lengthBytes = int(2, node("framing", "length", "bytes"))
        frame.lengthUsed = node("framing", "length", "used").map { int(frame.lengthBytes, $0) }
        frame.zerosFirst = bool(false, node("framing", "length", "zerosFirst"))
        frame.counts = word(.body, node("framing", "length", "counts"))
        frame.prefix = hex([], node("framing", "prefix"), 0...8)
        frame.trailer = hex([], node("framing", "trailer"), 0...8)
        frame.check = word(.none, node("framing", "lrc"))
        frame.maximumLength = int(4096, node("transport", "maximumLength"))
        frame.allowsKeepAlive =
            (try? node("framing", "keepAlive", "kind")?.text()) == KeepAlive.Kind.zeroLength.rawValue
        let place = node("framing", "length") ?? node("framing") ?? root
        if frame.lengthForm == .none, frame.trailer.isEmpty {
            note(place.error("a frame without a length needs a trailer", fix: "write framing.trailer, such as 03"))
        }
        if frame.lengthForm == .none, frame.allowsKeepAlive {
            note(place.error("a frame without a length has no empty frame", fix: "use the keepAlive kind echo"))
        }
        if let used = frame.lengthUsed, used > frame.lengthBytes {
            note(place.error("used is greater than bytes"))
        }
        let limit = node("transport", "maximumLength") ?? place
        if frame.lengthForm != .none, frame.longestBody < frame.maximumLength {
            note(
                limit.error(
                    "the length of a frame cannot count \(frame.maximumLength) bytes",
                    fix: "write a transport.maximumLength of at most \(frame.longestBody)"))
        }
        return frame
    }

    private mutating func keepAlive(_ messages: [MessageKind: MessageForm]) -> KeepAlive {
        var keepAlive = KeepAlive()
        keepAlive.kind = word(.none, node("framing", "keepAlive", "kind"))
        keepAlive.interval = duration(.seconds(60), node("framing", "keepAlive", "every"))
        keepAlive.isAnswered = bool(true, node("framing", "keepAlive", "answer"))
        if keepAlive.kind == .echo, messages[.echo] == nil, let place = node("framing", "keepAlive", "kind") {
            note(place.error("the profile has no message echo", fix: "write messages.echo"))
        }
        return keepAlive
    }

    private mutating func header() -> HeaderFormat {
        guard let header = node("framing", "header") else { return .none }
        switch text("none", node("framing", "header", "kind")) {
        case "tpdu":
            let id = hex([0x60], node("framing", "header", "id"), 1...1)
            let destination = hex([0, 0], node("framing", "header", "destination"), 2...2)
            let source = hex([0, 0], node("framing", "header", "source"), 2...2)
            guard let tpdu = TPDU(id + destination + source) else { return .none }
            return .tpdu(tpdu, swapsInAnswers: bool(true, node("framing", "header", "swapInAnswers")))
        case "fixed":
            guard let bytes = node("framing", "header", "bytes") else {
                note(header.error("a fixed header needs its bytes", fix: "write bytes in hexadecimal digits"))
                return .none
            }
            return .fixed(hex([], bytes, 1...64))
        default: return .none
        }
    }

    private mutating func encoding() -> MessageEncoding {
        var encoding = MessageEncoding()
        encoding.messageType = word(encoding.messageType, node("encoding", "mti"))
        encoding.bitmap = word(encoding.bitmap, node("encoding", "bitmap"))
        encoding.lengths = word(encoding.lengths, node("encoding", "lengths"))
        encoding.numeric = word(encoding.numeric, node("encoding", "numeric"))
        encoding.text = word(encoding.text, node("encoding", "text"))
        encoding.binary = word(encoding.binary, node("encoding", "binary"))
        encoding.hexLengthCounts = word(encoding.hexLengthCounts, node("encoding", "hexLengthCounts"))
        encoding.packedLengthCounts = word(encoding.packedLengthCounts, node("encoding", "packedLengthCounts"))
        encoding.oddNumeric = odd(encoding.oddNumeric, node("encoding", "oddNumeric"))
        encoding.oddVariable = odd(encoding.oddVariable, node("encoding", "oddVariable"))
        encoding.oddTrack = odd(encoding.oddTrack, node("encoding", "oddTrack"))
        encoding.signedAmount = word(encoding.signedAmount, node("encoding", "signedAmount"))
        encoding.trackSeparator = word(encoding.trackSeparator, node("encoding", "trackSeparator"))
        encoding.characters = word(encoding.characters, node("encoding", "characters"))
        encoding.alwaysSecondaryBitmap = bool(false, node("encoding", "alwaysSecondaryBitmap"))
        encoding.tertiaryBitmap = word(encoding.tertiaryBitmap, node("encoding", "tertiaryBitmap"))
        return encoding
    }

    private mutating func odd(_ other: OddDigit, _ node: SettingsNode?) -> OddDigit {
        guard let node else { return other }
        let side = note(other.side) { () throws(SettingsError) in
            try node.required("side").choice(OddDigit.Side.self)
        }
        let digit = note(other.digit) { () throws(SettingsError) in
            let digit = try node.required("digit")
            guard let value = try digit.text().utf8.first.flatMap({ UInt8(hexadecimalDigit: $0) }) else {
                throw digit.error("not a hexadecimal digit", fix: "write one of 0 to 9 and A to F")
            }
            return value
        }
        return OddDigit(side, digit)
    }
}
