/// Turns bytes of the payment world into words. Whatever the bytes are, it returns.
public enum EMVDecoder {
    /// The most bytes that are taken at once.
    public static let maximumLength = 65_536
    /// Levels of templates that are opened.
    static let maximumDepth = 16

    /// Reads `bytes` as what they are said to be, or as what they look like.
    ///
    /// - Parameters:
    ///   - bytes: at most ``maximumLength``.
    ///   - subject: what they are; nil to guess.
    ///   - brand: whose card it is, which decides what private data mean; nil to take it from an AID in the data.
    /// - Returns: nil when nobody said what the bytes are and they look like nothing that is known.
    public static func decode(
        _ bytes: [UInt8], as subject: DecodingSubject? = nil, brand: CardBrand? = nil
    ) -> Decoding? {
        guard let taken = subject ?? SubjectGuess.subject(of: bytes) else { return nil }
        var reading = Reading(bytes, brand: brand)
        let values: [DecodedValue]
        if bytes.count > maximumLength {
            reading.stop(at: maximumLength, "more than \(maximumLength) bytes")
            values = []
        } else {
            values = reading.values(as: taken)
        }
        return Decoding(
            subject: taken, isGuessed: subject == nil, length: bytes.count, values: values, problem: reading.problem)
    }
}
