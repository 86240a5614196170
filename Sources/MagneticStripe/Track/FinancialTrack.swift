public import CardSecrets

/// Track 3 (ISO/IEC 4909). No payment scheme asks for it; what it says is kept whole for an issuer that does.
public struct FinancialTrack: ~Copyable, Sendable {
    /// The first two digits, 0...99: the standard gives 00 to the industry's own use, 01 and 02 to the layouts that it
    /// lays down, and leaves the rest open.
    public let formatCode: Int
    public let pan: PrimaryAccountNumber
    /// Everything between the sentinels, in ASCII (DE 36).
    public let content: SensitiveBytes

    /// Reads a track.
    ///
    /// - Parameter delivery: what the reader gave.
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
