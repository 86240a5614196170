import Settings

/// The keys of a message profile and the shapes of their values.
enum ProfileKeys {
    static let code = Shape.text(1...20)
    static let fieldNumber = Shape.number(FieldTable.numbers)
    private static let fieldNumbers = Shape.list(fieldNumber, 0...192)
    private static func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> Shape {
        .word(type.allCases.map(\.rawValue))
    }

    /// The shape of a whole file.
    static let file = RecordShape(
        "profile", "A dialect of ISO 8583: everything that one host does differently from others.",
        [
            KeyShape("profile", .text(1...40), "The name.", isRequired: true),
            KeyShape("description", .line, "What it is for, in one sentence."),
            KeyShape(
                "basedOn", .word(ShippedProfiles.names),
                "A shipped profile whose keys apply where this file has none."),
            KeyShape(
                "version", .either([words(MessageVersion.self), .number(1987...2003)]),
                "The edition of ISO 8583, which decides about the formats of the fields."),
            KeyShape("transport", .record(transport), "Connections."),
            KeyShape("framing", .record(framing), "How messages are separated, and what precedes them."),
            KeyShape("encoding", .record(encoding), "How values become bytes."),
            KeyShape(
                "fields", .table(.record(field)),
                "Fields that differ from the edition, by number."),
            KeyShape("values", .record(values), "Where the values of fields come from."),
            KeyShape("messages", .record(messages), "The messages that the host knows."),
            KeyShape("matching", .record(matching), "How an answer is matched with its request."),
            KeyShape("results", .record(results), "What the response codes of field 39 mean."),
            KeyShape("security", .record(security), "MAC and PIN."),
            KeyShape("timing", .record(timing), "Times and repeats."),
            KeyShape("limits", .record(limits), "Numbers within limits."),
        ])

    private static let transport = RecordShape(
        "transport", "Connections.",
        [
            KeyShape("connection", words(ConnectionStyle.self), "One connection, or one for each transaction."),
            KeyShape("connectTimeout", .duration, "The longest time to a connection."),
            KeyShape("maximumLength", .number(16...65_535), "The most bytes of header and message."),
        ])

    private static let framing = RecordShape(
        "framing", "How messages are separated.",
        [
            KeyShape("length", .record(frameLength), "The length before a message."),
            KeyShape("prefix", .text(0...16), "Fixed bytes before the length, in hexadecimal digits."),
            KeyShape("trailer", .text(0...16), "Fixed bytes behind the message, in hexadecimal digits."),
            KeyShape("lrc", words(FrameFormat.LongitudinalCheck.self), "The check byte behind the trailer."),
            KeyShape("header", .record(header), "What stands between the length and the message type."),
            KeyShape("keepAlive", .record(keepAlive), "What keeps an idle connection alive."),
        ])

    private static let frameLength = RecordShape(
        "frameLength", "The length before a message.",
        [
            KeyShape("form", words(FrameFormat.LengthForm.self), "How it is written."),
            KeyShape("bytes", .number(1...6), "Its bytes."),
            KeyShape("used", .number(1...6), "The bytes of it that stand for the number; the others are zero."),
            KeyShape("zerosFirst", .boolean, "Whether the zeros precede the number."),
            KeyShape("counts", words(FrameFormat.Counted.self), "Whether it counts itself."),
        ])

    private static let header = RecordShape(
        "header", "What stands between the length and the message type.",
        [
            KeyShape("kind", .word(["none", "tpdu", "fixed"]), "Its kind.", isRequired: true),
            KeyShape("id", .text(2...2), "The identifier of a TPDU, in hexadecimal digits."),
            KeyShape("destination", .text(4...4), "The receiver's address in a TPDU: four digits."),
            KeyShape("source", .text(4...4), "The sender's address in a TPDU: four digits."),
            KeyShape("swapInAnswers", .boolean, "Whether an answer has the addresses swapped, which is checked."),
            KeyShape("bytes", .text(2...128), "The bytes of a fixed header, in hexadecimal digits."),
        ])

    private static let keepAlive = RecordShape(
        "keepAlive", "What keeps an idle connection alive.",
        [
            KeyShape(
                "kind", words(KeepAlive.Kind.self), "Nothing, an empty frame, or the message echo.", isRequired: true),
            KeyShape("every", .duration, "The silence after which it is sent."),
            KeyShape("answer", .boolean, "Whether one of the host is answered."),
        ])

