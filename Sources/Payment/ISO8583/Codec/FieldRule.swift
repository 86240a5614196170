/// A field as the codec sees it: its format and the encodings of a dialect, made ready for use.
struct FieldRule: Sendable {
    enum Form: UInt8, Sendable {
        /// One byte a character.
        case characters
        /// Two digits a byte.
        case packed
        /// Bytes as they are.
        case raw
        /// Two hexadecimal digits a byte.
        case hex
        /// A letter C or D, then two digits a byte.
        case signedPacked
    }

    var isDefined = false
    var form = Form.characters
    /// The digits of the length; 0 for a fixed one.
    var lengthDigits = 0
    var lengthEncoding = LengthEncoding.ascii
    /// In digits, characters, or bytes; with a sign included.
    var minimum = 0
    var maximum = 0
    /// The allowed kinds of characters (``CharacterSet8``).
    var allowed: UInt8 = 0
    /// Whether characters are those of the dialect's EBCDIC page.
    var isTranslated = false
    var page = TextCode.ascii
    var isTrack = false
    var writesLetterD = false
    var isSigned = false
    var isSecret = false
    /// What the length counts with packed digits or hexadecimal digits.
    var counts = CountedUnit.digits
    var odd = OddDigit(.left, 0)

    init() {}

    init(_ format: FieldFormat, _ encoding: MessageEncoding) {
        isDefined = true
        isSecret = format.isSecret || ISOMessage.secretFields.contains(format.number)
        lengthEncoding = format.lengthEncoding ?? encoding.lengths
        switch format.length {
        case .fixed(let length): (minimum, maximum) = (length, length)
        case .variable(let digits, let least, let most): (lengthDigits, minimum, maximum) = (digits, least, most)
        }
        allowed = format.attribute.characters(isChecked: encoding.characters == .checked).rawValue
        page = encoding.text
        switch format.attribute {
        case .b:
            let code = format.encoding.map { $0 == .hex ? BinaryCode.hex : .raw } ?? encoding.binary
            form = code == .hex ? .hex : .raw
            counts = encoding.hexLengthCounts
        case .n, .z, .signed:
            isTrack = format.attribute == .z
            isSigned = format.attribute == .signed
            if isSigned { (minimum, maximum) = (minimum + 1, maximum + 1) }
            let isText = isSigned && encoding.signedAmount == .text
            let isPacked = format.encoding.map { $0 == .bcd } ?? (encoding.numeric == .bcd && !isText)
            form = !isPacked ? .characters : isSigned ? .signedPacked : .packed
            writesLetterD = encoding.trackSeparator == .letterD
            odd = isTrack ? encoding.oddTrack : lengthDigits > 0 ? encoding.oddVariable : encoding.oddNumeric
            counts = encoding.packedLengthCounts
            if !isPacked || isSigned {
                switch isPacked ? .bcd : encoding.numeric {
                case .ascii: page = .ascii
                case .ebcdic: page = encoding.text == .ascii ? .ebcdic037 : encoding.text
                case .bcd: page = encoding.text
                }
            }
        default: form = .characters
        }
        if let own = format.encoding.flatMap({ TextCode(rawValue: $0.rawValue) }), form == .characters { page = own }
        isTranslated = page != .ascii
    }

    /// The greatest number that the length can be, in the units that it counts.
    var longestLength: Int {
        switch form {
        case .hex where counts == .digits: maximum * 2
        case .packed where counts == .bytes: (maximum + 1) / 2
        default: maximum
        }
    }

    /// The bytes of the length before the value.
    var lengthBytes: Int { Self.lengthBytes(digits: lengthDigits, lengthEncoding) }

    static func lengthBytes(digits: Int, _ encoding: LengthEncoding) -> Int {
        switch encoding {
        case .ascii, .ebcdic: digits
        case .bcd, .binary: (digits + 1) / 2
        }
    }
}
