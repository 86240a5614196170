public import CardSecrets

/// Track 1 in structure B, or track 2, of a payment card (ISO/IEC 7813).
///
/// The name on track 1 is checked for its length, and kept only within ``content``.
public struct AccountTrack: ~Copyable, Sendable {
    /// ``MagneticTrack/one`` or ``MagneticTrack/two``.
    public let track: MagneticTrack
    public let pan: PrimaryAccountNumber
    /// nil when the track does not have it.
    public let expiry: CardExpiry?
    /// nil when the track does not have it.
    public let serviceCode: ServiceCode?
    /// The issuer's data after these fields, including the card verification value, in ASCII.
    public let discretionaryData: SensitiveBytes
    /// Everything between the sentinels, in ASCII: DE 45 for track 1, DE 35 for track 2.
    public let content: SensitiveBytes

    /// Reads a track.
    ///
    /// - Parameters:
    ///   - track: ``MagneticTrack/one`` or ``MagneticTrack/two``.
    ///   - delivery: the track as the reader delivered it.
    /// - Throws: ``TrackError``
    public init(_ track: MagneticTrack, _ delivery: borrowing TrackDelivery) throws(TrackError) {
        guard track != .three else { throw TrackError(track, .formatCode) }
        let content = try TrackContent(track, delivery)
        self = try content.characters.withUnsafeBytes { (buffer) throws(TrackError) in
            try AccountTrack(track, buffer)
        }
    }

    private init(_ track: MagneticTrack, _ characters: UnsafeRawBufferPointer) throws(TrackError) {
        let isDigitOrSeparator: (UInt8) -> Bool = { (0x30...0x39).contains($0) || $0 == 0x3D }
        if track == .two, let wrong = characters.firstIndex(where: { !isDigitOrSeparator($0) }) {
            throw TrackError(track, .character(position: wrong + 2))
        }
        var fields = TrackFields(track, characters)
        guard track == .two || fields.skip(UInt8(ascii: "B")) else { throw TrackError(track, .formatCode) }
        let digits = try fields.untilSeparator()
        let pan: PrimaryAccountNumber
        do throws(PrimaryAccountNumberError) {
            pan = try PrimaryAccountNumber(digits: digits)
        } catch {
            throw TrackError(track, .account(error))
        }
        // Numbers that begin with 59 are national and have a country code.
        if digits.starts(with: [0x35, 0x39]) { _ = try fields.number(3, .country(position: fields.position)) }
        if track == .one {
            let position = fields.position
            guard try fields.untilSeparator().count <= 26 else { throw TrackError(track, .name(position: position)) }
        }
        let expiryPosition = fields.position
        let expiry = try fields.numberIfPresent(4, .expiry(position: expiryPosition)).map {
            (digits) throws(TrackError) in
            guard let expiry = CardExpiry(yearAndMonth: digits) else {
                throw TrackError(track, .expiry(position: expiryPosition))
            }
            return expiry
        }
        let serviceCode = try fields.numberIfPresent(3, .serviceCode(position: fields.position)).flatMap {
            ServiceCode($0)
        }
        self.track = track
        self.pan = pan
        (self.expiry, self.serviceCode) = (expiry, serviceCode)
        discretionaryData = SensitiveBytes(fields.rest)
        content = SensitiveBytes(characters)
    }

    /// Returns the content as EMV's track 2 equivalent data (tag 57): four bits per digit, D for the separator, padded
    /// with F. Nil for track 1.
    public borrowing func equivalentData() -> SensitiveBytes? {
        guard track == .two else { return nil }
        return content.withUnsafeBytes { characters in
            SensitiveBytes(count: (characters.count + 1) / 2) { buffer in
                if !characters.count.isMultiple(of: 2) { buffer[buffer.count - 1] = 0x0F }
                for (place, character) in characters.enumerated() {
                    // The separator is 3D: its low half is the D.
                    buffer[place / 2] |= (character & 0x0F) << (place.isMultiple(of: 2) ? 4 : 0)
                }
            }
        }
    }
}

/// Track 3 (ISO/IEC 4909). No card scheme uses it; its content is kept for issuers that do.
public struct FinancialTrack: ~Copyable, Sendable {
    /// The first two digits, 0...99: the standard reserves 00 for proprietary use, defines layouts for 01 and 02, and
    /// leaves the rest open.
    public let formatCode: Int
    public let pan: PrimaryAccountNumber
    /// Everything between the sentinels, in ASCII (DE 36).
    public let content: SensitiveBytes

    /// Reads a track.
    ///
    /// - Parameter delivery: the track as the reader delivered it.
    /// - Throws: ``TrackError``
    public init(_ delivery: borrowing TrackDelivery) throws(TrackError) {
        let content = try TrackContent(.three, delivery)
        self = try content.characters.withUnsafeBytes { (characters) throws(TrackError) in
            var fields = TrackFields(.three, characters)
            let formatCode = try fields.number(2, .formatCode)
            let digits = try fields.untilSeparator()
            do throws(PrimaryAccountNumberError) {
                return FinancialTrack(
                    formatCode: formatCode, pan: try PrimaryAccountNumber(digits: digits), characters)
            } catch {
                throw TrackError(.three, .account(error))
            }
        }
    }

    private init(formatCode: Int, pan: consuming PrimaryAccountNumber, _ characters: UnsafeRawBufferPointer) {
        self.formatCode = formatCode
        self.pan = pan
        content = SensitiveBytes(characters)
    }
}

/// Reads the fields of a track one after the other. Positions count as in ``TrackError``.
struct TrackFields {
    private let track: MagneticTrack
    private let characters: UnsafeRawBufferPointer
    private var place = 0

    /// - Parameters:
    ///   - track: the track.
    ///   - characters: the characters between the sentinels.
    init(_ track: MagneticTrack, _ characters: UnsafeRawBufferPointer) {
        (self.track, self.characters) = (track, characters)
    }

    /// The position of the next field.
    var position: Int { place + 2 }

    /// The rest of the track.
    var rest: UnsafeRawBufferPointer.SubSequence { characters[place...] }

    /// Skips `character` if it comes next.
    mutating func skip(_ character: UInt8) -> Bool {
        guard rest.first == character else { return false }
        place += 1
        return true
    }

    /// Reads the characters up to the next separator, and skips the separator.
    ///
    /// - Throws: ``TrackError``
    mutating func untilSeparator() throws(TrackError) -> UnsafeRawBufferPointer.SubSequence {
        guard let end = rest.firstIndex(of: track.characterSet.separator) else {
            throw TrackError(track, .noSeparator(position: position))
        }
        defer { place = end + 1 }
        return characters[place..<end]
    }

    /// Reads `count` digits as a number.
    ///
    /// - Throws: ``TrackError`` with `fault` when there are fewer, or other characters.
    mutating func number(_ count: Int, _ fault: TrackError.Fault) throws(TrackError) -> Int {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw TrackError(track, fault)
        }
        place += count
        return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Reads as ``number(_:_:)`` does; nil where a separator replaces a missing field.
    mutating func numberIfPresent(_ count: Int, _ fault: TrackError.Fault) throws(TrackError) -> Int? {
        skip(track.characterSet.separator) ? nil : try number(count, fault)
    }
}
