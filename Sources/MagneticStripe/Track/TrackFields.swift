/// Takes the fields of a track one after the other. Positions count as in ``TrackError``.
struct TrackFields {
    private let track: StripeTrack
    private let characters: UnsafeRawBufferPointer
    private var place = 0

    /// - Parameters:
    ///   - track: whose fields they are.
    ///   - characters: what stands between the sentinels.
    init(_ track: StripeTrack, _ characters: UnsafeRawBufferPointer) {
        (self.track, self.characters) = (track, characters)
    }

    /// Where the next field begins.
    var position: Int { place + 2 }

    /// Whatever is left.
    var rest: UnsafeRawBufferPointer.SubSequence { characters[place...] }

    /// Passes `character` over if it comes next.
    mutating func skip(_ character: UInt8) -> Bool {
        guard rest.first == character else { return false }
        place += 1
        return true
    }

    /// Takes the characters up to the next separator, and passes that over.
    ///
    /// - Throws: ``TrackError``
    mutating func untilSeparator() throws(TrackError) -> UnsafeRawBufferPointer.SubSequence {
        guard let end = rest.firstIndex(of: track.characterSet.separator) else {
            throw TrackError(track, .noSeparator(position: position))
        }
        defer { place = end + 1 }
        return characters[place..<end]
    }

    /// Takes `count` digits as a number.
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

    /// As ``number(_:_:)``; nil where a separator stands for a field that is left out.
    mutating func numberIfPresent(_ count: Int, _ fault: TrackError.Fault) throws(TrackError) -> Int? {
        skip(track.characterSet.separator) ? nil : try number(count, fault)
    }
}