    private static let encoding = RecordShape(
        "encoding", "How values become bytes.",
        [
            KeyShape("mti", words(DigitCode.self), "The message type."),
            KeyShape("bitmap", words(BitmapCode.self), "The bitmaps."),
            KeyShape("lengths", words(LengthEncoding.self), "The lengths before fields."),
            KeyShape("numeric", words(DigitCode.self), "Digits: fields with the attributes n, z, and x+n."),
            KeyShape("text", words(TextCode.self), "Characters."),
            KeyShape("binary", words(BinaryCode.self), "Fields of bytes, with the attribute b."),
            KeyShape(
                "hexLengthCounts", words(CountedUnit.self),
                "What a length counts for bytes in hexadecimal digits."),
            KeyShape("packedLengthCounts", words(CountedUnit.self), "What a length counts for packed digits."),
            KeyShape("oddNumeric", .record(odd), "The pad of a fixed odd number of packed digits."),
            KeyShape("oddVariable", .record(odd), "The pad of a variable odd number of packed digits."),
            KeyShape("oddTrack", .record(odd), "The pad of a packed track with an odd number of digits."),
            KeyShape(
                "signedAmount", words(MessageEncoding.SignedAmount.self), "Amounts with a sign where digits are packed."
            ),
            KeyShape(
                "trackSeparator", words(MessageEncoding.TrackSeparator.self),
                "The separator of a track in characters. In packed digits it is D."),
            KeyShape(
                "characters", words(MessageEncoding.CharacterCheck.self),
                "Whether text is checked against the attribute of its field."),
            KeyShape("alwaysSecondaryBitmap", .boolean, "Whether the secondary bitmap is always sent."),
            KeyShape("tertiaryBitmap", words(MessageEncoding.TertiaryBitmap.self), "Where the third bitmap is."),
        ])

    private static let odd = RecordShape(
        "odd", "The digit that fills an odd number of packed digits.",
        [
            KeyShape("side", words(OddDigit.Side.self), "Its side.", isRequired: true),
            KeyShape("digit", .text(1...1), "The digit, 0 to F.", isRequired: true),
        ])

    private static let field = RecordShape(
        "field", "The format of a field.",
        [
            KeyShape("name", .text(1...60), "The name."),
            KeyShape("attribute", words(FieldAttribute.self), "The characters that it may have; b for bytes."),
            KeyShape("length", .number(0...9999), "The length, if it is fixed: digits, characters, or bytes."),
            KeyShape(
                "kind", .word((1...6).map { String(repeating: "L", count: $0) }),
                "The digits of the length before it, if it is not fixed."),
            KeyShape("minimum", .number(0...9999), "The least length."),
            KeyShape("maximum", .number(0...999_999), "The greatest length."),
            KeyShape("encoding", words(ValueEncoding.self), "Its own encoding."),
            KeyShape("lengths", words(LengthEncoding.self), "The encoding of its length."),
            KeyShape("content", .word(["plain", "bertlv", "fixed", "tables"]), "What stands inside, for dumps."),
            KeyShape("parts", .list(.record(part), 1...100), "The parts of a content of fixed lengths."),
            KeyShape("entry", .record(tableEntry), "The head of each table."),
            KeyShape("secret", .boolean, "Whether the value is masked in every dump."),
            KeyShape("omit", .boolean, "Whether the dialect has no such field."),
        ])

    private static let part = RecordShape(
        "part", "A part of a field.",
        [
            KeyShape("name", .text(1...60), "The name.", isRequired: true),
            KeyShape("length", .number(1...999), "The length in characters or bytes.", isRequired: true),
        ])

    private static let tableEntry = RecordShape(
        "tableEntry", "The head of a table in a field.",
        [
            KeyShape("length", words(FieldContent.TableLength.self), "How its length is written.", isRequired: true),
            KeyShape("id", .number(0...8), "The bytes of its identifier.", isRequired: true),
        ])

    private static let codes = Shape.table(code)
    private static let codeList = Shape.list(code, 0...200)

    private static let values = RecordShape(
        "values", "Where the values of fields come from.",
        [
            KeyShape("fixed", .table(.text(1...99)), "Values that are the same in every message, by field."),
            KeyShape("condition", codes, "Field 25 of 1987: attended, unattended, completion."),
            KeyShape("processing", codes, "Field 3, by transaction."),
            KeyShape("entryMode", codes, "How field 22 tells the way in which the card was read."),
            KeyShape("pinCapability", codes, "How field 22 tells about the PIN pad: pad, none, broken."),
            KeyShape("reversalReason", codes, "Why a message is reversed: timeout, card, customer, malfunction."),
            KeyShape("reversalReasonField", fieldNumber, "The field with that reason."),
            KeyShape(
                "reference", words(ProfileValues.ReferenceNumber.self), "Who makes field 37."),
            KeyShape("location", .list(.number(1...99), 3...3), "The widths of name, city, and country in field 43."),
            KeyShape(
                "chip", .table(.list(.text(2...8), 0...100)),
                "The tags of field 55: request, advice, completion, reversal."),
        ])

    private static let messages = RecordShape(
        "messages", "The messages that the host knows.",
        MessageKind.allCases.map { kind in
            let shape: Shape =
                kind == .inquiry || kind == .keyExchange
                ? .either([.word(["none"]), .record(message)]) : .record(message)
            return KeyShape(kind.rawValue, shape, "The message \(kind.rawValue).")
        })

