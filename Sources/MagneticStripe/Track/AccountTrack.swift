public import CardSecrets

/// Track 1 in structure B, or track 2: what a payment card has on it (ISO/IEC 7813).
///
/// The name on track 1 is looked at for its length, and kept only within ``content``.
public struct AccountTrack: ~Copyable, Sendable {
    /// ``StripeTrack/one`` or ``StripeTrack/two``.
    public let track: StripeTrack
    public let pan: PrimaryAccountNumber
    /// nil when the card leaves it out.
    public let expiry: StripeExpiry?
    /// nil when the card leaves it out.
    public let serviceCode: ServiceCode?
    /// What the issuer put behind them, its card verification value among it, in ASCII.
    public let discretionaryData: SensitiveBytes
    /// Everything between the sentinels, in ASCII: DE 45 for track 1, DE 35 for track 2.
    public let content: SensitiveBytes

    /// Reads a track.
    ///
    /// - Parameters:
    ///   - track: ``StripeTrack/one`` or ``StripeTrack/two``.
    ///   - delivery: what the reader gave.
    /// - Throws: ``TrackError``
    public init(_ track: StripeTrack, _ delivery: borrowing TrackDelivery) throws(TrackError) {
        guard track != .three else { throw TrackError(track, .formatCode) }
        let content = try TrackContent(track, delivery)
        self = try content.characters.withUnsafeBytes { (buffer) throws(TrackError) in
            try AccountTrack(track, buffer)
        }
    }

    private init(_ track: StripeTrack, _ characters: UnsafeRawBufferPointer) throws(TrackError) {
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
        // Numbers that begin with 59 are a country's own.
        if digits.starts(with: [0x35, 0x39]) { _ = try fields.number(3, .country(position: fields.position)) }
        if track == .one {
            let position = fields.position
            guard try fields.untilSeparator().count <= 26 else { throw TrackError(track, .name(position: position)) }
        }
        let expiryPosition = fields.position
        let expiry = try fields.numberIfPresent(4, .expiry(position: expiryPosition)).map {
            (digits) throws(TrackError) in
            guard let expiry = StripeExpiry(yearAndMonth: digits) else {
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

    /// The content in the form of EMV's track 2 equivalent data (tag 57): a digit in four bits, D for the separator,
    /// filled with F. Nil for track 1.
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