    private static let message = RecordShape(
        "message", "A message.",
        [
            KeyShape("mti", .text(4...4), "The message type.", isRequired: true),
            KeyShape("answer", .text(4...4), "The type of its answer. Without it, the one of the standard."),
            KeyShape("repeat", .text(4...4), "The type of a repeat. Without it, the one of the standard."),
            KeyShape("processing", .text(1...40), "The entry of values.processing that field 3 gets."),
            KeyShape("function", code, "Field 24 of 1993 and 2003."),
            KeyShape("reason", code, "Field 25 of 1993 and 2003."),
            KeyShape("code", code, "Field 70 of 1987, or none."),
            KeyShape("fields", .record(presence), "The fields that it has."),
            KeyShape("totals", words(MessageForm.Totals.self), "Where a settlement has its totals."),
            KeyShape(
                "reversed", words(MessageForm.SettlementForm.Reversed.self),
                "How a settlement counts what was taken back: both as itself and as a reversal, or not at all."),
            KeyShape("keyIn", fieldNumber, "The field of the answer with the new key."),
            KeyShape("keyForm", words(MessageForm.KeyExchangeForm.KeyForm.self), "How the new key is written."),
            KeyShape("checkValue", .number(0...8), "The bytes of the check value behind the new key."),
        ])

    private static let presence = RecordShape(
        "presence", "Which fields a message has.",
        [
            KeyShape("M", fieldNumbers, "Mandatory: it always has them."),
            KeyShape("C", fieldNumbers, "Conditional: it has them when there is a value."),
        ])

    private static let matching = RecordShape(
        "matching", "How an answer is matched with its request.",
        [
            KeyShape("key", fieldNumbers, "The fields that must be the same in both, besides the message type."),
            KeyShape("echoed", fieldNumbers, "The fields that an answer repeats."),
            KeyShape(
                "stanOfReversal", words(MatchingRules.ReversalNumber.self), "The trace number of a reversal."),
            KeyShape(
                "originalData", words(MatchingRules.OriginalDataField.self), "The field with the original's data."),
        ])

    private static let results = RecordShape(
        "results", "What the response codes of field 39 mean.",
        [
            KeyShape("approved", codeList, "Approved. Other codes are declines."),
            KeyShape("partial", codeList, "Approved for a part of the amount."),
            KeyShape("reverseAnyway", codeList, "Not approved, but the request is reversed."),
            KeyShape("reversalDone", codeList, "Codes that end a reversal."),
            KeyShape("adviceDone", codeList, "Codes that end an advice."),
            KeyShape("newKeysOn", codeList, "Codes after which keys are exchanged."),
            KeyShape("signOnAgainOn", codeList, "Codes after which the terminal signs on again."),
            KeyShape("meanings", .table(.text(1...80)), "What codes mean, in words."),
        ])

    private static let security = RecordShape(
        "security", "MAC and PIN.",
        [
            KeyShape("mac", .record(mac), "The MAC, which is always the last field."),
            KeyShape("pin", .record(pin), "The PIN block in field 52."),
            KeyShape("ksn", fieldNumber, "The field with the key serial number of DUKPT."),
            KeyShape("masterKey", .text(1...40), "The name of the key that exchanged keys are under. Default: TMK."),
        ])

    private static let mac = RecordShape(
        "mac", "The message authentication code.",
        [
            KeyShape("algorithm", words(SecurityRules.MACRule.Algorithm.self), "The algorithm.", isRequired: true),
            KeyShape("padding", .number(1...2), "The padding method of ISO/IEC 9797-1."),
            KeyShape("bytes", .number(4...8), "The bytes that are sent."),
            KeyShape("scheme", words(SecurityRules.KeyScheme.self), "Where the key comes from."),
            KeyShape("key", .text(1...40), "The name of the key.", isRequired: true),
            KeyShape("on", .list(words(MessageKind.self), 0...40), "The messages that have a MAC."),
            KeyShape("ksn", fieldNumber, "The field with the key serial number of DUKPT. Default: security.ksn."),
            KeyShape("bothWays", .boolean, "Whether DUKPT has one key for requests and answers. Default: false."),
        ])

    private static let pin = RecordShape(
        "pin", "The PIN block.",
        [
            KeyShape("format", .number(0...4), "The format of ISO 9564: 0 or 4.", isRequired: true),
            KeyShape("scheme", words(SecurityRules.KeyScheme.self), "Where the key comes from."),
            KeyShape("key", .text(1...40), "The name of the key.", isRequired: true),
        ])

    private static let timing = RecordShape(
        "timing", "Times and repeats.",
        [
            KeyShape("answer", .duration, "The longest time to an answer."),
            KeyShape("reversalAnswer", .duration, "The longest time to the answer of a reversal."),
            KeyShape("backoff", .list(.duration, 1...20), "The pauses before repeats. The last one goes on."),
            KeyShape(
                "stopAfter", .either([.word(["never"]), .number(1...1000)]),
                "The number of tries after which a person has to look."),
            KeyShape("oneOpenReversal", .boolean, "Whether nothing new is sent while a reversal is open."),
        ])

    private static let limits = RecordShape(
        "limits", "Numbers within limits.",
        [
            KeyShape("stanFrom", .number(0...999_999_999_999), "The first trace number."),
            KeyShape("stanTo", .number(1...999_999_999_999), "The last trace number, which the first one follows."),
            KeyShape("storedAdvices", .number(0...100_000), "The most advices that wait for the host."),
            KeyShape("storedAdviceAge", .duration, "The greatest age of an advice."),
        ])
}
